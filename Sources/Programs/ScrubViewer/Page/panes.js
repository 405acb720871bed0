/** The panes: one for each medium that is looked at. Each has its stage and its lane; what moves one moves all. */

import { element, setText } from './dom.js';
import { Lane } from './lane.js';
import { Stage, View } from './stage.js';

/**
 * @typedef {{id: string, mediumId: string, medium: import('./library.js').Medium, element: HTMLElement,
 *   canvas: HTMLCanvasElement, stage: Stage, lane: Lane, offset: number}} Pane
 */

export class Panes {
  /** @type {Map<string, Pane>} */
  #panes = new Map();
  #count = 0;
  /** The commits shown last, for tests: at most 2,000. */
  log = [];
  view = new View();
  /** Whether full-size PNG is asked for: for the inspector and for differences. */
  wantsPixels = () => this.view.percent !== null && this.view.percent >= 100;

  /**
   * @param {HTMLElement} root @param {ReturnType<import('./store.js').createStore>} store
   * @param {ReturnType<import('./api.js').createApi>} api @param {import('./library.js').Library} library
   */
  constructor(root, store, api, library) {
    Object.assign(this, { root, store, api, library });
    this.view.addEventListener('change', () => {
      store.set({ zoom: { percent: this.view.percent } });
      for (const pane of this.list) pane.lane.refresh();
    });
    document.addEventListener('visibilitychange', () => {
      for (const pane of this.list) if (document.hidden) pane.lane.stop(); else pane.lane.refresh();
    });
    addEventListener('pageshow', (event) => { if (event.persisted) for (const pane of this.list) pane.lane.refresh(); });
    addEventListener('pagehide', () => { for (const pane of this.list) pane.lane.stop(); });
  }

