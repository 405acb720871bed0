/** The facts line: number, time, type, verdict, cost. Number and verdict are those of the displayed picture. */

import { element, setText } from './dom.js';
import { words } from './words.js';

/** @param {{root: HTMLElement, panes: import('./panes.js').Panes, store: any}} place */
export function createFacts({ root, panes, store }) {
  const part = (name, label) => element('span', { class: `fact ${name}`, title: label });
  const number = part('number', 'Frame, counted from 0');
  const time = part('time', 'Time since the first frame');
  const type = part('type', 'Picture type');
  const verdict = part('verdict', 'Whether this is exactly the picture that decoding the whole file gives');
  const cost = part('cost', 'Pictures that were decoded for it');
  const speed = part('speed', 'Playing');
  const sign = element('span', { class: 'shape', 'aria-hidden': 'true' });
  const word = element('span');
  verdict.append(sign, word);
  root.append(number, ' ', time, ' ', type, ' ', verdict, ' ', cost, ' ', speed);
  let late = 0;
  let measured = null;

  const show = () => {
    const { active } = panes;
    root.hidden = !active;
    if (!active) return;
    const state = store.pane(active.id);
    const { times } = active.medium;
    // A failed frame has no picture; the picture that is still shown has its own number on it.
    const failed = state.failure && !state.failure.network;
    const shown = failed ? null : state.shown;
    const frame = failed ? state.failure.frame : shown?.frame ?? state.want?.frame ?? 0;
    if (measured !== times) {
      measured = times;
      root.style.setProperty('--digits', String(String(times.last).length + 1));
      root.style.setProperty('--clock', String(times.durationText.length));
    }
    setText(number, `f${frame}`);
    setText(time, times.secondsText(frame));
    setText(type, shown?.type || '–');
    const said = words.verdict(state);
    setText(word, said);
    verdict.dataset.verdict = said;
    // Until the requested picture is shown, its number is muted. Only after a while this counts as waiting.
    root.classList.toggle('pending', said === 'nearest' || said === 'loading' || said === 'waiting');
    clearTimeout(late);
    root.classList.remove('late');
    if (!active.lane.isFinal) late = setTimeout(() => root.classList.add('late'), 300);
    const decoded = said === 'nearest' || shown?.decoded === null || shown?.decoded === undefined ? ''
      : `${shown.decoded} decoded`;
    setText(cost, decoded);
    cost.title = shown?.milliseconds ? `Pictures that were decoded for it, in ${shown.milliseconds} ms` : 'Pictures that were decoded for it';
    const { playing, skipped } = store.state;
    setText(speed, playing === 0 ? '' : `${playing}×${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  };
  for (const key of ['panes', 'activePane', 'playing', 'skipped']) store.on(key, show);
  show();
}
