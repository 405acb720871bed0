/** The wiring: everything is created here, and features are added at the end with one line each. */

import { createApi } from './api.js';
import { createDock } from './dock.js';
import { element, setText } from './dom.js';
import { createFacts } from './facts.js';
import { createGoto } from './goto.js';
import { createInspector } from './inspector.js';
import { isEditable, Keys } from './keys.js';
import { Library } from './library.js';
import { createLink } from './link.js';
import { createLog } from './log.js';
import { createMediaList } from './medialist.js';
import { createNotice } from './notice.js';
import { Panel } from './panel.js';
import { Panes } from './panes.js';
import { createPlay } from './play.js';
import { createPointer } from './pointer.js';
import { createStore, kept } from './store.js';
import { createTheme } from './theme.js';
import { Timeline } from './timeline.js';
import { createTransport } from './transport.js';
import { words } from './words.js';
import { createZoom } from './zoom.js';

const by = (id) => document.getElementById(id);
const features = [];

/**
 * What a feature gets. `stage` is the active pane's; `dock.add` puts a button below the picture, `panel.add` a part into the
 * side panel, `link.add` a part into the address, `timeline.addLayer` something over the strip.
 *
 * @typedef {{store: any, api: any, library: Library, panes: Panes, lanes: Map<string, import('./lane.js').Lane>,
 *   readonly stage: import('./stage.js').Stage|undefined, keys: Keys, panel: Panel, dock: any, timeline: Timeline, link: any,
 *   play: any, transport: any, notice: any, goTo: any, choose(id: string, frame?: number): Promise<void>,
 *   escape: ((event: KeyboardEvent) => boolean)[], tapped: ((start: object, event: PointerEvent) => boolean)[]}} Context
 */

export const app = {
  /** Adds a feature; it is called once, when everything else is ready. @param {(context: Context) => void} feature */
  use(feature) { features.push(feature); },
  start,
};

/** Makes the page and shows the first medium. @returns {Promise<Context>} */
export async function start() {
  const store = createStore();
  const api = createApi();
  const library = new Library(api, store);
  const keys = new Keys();
  const panes = new Panes(by('stage'), store, api, library);
  const panel = new Panel(by('panel'));
  const timeline = new Timeline(by('timeline'), panes, store, api);
  const play = createPlay(panes, store);
  const notice = createNotice({ root: by('notice'), store, panes });
  const goTo = createGoto({ dialog: by('goto'), panes, store, keys });
  const transport = createTransport({ root: by('transport'), panes, store, keys, play, goTo });
  const link = createLink({ panes, store });
  /** @type {Context} */
  const context = {
    store, api, library, panes, keys, panel, timeline, link, play, transport, notice, goTo, choose,
    get lanes() { return new Map(panes.list.map((pane) => [pane.id, pane.lane])); },
    get stage() { return panes.active?.stage; },
    escape: [], tapped: [],
  };
  const theme = createTheme({ store, changed: () => { panes.recolour(); timeline.redraw(); } });
  context.dock = createDock({ context, theme, actions: by('actions'), more: by('more'), tools: by('tools'), mediaButton: by('media-button') });
  const pointer = createPointer({
    root: by('stage'), panes, store, keys, factor: by('factor'),
    tapped: (begun, event) => { if (!context.tapped.some((one) => one(begun, event))) canvasTapped(event); },
  });
  createZoom({ panes, store, keys, button: context.dock.zoom });
  createFacts({ root: by('facts'), panes, store });
  createInspector({ root: by('inspector'), stageRoot: by('stage'), panes, store });
  createMediaList({ panes, store, api, panel, choose });
  createLog({ store, api, panel, library });

  /** A tap means to view, not to change anything; the keys work from here on. */
  function canvasTapped() { if (document.activeElement instanceof HTMLElement && document.activeElement !== timeline.slider) document.activeElement.blur(); }

  keys.add({
    keys: ['Escape'], label: 'Back one level', group: 'View',
    run(event) {
      if (timeline.cancel() || pointer.cancel()) return;
      if (context.escape.some((one) => one(event))) return;
      if (store.state.playing !== 0) play.stop();
      else if (panel.current !== null) panel.close();
      else if (panes.view.percent !== null) panes.view.set({ percent: null });
    },
  });

  /** Shows a medium alone, at a frame. */
  async function choose(id, frame) {
    const entry = library.entry(id);
    setText(by('state'), entry ? `Reading ${entry.name}…` : 'Reading…');
    try {
      const medium = await library.open(id);
      play.stop();
      const old = panes.list.map((pane) => pane.id);
      const pane = panes.add(medium);
      for (const gone of old) panes.remove(gone);
      panes.activate(pane.id);
      setText(by('media-name'), medium.name);
      document.title = `${medium.name} – Scrub`;
      panes.seek(frame ?? 0, 'rest', pane);
      firstPicture(pane);
      timeline.show();
    } catch (error) {
      setText(by('state'), panes.list.length === 0 ? 'Nothing to show.' : '');
      notice.say(`${entry?.name ?? 'This medium'} cannot be opened: ${words.reason(error.message, entry?.name)}`, { hint: error.hint, action: error.code === 'changed' ? reload : undefined });
    }
  }

  /** Announces a first picture only if it takes long. @param {import('./panes.js').Pane} pane */
  function firstPicture(pane) {
    setText(by('state'), '');
    const late = setTimeout(() => { if (pane.stage.isEmpty && panes.get(pane.id) === pane) setText(by('state'), `Decoding f${pane.lane.want?.frame ?? 0}…`); }, 300);
    const end = store.on('panes', () => {
      const state = store.pane(pane.id);
      if (state && !state.shown && !state.failure) return;
      clearTimeout(late);
      setText(by('state'), '');
      end();
    });
  }

  // A mouse click leaves the keyboard focus where it was, so that Space and the arrows still work.
  by('app').addEventListener('mousedown', (event) => {
    if (event.target.closest('button') && !isEditable(document.activeElement)) event.preventDefault();
  });
  // Marks, offsets and a comparison belong to the previous version of the file: people decide when to load the new one.
  const reload = { label: 'Reload', run: () => location.reload() };
  panes.changed = (pane, failure) => notice.say(failure.error, { hint: failure.hint, action: reload });

  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  }
  for (const feature of features) feature(context);
  hooks(context);
  await open(context);
  return context;
}

