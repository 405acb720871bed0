/** The buttons around the timeline: the features' buttons on the left, the view's own on the right. */

import { element } from './dom.js';

/** @param {{context: any, theme: any, actions: HTMLElement, more: HTMLElement, tools: HTMLElement, mediaButton: HTMLElement}} place */
export function createDock({ context, theme, actions, more, tools, mediaButton }) {
  const { panel, keys } = context;
  // Buttons that need a film are shown but disabled without one.
  const needing = new Set();
  const enable = () => { for (const one of needing) one.disabled = context.panes.list.length === 0; };
  context.store.on('panes', enable);
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
  // On a phone the features' buttons are in a second row, shown on request.
  const others = button({ icon: 'more', label: 'More actions', id: 'others', run: () => showOthers(actions.dataset.open === undefined) });
  others.setAttribute('aria-expanded', 'false');
  others.setAttribute('aria-controls', actions.id);
  const showOthers = (on) => {
    if (on) actions.dataset.open = ''; else delete actions.dataset.open;
    others.setAttribute('aria-expanded', String(on));
  };
  others.hidden = true;
  needing.add(zoom);
  enable();
  more.append(zoom, others);
  tools.append(
    button({ icon: 'theme', label: 'Light or dark', run: () => theme.cycle(), id: 'theme' }),
    button({ icon: 'full', label: 'Full screen', run: full, key: 'F', id: 'full' }),
    button({ icon: 'panel', label: 'Panel', run: () => (panel.current === null ? panel.open('media') : panel.close()), id: 'panel-button' }),
  );
  mediaButton.addEventListener('click', () => panel.toggle('media'));
  keys.add({ keys: ['F'], label: 'Full screen', group: 'View', run: full });

  return {
    zoom,
    /**
     * Adds a button below the picture, together with its key.
     *
     * @param {{icon: string, label: string, run(event: Event): void, key?: string, id?: string, group?: string,
     *   place?: 'actions'|'more'|'tools', up?: (event: Event) => void, needsFilm?: boolean}} what
     * @returns {HTMLButtonElement}
     */
    add(what) {
      const made = button(what);
      const place = what.place ?? 'actions';
      if (what.needsFilm ?? place === 'actions') needing.add(made);
      enable();
      if (place === 'more') more.insertBefore(made, others);
      else ({ actions, tools })[place].append(made);
      if (place === 'actions') others.hidden = false;
      if (what.key) keys.add({ keys: [what.key], label: what.label, group: what.group ?? 'View', run: what.run, up: what.up });
      return made;
    },
  };
}
