/** Go to a frame by typing: its meaning is shown while typing, Enter goes there, Escape cancels. */

import { setText } from './dom.js';
import { parsePosition } from './positions.js';

/** @param {{dialog: HTMLDialogElement, panes: import('./panes.js').Panes, store: any, keys: any}} place */
export function createGoto({ dialog, panes, store, keys }) {
  const input = dialog.querySelector('input');
  const says = dialog.querySelector('output');
  const button = dialog.querySelector('button[value=go]');

  const check = () => {
    const { medium } = panes.active ?? {};
    if (!medium) return null;
    const result = parsePosition(input.value, { times: medium.times, startTimecode: medium.facts.startTimecode }, panes.wanted);
    const isEmpty = input.value.trim() === '';
    setText(says, 'error' in result ? result.error : result.words);
    const wrong = 'error' in result && !isEmpty;
    input.setAttribute('aria-invalid', String(wrong));
    button.disabled = 'error' in result;
    return result;
  };

  const open = (text = '') => {
    if (!panes.active || dialog.open) return;
    input.value = text;
    dialog.showModal();
    input.focus();
    input.setSelectionRange(text.length, text.length);
    check();
  };

  input.addEventListener('input', check);
  dialog.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const result = check();
    if (!result || 'error' in result) return;
    leave();
    store.set({ playing: 0 });
    panes.seek(result.frame, 'rest');
  });
  // In some browsers a removed field keeps the keyboard focus, so restore the focus first and then close the dialog.
  const leave = () => { input.blur(); dialog.close(); };
  dialog.addEventListener('close', () => input.blur());
  dialog.addEventListener('click', (event) => { if (event.target === dialog) leave(); });

  keys.add({ keys: ['G', ':'], label: 'Go to a time, frame or fraction', group: 'Move', run: (event) => open(event.key === ':' ? '0:' : '') });
  return { open };
}
