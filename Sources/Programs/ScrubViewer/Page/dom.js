/** Small helpers for elements. Text is always set as text, because file names can contain anything. */

/** The page's icons, drawn on a grid of 20: only path data. */
const icons = {
  close: 'M5 5l10 10M15 5L5 15',
  play: 'M6.5 4v12l9.5-6z',
  pause: 'M7 4.5v11M13 4.5v11',
  previous: 'M12.5 5l-5 5 5 5',
  next: 'M7.5 5l5 5-5 5',
  first: 'M14.5 5l-5 5 5 5M5.5 5v10',
  last: 'M5.5 5l5 5-5 5M14.5 5v10',
  key: 'M10 4l4.5 6-4.5 6-4.5-6z',
  previousKey: 'M13.5 5L8 10l5.5 5M5 7.5L3.2 10 5 12.5 6.8 10z',
  nextKey: 'M6.5 5L12 10l-5.5 5M15 7.5L13.2 10 15 12.5 16.8 10z',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  panel: 'M3.5 4.5h13v11h-13zM12 4.5v11',
  fit: 'M4 7.5V4h3.5M12.5 4H16v3.5M16 12.5V16h-3.5M7.5 16H4v-3.5',
  full: 'M12 8l4-4M12.5 4H16v3.5M8 12l-4 4M4 12.5V16h3.5',
  theme: 'M10 3.5a6.5 6.5 0 1 0 0 13zM10 3.5a6.5 6.5 0 0 1 0 13',
  film: 'M3.5 5h13v10h-13zM3.5 8.3h3M3.5 11.6h3M13.5 8.3h3M13.5 11.6h3M6.5 5v10M13.5 5v10',
  go: 'M7.5 4L6 16M14 4l-1.5 12M4.5 8h12M3.5 12h12',
  save: 'M10 4v8M6.5 8.8L10 12.3l3.5-3.5M4 16h12',
  link: 'M8.5 11.5l3-3M9 6.5l1.8-1.8a3.2 3.2 0 0 1 4.5 4.5L13.5 11M11 13.5l-1.8 1.8a3.2 3.2 0 0 1-4.5-4.5L6.5 9',
  mark: 'M6 3.5h8v13l-4-3.5-4 3.5z',
  compare: 'M3.5 5h13v10h-13zM10 5v10',
  stories: 'M6.5 3.5h7v13h-7zM3.5 6v8M16.5 6v8',
  help: 'M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.01',
  log: 'M4 6h12M4 10h12M4 14h8',
  warning: 'M10 4l7 12H3zM10 8.5v3.5M10 14v.01',
};

/** An icon that is hidden from screen readers; its button has the words. @param {string} name */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name] ?? '');
  svg.append(path);
  return svg;
}

/**
 * Makes an element.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes] `onclick` and its like are listeners, `icon` is a sign inside, booleans are
 *   there or not
 * @param {...(Node|string)} children strings become text
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'icon') made.append(icon(value));
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** Sets text only if it differs, to avoid needless layout. @param {Node} node @param {string} text */
export function setText(node, text) { if (node.textContent !== text) node.textContent = text; }

/** Changes a button's icon. @param {HTMLElement} button @param {string} name */
export function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.querySelector('.icon')?.replaceWith(icon(name));
}
