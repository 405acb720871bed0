/** The buttons round the timeline: what features add goes to the left, the view's own to the right. */

import { element } from './dom.js';

/** @param {{context: any, theme: any, actions: HTMLElement, more: HTMLElement, tools: HTMLElement, mediaButton: HTMLElement}} place */
export function createDock({ context, theme, actions, more, tools, mediaButton }) {
  const { panel, keys } = context;
  const button = ({ icon, label, run, key, id, text }) => element('button', {
    type: 'button', id, icon, title: key ? `${label} (${key})` : label, 'aria-label': text ? null : label, onclick: run,
    'aria-keyshortcuts': key ?? null,
  }, ...(text ? [element('span', {}, text)] : []));

  const full = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  };
  const zoom = button({ icon: 'fit', label: 'Zoom', text: 'Fit', id: 'zoom' });
  zoom.classList.add('worded');
  more.append(zoom);
  tools.append(
    button({ icon: 'theme', label: 'Light, dark, or as the system', run: () => theme.cycle(), id: 'theme' }),
    button({ icon: 'full', label: 'Full screen', run: full, key: 'F', id: 'full' }),
    button({ icon: 'panel', label: 'Panel', run: () => (panel.current === null ? panel.open('media') : panel.close()), id: 'panel-button' }),
  );
  mediaButton.addEventListener('click', () => panel.toggle('media'));
  keys.add({ keys: ['F'], label: 'Full screen', group: 'View', run: full });

  return {
    zoom,
    /**
     * Adds a button below the picture, and its key with it.
     *
     * @param {{icon: string, label: string, run(event: Event): void, key?: string, id?: string, group?: string,
     *   place?: 'actions'|'more'|'tools', up?: (event: Event) => void}} what
     * @returns {HTMLButtonElement}
     */
    add(what) {
      const made = button(what);
      ({ actions, more, tools })[what.place ?? 'actions'].append(made);
      if (what.key) keys.add({ keys: [what.key], label: what.label, group: what.group ?? 'View', run: what.run, up: what.up });
      return made;
    },
  };
}
