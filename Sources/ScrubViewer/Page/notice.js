/** What failed, in words, between picture and timeline: it covers nothing, and the page stays usable. */

import { element, setText } from './dom.js';

/** @param {{root: HTMLElement, store: any, panes: import('./panes.js').Panes}} place */
export function createNotice({ root, store, panes }) {
  const what = element('span', { class: 'notice-what' });
  const hint = element('span', { class: 'notice-hint' });
  const close = element('button', { type: 'button', class: 'quiet', icon: 'close', 'aria-label': 'Close the message', onclick: () => store.set({ error: null }) });
  root.append(element('p', {}, what, ' ', hint), close);
  let timer = 0;

  const show = () => {
    const failed = store.state.panes.find((pane) => pane.failure);
    const said = store.state.error ?? (failed && {
      text: failed.failure.network ? failed.failure.error : `f${failed.failure.frame} cannot be shown: ${failed.failure.error}`,
      hint: failed.failure.hint || (failed.failure.network ? '' : 'The frames before and after it can be looked at as always.'),
      fixed: true,
    });
    clearTimeout(timer);
    if (!said) { root.hidden = true; setText(what, ''); setText(hint, ''); return; }
    setText(what, said.text);
    setText(hint, said.hint ?? '');
    close.hidden = said.fixed === true;
    root.hidden = false;
    if (said.seconds) timer = setTimeout(() => store.set({ error: null }), said.seconds * 1000);
  };
  store.on('error', show);
  store.on('panes', show);
  return {
    /** Says something until it is closed, or for so many seconds. @param {string} text @param {{hint?: string, seconds?: number}} [options] */
    say: (text, { hint: more = '', seconds } = {}) => store.set({ error: { text, hint: more, seconds } }),
    clear: () => store.set({ error: null }),
  };
}
