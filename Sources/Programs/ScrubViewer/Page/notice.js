/** Failures, in words, between picture and timeline: they do not cover anything, and the page stays usable. */

import { element, setText } from './dom.js';
import { words } from './words.js';

/** @param {{root: HTMLElement, store: any, panes: import('./panes.js').Panes}} place */
export function createNotice({ root, store, panes }) {
  const what = element('span', { class: 'notice-what' });
  const hint = element('span', { class: 'notice-hint' });
  const close = element('button', { type: 'button', class: 'quiet', icon: 'close', 'aria-label': 'Close the message', onclick: () => store.set({ error: null }) });
  const act = element('button', { type: 'button', class: 'main notice-act', hidden: true, onclick: () => action?.run() });
  root.append(element('p', {}, what, ' ', hint), element('div', { class: 'notice-buttons' }, act, close));
  let action = null;
  let timer = 0;

  const show = () => {
    const failed = store.state.panes.find((pane) => pane.failure);
    const name = failed && panes.get(failed.id)?.medium.name;
    const said = store.state.error ?? (failed && {
      text: failed.failure.network ? failed.failure.error : `f${failed.failure.frame} of ${name} cannot be shown: ${words.reason(failed.failure.error, name, `frame ${failed.failure.frame}`)}`,
      hint: failed.failure.hint || (failed.failure.network ? '' : 'The frames before and after it can still be viewed.'),
      fixed: true,
    });
    clearTimeout(timer);
    if (!said) { root.hidden = true; setText(what, ''); setText(hint, ''); return; }
    setText(what, words.ended(said.text));
    setText(hint, words.sentence(said.hint ?? ''));
    close.hidden = said.fixed === true;
    action = said.action ?? null;
    setText(act, action?.label ?? '');
    act.hidden = action === null;
    root.hidden = false;
    if (said.seconds) timer = setTimeout(() => store.set({ error: null }), said.seconds * 1000);
  };
  store.on('error', show);
  store.on('panes', show);
  return {
    /**
     * Shows a message until it is closed, or for some seconds, with an optional action.
     *
     * @param {string} text
     * @param {{hint?: string, seconds?: number, action?: {label: string, run(): void}}} [options]
     */
    say: (text, { hint: more = '', seconds, action: offered } = {}) => store.set({ error: { text, hint: more, seconds, action: offered } }),
    clear: () => store.set({ error: null }),
  };
}
