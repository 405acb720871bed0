// The table of registered keys, in a dialog.

import { element } from './dom.js';
import { button, labelled, words } from './elements.js';

const names = {
  ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', PageUp: 'Page Up', PageDown: 'Page Down', Escape: 'Esc',
};
// What a screen reader says for punctuation.
const spoken = {
  ArrowLeft: 'Left arrow', ArrowRight: 'Right arrow', ArrowUp: 'Up arrow', ArrowDown: 'Down arrow', ',': 'Comma', '.': 'Full stop', '<': 'Less than',
  '>': 'Greater than', '[': 'Left bracket', ']': 'Right bracket', ':': 'Colon', '?': 'Question mark', '+': 'Plus', '-': 'Minus',
};

/** One key's cap, or two with Shift. @param {string} key */
function cap(key) {
  const parts = key.startsWith('Shift+') && key.length > 6 ? ['Shift', key.slice(6)] : [key];
  return element('span', { class: 'help-keys' }, ...parts.map((part) => {
    const made = element('kbd', {}, element('span', { 'aria-hidden': spoken[part] ? 'true' : null }, names[part] ?? part));
    if (spoken[part]) made.append(element('span', { class: 'feature-spoken' }, spoken[part]));
    return made;
  }));
}

function table(keys) {
  return [...keys.table()].map(([group, shortcuts]) => element('section', { class: 'help-group' },
    element('h3', {}, group),
    element('dl', {}, ...shortcuts.map((one) => element('div', { class: 'help-line' },
      element('dt', {}, ...one.keys.map(cap)), element('dd', {}, one.label))))));
}

// Mouse and touch actions, which are not registered as keys.
const hands = [
  ['Drag on the picture', 'scrubs from the current frame; more finely further up or down: a half, a quarter, a tenth'],
  ['Drag on the timeline', 'goes to the position under the pointer; Esc goes back to the start of the drag'],
  ['Point at the timeline', 'shows the frame there'],
  ['Wheel, or two fingers', 'zooms around the pointer; when zoomed in, drag moves the picture and Shift+drag scrubs'],
];

/** @param {import('./app.js').Context} context */
export function help({ dock, keys }) {
  const groups = element('div', { class: 'help-groups' });
  const letters = element('input', { type: 'checkbox', onchange: () => keys.setLetters(letters.checked) });
  const dialog = element('dialog', { class: 'help', 'aria-labelledby': 'help-title', 'data-part': 'help' },
    element('div', { class: 'help-head' }, element('h2', { id: 'help-title' }, 'Keys'),
      element('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', icon: 'close', onclick: () => dialog.close() })),
    groups, labelled('Use single letters and punctuation as shortcuts', letters),
    words('Turn this off if speech input or another program types letters here by accident. Arrow keys, Page keys, Home, End and Space keep working.'));
  // A click outside the dialog's box is a click on the dialog itself.
  dialog.addEventListener('click', (event) => {
    const box = dialog.getBoundingClientRect();
    const outside = event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
    if (event.target === dialog && outside) dialog.close();
  });
  // Escape closes only the dialog.
  dialog.addEventListener('keydown', (event) => { if (event.key === 'Escape') event.stopPropagation(); });
  document.body.append(dialog);

  /** Opens it with the current keys; the browser restores the focus when it closes. */
  function open() {
    if (dialog.open) return;
    letters.checked = keys.letters;
    groups.replaceChildren(...table(keys), element('section', { class: 'help-group help-hands' }, element('h3', {}, 'Mouse and touch'),
      element('dl', {}, ...hands.map(([what, does]) => element('div', { class: 'help-line' }, element('dt', {}, what), element('dd', {}, does))))));
    dialog.showModal();
  }
  dock.add({ icon: 'help', label: 'Keys', key: '?', id: 'help', group: 'More', place: 'tools', run: open });
  return { open };
}
