/**
 * One place for what the page shows. Everything else reads it and listens to it.
 *
 * @typedef {{turn: number, frame: number}} Want
 * @typedef {{turn: number, frame: number, stage: 'tile'|'nearest'|'exact'|'failed', verdict: string, seconds: string,
 *   time: string, type: string, decoded: number|null, key: number|null, milliseconds: number|null}} Shown
 * @typedef {{id: string, mediumId: string, want: Want|null, shown: Shown|null, offset: number, moving: boolean,
 *   failure: {frame: number, error: string, hint: string}|null, beyond: string}} PaneState
 * @typedef {{media: object[], panes: PaneState[], activePane: string|null, mode: 'view'|'compare'|'stories',
 *   lock: 'frame'|'time', zoom: object, theme: 'auto'|'dark'|'light', marks: object[], error: object|null,
 *   playing: number, skipped: number}} PageState
 */

/** What is kept for the next visit. A browser may refuse to keep anything, and to be asked: then nothing is kept. */
export const kept = {
  /** @param {string} name @returns {string|null} */
  get(name) {
    try { return localStorage.getItem(`scrub.${name}`); } catch { return null; }
  },
  /** @param {string} name @param {string} value */
  set(name, value) {
    try { localStorage.setItem(`scrub.${name}`, value); } catch { /* the value still applies to this visit */ }
  },
};

/** What the page knows before the server has answered. @returns {PageState} */
const initial = () => ({
  media: [], panes: [], activePane: null, mode: 'view', lock: 'frame',
  zoom: { percent: null }, theme: 'auto', marks: [], error: null, playing: 0, skipped: 0,
});

/**
 * Makes a store. Listeners run at once, in the order in which they came, after the whole patch is in.
 *
 * @returns {{state: PageState, get(key: string): any, set(patch: Partial<PageState>): void,
 *   on(key: string, listener: (value: any, state: PageState) => void): () => void,
 *   pane(id: string): PaneState|undefined, setPane(id: string, patch: Partial<PaneState>): void}}
 *   `on('*')` hears every patch; `on('pane:ID')` and `on('panes')` hear a pane's changes. `on` gives what takes the
 *   listener away again.
 */
export function createStore() {
  const state = initial();
  /** @type {Map<string, Set<Function>>} */
  const listeners = new Map();
  const tell = (key, value) => {
    for (const listener of [...(listeners.get(key) ?? [])]) listener(value, state);
  };
  return {
    state,
    get: (key) => state[key],
    set(patch) {
      const changed = Object.keys(patch).filter((key) => !Object.is(state[key], patch[key]));
      if (changed.length === 0) return;
      Object.assign(state, patch);
      for (const key of changed) tell(key, state[key]);
      tell('*', patch);
    },
    on(key, listener) {
      if (!listeners.has(key)) listeners.set(key, new Set());
      listeners.get(key).add(listener);
      return () => listeners.get(key).delete(listener);
    },
    pane: (id) => state.panes.find((pane) => pane.id === id),
    setPane(id, patch) {
      const index = state.panes.findIndex((pane) => pane.id === id);
      if (index < 0) return;
      const pane = { ...state.panes[index], ...patch };
      state.panes = state.panes.with(index, pane);
      tell(`pane:${id}`, pane);
      tell('panes', state.panes);
      tell('*', { panes: state.panes });
    },
  };
}
