// The parts of the features' forms, on top of dom.js.

import { element } from './dom.js';

/** A button with words. @param {string} label @param {() => void} run @param {Record<string, any>} [attributes] */
export const button = (label, run, attributes = {}) => element('button', { type: 'button', onclick: run, ...attributes }, label);

/** Faint words. @param {string} words @param {Record<string, any>} [attributes] */
export const words = (words, attributes = {}) => element('p', { ...attributes, class: `feature-words ${attributes.class ?? ''}`.trim() }, words);

/** A label around a control. @param {string} text @param {HTMLElement} control */
export function labelled(text, control) {
  const box = control.matches('input[type=checkbox]');
  const label = element('span', {}, text);
  return element('label', { class: box ? 'feature-check' : 'feature-field' }, ...(box ? [control, label] : [label, control]));
}

/**
 * A group with one selected option: radio buttons, so that arrow keys and screen readers support it.
 * @param {string} legend @param {string} name @param {[string, string][]} options values and labels
 * @param {string} chosen @param {(value: string) => void} changed
 * @returns {HTMLFieldSetElement & {choose(value: string): void}}
 */
export function choice(legend, name, options, chosen, changed) {
  const radios = options.map(([value]) => element('input', { type: 'radio', name, value, onchange: () => changed(value) }));
  const group = element('fieldset', { class: 'feature-choice' }, element('legend', {}, legend),
    ...options.map(([, label], index) => element('label', {}, radios[index], element('span', {}, label))));
  group.choose = (value) => { for (const radio of radios) radio.checked = radio.value === value; };
  group.choose(chosen);
  return group;
}

/** Downloads a blob as a file. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = element('a', { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the address after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A film's name as the start of a file name. @param {string} name */
export function stem(name) {
  return name.replace(/\.[A-Za-z0-9]{1,5}$/, '').replace(/[\u0000-\u001f\u007f/\\:*?"<>|]+/g, '_').replace(/^\.+/, '').slice(0, 120) || 'film';
}

/** Whether reduced motion is requested. */
export const stillness = () => matchMedia('(prefers-reduced-motion: reduce)');
