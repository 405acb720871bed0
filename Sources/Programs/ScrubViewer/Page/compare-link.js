// The comparison in the page's link: films, lock, offsets, view. Unknown values are ignored.

import { aligned } from './align.js';
import { parsedRatio, ratioText } from './timecode.js';

export const views = ['side', 'wipe', 'difference'];

/** Offsets as text: frames, or ratios of seconds. @param {import('./align.js').Offset[]} offsets @param {'frame'|'time'} lock */
export function offsetsText(offsets, lock) {
  const texts = offsets.map((one) => (lock === 'time' ? ratioText(one.time).replace('/', '!') : String(one.frames)));
  return texts.every((text) => text === '0' || text === '0!1') ? '' : texts.join('~');
}

/** @param {string} text @param {number} count @param {'frame'|'time'} lock @returns {import('./align.js').Offset[]} */
export function parsedOffsets(text, count, lock) {
  const parts = text.split('~');
  return Array.from({ length: count }, (_, index) => {
    const one = aligned(), part = parts[index] ?? '';
    if (lock === 'time') one.time = parsedRatio(part.replace('!', '/')) ?? one.time;
    else if (/^-?\d{1,9}$/.test(part)) one.frames = Number(part);
    return one;
  });
}

/** Keeps the comparison in the link, and restores it when a link is opened. */
export function linked(model, link, store) {
  const compared = () => model.order.length > 1;
  const panes = () => model.order.map((id) => model.panes.get(id));
  const said = {
    c: () => (compared() ? panes().map((pane) => pane.mediumId).join('~') : ''),
    lock: () => (compared() && store.state.lock === 'time' ? 'time' : ''),
    view: () => (compared() && model.view !== 'side' ? model.view : ''),
    off: () => (compared() ? offsetsText(model.order.map((id) => model.offset(id)), store.state.lock) : ''),
  };
  function apply(value) {
    const media = value.split('~').filter((id) => store.state.media.some((one) => one.id === id && one.state === 'ready')).slice(0, 4);
    const { all } = link.read();
    const lock = all.get('lock') === 'time' ? 'time' : 'frame';
    const view = views.includes(all.get('view')) ? all.get('view') : 'side';
    if (media.length > 1) model.restore({ media, lock, view, offsets: parsedOffsets(all.get('off') ?? '', media.length, lock) });
  }
  for (const [name, read] of Object.entries(said)) link.add(name, { read, apply: name === 'c' ? apply : () => {} });
  // A link to another comparison in the same tab: start again, as in a new tab.
  addEventListener('hashchange', () => {
    const { all } = link.read();
    if (all.has('c') && Object.entries(said).some(([name, read]) => (all.get(name) ?? '') !== read())) location.reload();
  });
  store.on('compare', () => link.write());
}
