/** The side panel: a column from 1280 px, a sheet from below on smaller screens. One part of it is open at a time. */

import { element } from './dom.js';
import { kept } from './store.js';

export class Panel {
  #parts = new Map();
  /** @type {Element|null} */
  #opener = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.tabs = element('div', { class: 'panel-tabs', role: 'tablist', 'aria-label': 'Panels' });
    this.body = element('div', { class: 'panel-body' });
    const close = element('button', { class: 'quiet', type: 'button', 'aria-label': 'Close the panel', icon: 'close', onclick: () => this.close() });
    root.append(element('div', { class: 'panel-head' }, this.tabs, close), this.body);
    root.addEventListener('keydown', (event) => { if (event.key === 'Escape') { this.close(); event.stopPropagation(); } });
    this.tabs.addEventListener('keydown', (event) => this.#arrow(event));
    this.current = null;
  }

  /**
   * Adds a part.
   *
   * @param {string} name how it is called in code
   * @param {HTMLElement} content
   * @param {{label?: string, opened?(): void, closed?(): void}} [options] `label` is what people read
   */
  add(name, content, { label = name, opened, closed } = {}) {
    const tab = element('button', {
      class: 'tab', type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, 'aria-selected': 'false',
      tabindex: '-1', onclick: () => this.open(name),
    }, label);
    const part = element('section', { id: `panel-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`, hidden: true }, content);
    this.tabs.append(tab);
    this.body.append(part);
    this.#parts.set(name, { tab, part, opened, closed });
  }

  /** Opens a part, and says so to it. @param {string} name @param {{focus?: boolean}} [options] */
  open(name, { focus = false } = {}) {
    const next = this.#parts.get(name);
    if (!next) return;
    if (this.current === null) this.#opener = document.activeElement;
    if (this.current !== name) this.#leave();
    const first = this.current !== name;
    this.current = name;
    for (const [other, { tab, part }] of this.#parts) {
      tab.setAttribute('aria-selected', String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      part.hidden = other !== name;
    }
    this.root.hidden = false;
    kept.set('panel', 'open');
    document.documentElement.dataset.panel = 'open';
    if (first) next.opened?.();
    if (focus) next.tab.focus();
  }

  /** Closes it; the focus goes back to where it was. */
  close() {
    if (this.current === null) return;
    const inside = this.root.contains(document.activeElement);
    this.#leave();
    this.current = null;
    this.root.hidden = true;
    kept.set('panel', 'closed');
    delete document.documentElement.dataset.panel;
    if (inside && this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
  }

  /** Opens a part, or closes it when it is open. @param {string} name */
  toggle(name) { if (this.current === name) this.close(); else this.open(name); }

  #leave() { if (this.current !== null) this.#parts.get(this.current)?.closed?.(); }

  #arrow(event) {
    const names = [...this.#parts.keys()];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || this.current === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(names.at((names.indexOf(this.current) + step + names.length) % names.length), { focus: true });
  }
}
