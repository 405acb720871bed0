/**
 * All keys of the page. The help shows the keys that are registered here.
 *
 * A key has the browser's name: `ArrowLeft`, `Shift+ArrowLeft`, `D`, `<`, `Space`. Letters are the same with and
 * without Shift unless it is written; punctuation never needs it.
 *
 * @typedef {{keys: string[], label: string, group: string, run(event: KeyboardEvent): void, up?(event: KeyboardEvent): void,
 *   when?(): boolean, hidden?: boolean}} Shortcut  `run` also receives repeats; `up` makes it a key that is held.
 */

import { kept } from './store.js';

const isLetter = (key) => /^\p{L}$/u.test(key);

/** The name of the pressed key. @param {KeyboardEvent} event */
export function nameOf(event) {
  const key = event.key === ' ' ? 'Space' : isLetter(event.key) ? event.key.toUpperCase() : event.key;
  return event.shiftKey && (key.length > 1 || isLetter(event.key)) ? `Shift+${key}` : key;
}

/** Whether letters typed there are text. @param {EventTarget|null} target */
export function isEditable(target) {
  if (!(target instanceof Element)) return false;
  if (target.closest('[contenteditable=""], [contenteditable="true"], textarea, select')) return true;
  return target instanceof HTMLInputElement && !['range', 'checkbox', 'radio', 'button'].includes(target.type);
}

export class Keys {
  /** @type {Shortcut[]} */
  shortcuts = [];
  #held = new Map();
  #down = new Set();

  constructor(target = window) {
    this.letters = kept.get('letters') !== 'off';
    target.addEventListener('keydown', (event) => this.#press(event));
    target.addEventListener('keyup', (event) => this.#release(event));
    target.addEventListener('blur', () => this.#releaseAll());
  }

  /** Registers a key. @param {Shortcut} shortcut @returns {() => void} removes it again */
  add(shortcut) {
    this.shortcuts.push({ group: 'More', ...shortcut });
    return () => { this.shortcuts = this.shortcuts.filter((other) => other.run !== shortcut.run); };
  }

  /** Turns single-character keys on or off, for accessibility. @param {boolean} on */
  setLetters(on) {
    this.letters = on;
    kept.set('letters', on ? 'on' : 'off');
  }

  /** Whether a key is down now. @param {string} name */
  isDown(name) { return this.#down.has(name); }

  /** The table for the help: groups in the order of their first key. @returns {Map<string, Shortcut[]>} */
  table() {
    const groups = new Map();
    for (const shortcut of this.shortcuts) {
      if (shortcut.hidden) continue;
      if (!groups.has(shortcut.group)) groups.set(shortcut.group, []);
      groups.get(shortcut.group).push(shortcut);
    }
    return groups;
  }

  #find(name) {
    if (!this.letters && name.replace('Shift+', '').length === 1) return undefined;
    const fits = (wanted) => this.shortcuts.findLast((one) => one.keys.includes(wanted) && (one.when?.() ?? true));
    return fits(name) ?? (/^Shift\+\p{L}$/u.test(name) ? fits(name.slice(6)) : undefined);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    // If no element had the focus before a dialog, a part of the closed dialog keeps it until the page is drawn. Keys
    // pressed before that belong to the page.
    const target = event.target instanceof Element && event.target.checkVisibility() ? event.target : null;
    if (isEditable(target) && event.key !== 'Escape') return;
    // Enter and Space belong to the button that has the focus.
    if (['Enter', ' '].includes(event.key) && target?.closest('button, a, summary, input:not([type=range]), label')) return;
    // An open dialog receives all keys, including Escape.
    if (document.querySelector('dialog[open]:modal')) return;
    const shortcut = this.#find(nameOf(event));
    if (!shortcut) return;
    event.preventDefault();
    this.#down.add(nameOf(event).replace('Shift+', ''));
    if (shortcut.up) {
      if (event.repeat || this.#held.has(event.code)) return;
      this.#held.set(event.code, shortcut);
    }
    shortcut.run(event);
  }

  #release(event) {
    this.#down.delete(nameOf(event).replace('Shift+', ''));
    const shortcut = this.#held.get(event.code);
    if (!shortcut) return;
    this.#held.delete(event.code);
    shortcut.up(event);
  }

  #releaseAll() {
    this.#down.clear();
    for (const shortcut of this.#held.values()) shortcut.up(new KeyboardEvent('keyup'));
    this.#held.clear();
  }
}