/** Goes where the address says, before any other request. @param {Context} context */
async function open({ library, link, choose, notice, store, panes, panel }) {
  const state = by('state');
  setText(state, 'Contacting the server…');
  let media;
  for (let wait = 500; !media; wait = Math.min(wait * 2, 5000)) {
    media = await library.refresh().catch((error) => {
      notice.say(error.message, { hint: error.hint });
      return null;
    });
    if (!media) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  if (store.state.error) notice.clear();
  const wanted = link.read();
  const find = () => library.entry(wanted.medium ?? '') ?? store.state.media.find((one) => one.state === 'ready') ?? store.state.media[0];
  if (!find()) { setText(state, 'There is nothing to show: the server was started without a readable video.'); return; }
  while (find().state === 'loading') {
    setText(state, `Reading ${find().name}…`);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await library.refresh().catch(() => {});
  }
  const first = find();
  if (first.state === 'failed') {
    setText(by('media-name'), first.name);
    state.replaceChildren(element('strong', {}, `${first.name} cannot be read`),
      [words.reason(first.error ?? 'the reason is unknown', first.name), first.hint ?? ''].map(words.sentence).join(' '));
    return;
  }
  // Several media on a wide screen: show the list next to the picture.
  if (media.length > 1 && matchMedia('(min-width: 1280px)').matches && kept.get('panel') !== 'closed') panel.open('media');
  await choose(first.id, wanted.frame ?? 0);
  link.apply();
  addEventListener('hashchange', () => {
    const now = link.read();
    if (now.frame === null) return;
    if (now.medium && now.medium !== panes.active?.mediumId) choose(now.medium, now.frame);
    else if (now.frame !== panes.wanted) panes.seek(now.frame, 'rest');
  });
}

/** The state for tests, read-only. @param {Context} context */
function hooks({ store, panes }) {
  const one = (pane) => {
    const { want, shown, failure, beyond } = store.pane(pane.id);
    return {
      pane: pane.id, medium: pane.mediumId, frame: shown?.frame ?? null, wanted: want?.frame ?? null, stage: shown?.stage ?? null,
      verdict: shown?.verdict ?? null, type: shown?.type ?? null, seconds: shown?.seconds ?? null, failure, beyond, idle: pane.lane.isIdle,
      requests: pane.lane.requests, stands: pane.lane.stands,
    };
  };
  window.scrub = Object.freeze({
    store: Object.freeze({ get state() { return store.state; }, get: store.get }),
    state: () => (panes.active ? { ...one(panes.active), panes: panes.list.map(one) } : { frame: null, wanted: null, panes: [] }),
    idle: () => panes.idle(),
    get log() { return [...panes.log]; },
  });
}
