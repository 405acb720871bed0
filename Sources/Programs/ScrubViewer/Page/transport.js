/** The buttons below the picture and the keys that do the same. */

import { element, setIcon } from './dom.js';

/** @param {{root: HTMLElement, panes: import('./panes.js').Panes, store: any, keys: any, play: any, goTo: any}} place */
export function createTransport({ root, panes, store, keys, play, goTo }) {
  const times = () => panes.active?.medium.times;
  const go = (frame, how = 'rest') => { if (panes.active) { play.stop(); panes.seek(frame, how); } };
  const step = (count) => go(panes.wanted + count);
  /** Seconds away, and at least so many frames. */
  const seconds = (count, least = 1) => {
    const table = times();
    if (!table) return;
    const from = panes.wanted;
    const frame = table.frameAtTicks(table.ticks(from) + Math.round(count * table.timescale));
    const away = Math.max(Math.abs(frame - from), least);
    go(from + Math.sign(count) * away);
  };
  const key = (way) => {
    const list = panes.active?.medium.keyframes ?? [];
    const from = panes.wanted;
    const found = way < 0 ? list.findLast((one) => one < from) : list.find((one) => one > from);
    if (found !== undefined) go(found);
  };

  const button = (icon, label, run, keyName, more = {}) => element('button', {
    type: 'button', icon, title: keyName ? `${label} (${keyName})` : label, 'aria-label': label,
    'aria-keyshortcuts': keyName ?? null, onclick: run, ...more,
  });
  const playButton = button('play', 'Play', () => play.toggle(), 'Space', { class: 'main' });
  root.append(
    button('previousKey', 'Previous key picture', () => key(-1), '<', { class: 'wide' }),
    button('previous', 'Previous frame', () => step(-1), '←'),
    playButton,
    button('next', 'Next frame', () => step(1), '→'),
    button('nextKey', 'Next key picture', () => key(1), '>', { class: 'wide' }),
    button('go', 'Go to', () => goTo.open(), 'G'),
  );
  const enable = () => { for (const one of root.children) one.disabled = panes.list.length === 0; };
  store.on('panes', enable);
  enable();
  store.on('playing', (rate) => {
    setIcon(playButton, rate === 0 ? 'play' : 'pause');
    playButton.setAttribute('aria-label', rate === 0 ? 'Play' : 'Pause');
    playButton.title = rate === 0 ? 'Play (Space)' : 'Pause (Space)';
  });

  const isSlider = () => document.activeElement?.classList.contains('slider') ?? false;
  const add = (names, label, run, group = 'Move', more = {}) => keys.add({ keys: names, label, group, run, ...more });
  add(['ArrowRight', '.'], 'Next frame', () => step(1));
  add(['ArrowLeft', ','], 'Previous frame', () => step(-1));
  add(['ArrowUp'], 'Next frame, on the slider', () => step(1), 'Move', { when: isSlider, hidden: true });
  add(['ArrowDown'], 'Previous frame, on the slider', () => step(-1), 'Move', { when: isSlider, hidden: true });
  add(['Shift+ArrowRight'], 'One second forward', () => seconds(1));
  add(['Shift+ArrowLeft'], 'One second back', () => seconds(-1));
  add(['PageUp'], 'Ten seconds forward', () => seconds(10, 15));
  add(['PageDown'], 'Ten seconds back', () => seconds(-10, 15));
  add(['Home'], 'First frame', () => go(0));
  add(['End'], 'Last frame', () => go(times()?.last ?? 0));
  add(['>'], 'Next key picture', () => key(1));
  add(['<'], 'Previous key picture', () => key(-1));
  for (let tenth = 0; tenth <= 9; tenth += 1) {
    add([String(tenth)], tenth === 0 ? 'Jump to tenths of the film: 0 to 9' : `${tenth * 10} %`, () => { const table = times(); if (table) go(table.frameAtFraction(tenth, 10)); }, 'Move', { hidden: tenth > 0 });
  }
  add(['Space'], 'Play, pause', () => play.toggle(), 'Play');
  // J or L while K is held moves by one frame.
  add(['L'], 'Forward; again for 2, 4, 8×', (event) => { if (keys.isDown('K')) step(1); else if (!event.repeat) play.faster(1); }, 'Play');
  add(['J'], 'Backward; again for 2, 4, 8×', (event) => { if (keys.isDown('K')) step(-1); else if (!event.repeat) play.faster(-1); }, 'Play');
  add(['K'], 'Stop; hold with J or L for one frame', () => play.stop(), 'Play');
  return { step, seconds, key, go };
}