  /** All panes in the order in which they stand. @returns {Pane[]} */
  get list() { return [...this.#panes.values()]; }
  /** The pane that was touched last. @returns {Pane|undefined} */
  get active() { return this.#panes.get(this.store.state.activePane) ?? this.list[0]; }
  /** @param {string} id */
  get(id) { return this.#panes.get(id); }

  /** Adds a pane for a medium that the library has opened. @param {import('./library.js').Medium} medium */
  add(medium, { offset = 0 } = {}) {
    this.#count += 1;
    const id = `p${this.#count}`;
    const canvas = element('canvas', { class: 'picture', role: 'img', 'aria-label': medium.name });
    const label = element('p', { class: 'pane-label', hidden: true });
    const figure = element('figure', { class: 'pane', 'data-pane': id }, canvas, label);
    const stage = new Stage(canvas, this.view);
    stage.size = { width: medium.width, height: medium.height };
    stage.surround = getComputedStyle(this.root).backgroundColor;
    /** @type {Pane} */
    const pane = { id, mediumId: medium.id, medium, element: figure, canvas, stage, label, offset, lane: null };
    pane.lane = new Lane(this.#served(pane), this.api);
    stage.addEventListener('change', () => pane.lane.refresh());
    this.#panes.set(id, pane);
    const state = { id, mediumId: medium.id, want: null, shown: null, offset, moving: false, failure: null, beyond: '' };
    this.store.set({ panes: [...this.store.state.panes, state] });
    this.root.append(figure);
    this.root.dataset.count = String(this.#panes.size);
    if (!this.store.state.activePane || !this.#panes.has(this.store.state.activePane)) this.activate(id);
    // After the requested frame; it makes a drag over this pane faster.
    setTimeout(() => medium.strip.start());
    return pane;
  }

  /** Takes a pane away, with all that it has under way. @param {string} id */
  remove(id) {
    const pane = this.#panes.get(id);
    if (!pane) return;
    pane.lane.close();
    pane.stage.close();
    pane.element.remove();
    this.#panes.delete(id);
    this.root.dataset.count = String(this.#panes.size);
    this.store.set({ panes: this.store.state.panes.filter((one) => one.id !== id) });
    if (this.store.state.activePane === id) this.store.set({ activePane: this.list[0]?.id ?? null });
  }

  /** Makes a pane the one that leads. @param {string} id */
  activate(id) {
    if (!this.#panes.has(id)) return;
    for (const pane of this.list) pane.element.classList.toggle('active', pane.id === id);
    this.store.set({ activePane: id });
  }

  /** @param {string} id @param {number} offset frames that this pane is ahead */
  setOffset(id, offset) {
    const pane = this.#panes.get(id);
    if (!pane) return;
    pane.offset = offset;
    this.store.setPane(id, { offset });
  }

  /**
   * All panes go to the leader's frame.
   *
   * @param {number} frame of the leading pane
   * @param {'move'|'rest'} how `move` as in a drag, `rest` for good
   */
  seek(frame, how = 'rest', leader = this.active) {
    if (!leader) return;
    const wanted = leader.medium.times.clamp(frame);
    for (const pane of this.list) {
      const [own, beyond] = pane === leader ? [wanted, ''] : this.follow(pane, leader, wanted);
      pane.lane[how](own);
      if (this.store.pane(pane.id).beyond !== beyond) this.store.setPane(pane.id, { beyond });
      this.#label(pane);
    }
  }

  /** The finger is up. */
  release() { for (const pane of this.list) pane.lane.release(); }

  /** Which frame another pane shows, and the words when there is none. @returns {[number, string]} */
  follow(pane, leader, frame) {
    const { times } = pane.medium;
    const same = this.store.state.lock === 'frame';
    const time = leader.medium.times.timeOf(frame);
    const wanted = (same ? frame : times.frameAt(time.n, time.d)) + pane.offset - leader.offset;
    if (wanted < 0) return [0, 'begins at f0'];
    const ended = same ? wanted > times.last
      : BigInt(time.n) * BigInt(times.timescale) >= BigInt(times.duration) * BigInt(time.d) || wanted > times.last;
    return ended ? [times.last, `ends at f${times.last}`] : [wanted, ''];
  }

  /** The frame that is wanted, which the playhead shows at once. */
  get wanted() { return this.active?.lane.want?.frame ?? 0; }

  /** Resolves when nothing is under way. */
  async idle() {
    while (!this.list.every((pane) => pane.lane.isIdle)) await Promise.all(this.list.map((pane) => pane.lane.exact()));
  }

  /** New colours round the pictures. */
  recolour() {
    const surround = getComputedStyle(this.root).backgroundColor;
    for (const pane of this.list) { pane.stage.surround = surround; pane.stage.redraw(); }
  }

  #served(pane) {
    return {
      id: pane.id,
      medium: pane.medium,
      // A value that is only minimally above a whole number means that number.
      width: () => { pane.stage.measure(); return Math.ceil(pane.stage.size.width * pane.stage.scale - 0.01); },
      format: () => (this.wantsPixels() ? 'png' : 'jpeg'),
      gate: (frame, turn) => this.gate?.(pane, frame, turn),
      changed: () => this.store.setPane(pane.id, { want: pane.lane.want, moving: pane.lane.moving }),
      fail: (failure) => {
        if (failure === null && this.store.pane(pane.id)?.failure === null) return;
        this.store.setPane(pane.id, { failure });
        if (failure?.code === 'changed') this.changed?.(pane, failure);
        this.#label(pane);
      },
      commit: (picture) => this.#commit(pane, picture),
    };
  }

  /** One task: picture, number, time, verdict. */
  #commit(pane, { bitmap, shown, crop, borrowed }) {
    if (shown.stage !== 'tile' && shown.width === null) pane.stage.size = { width: bitmap.width, height: bitmap.height };
    pane.stage.draw(bitmap, { crop, borrowed, dimmed: this.#isDimmed(pane), quick: pane.lane.moving });
    const now = performance.now();
    this.log.push({ pane: pane.id, turn: shown.turn, frame: shown.frame, stage: shown.stage, time: now, want: pane.lane.want.frame });
    if (this.log.length > 2000) this.log.shift();
    this.store.setPane(pane.id, { shown, want: pane.lane.want, moving: pane.lane.moving });
    if (shown.stage === 'exact') pane.canvas.setAttribute('aria-label', `${pane.medium.name}, frame ${shown.frame}, ${shown.verdict}`);
    this.#label(pane);
  }

  #isDimmed(pane) {
    const state = this.store.pane(pane.id);
    return Boolean(state?.beyond) || Boolean(state?.failure);
  }

  /** What is said on the picture: only when it is not the picture that was asked for, and will not become it. */
  #label(pane) {
    const state = this.store.pane(pane.id);
    pane.stage.dim(this.#isDimmed(pane));
    const words = state.failure && !state.failure.network ? this.#failed(state) : state.beyond;
    setText(pane.label, words);
    pane.label.hidden = words === '';
  }

  /** The last good picture stays, under its own number; the notice below says what failed. */
  #failed({ failure, shown }) {
    if (failure.code === 'changed') return shown ? `This is f${shown.frame} of the previous version of the file.` : '';
    return shown ? `f${failure.frame} failed. This is f${shown.frame}.` : `f${failure.frame} failed.`;
  }
}
