/** The media list: facts about each, with a small picture that is requested only when nothing else is. */

import { element, icon, setText } from './dom.js';
import { clock } from './times.js';
import { words } from './words.js';

/** @param {{panes: import('./panes.js').Panes, store: any, api: any, panel: any, choose(id: string): void}} place */
export function createMediaList({ panes, store, api, panel, choose }) {
  const list = element('ul', { class: 'media-list' });
  const count = element('p', { class: 'hint' });
  panel.add('media', element('div', {}, count, list), { label: 'Media' });
  /** @type {Map<string, {item: HTMLElement, button: HTMLElement, facts: HTMLElement, picture: HTMLImageElement}>} */
  const rows = new Map();
  const wanted = [];
  let busy = false;

  const factsOf = (one) => {
    if (one.state === 'failed') return words.sentence(one.error ? words.reason(one.error, one.name) : 'cannot be read');
    if (one.state === 'loading') return 'being read…';
    const seconds = clock(Math.round((one.duration ?? 0) * 1000), 1000, 0);
    return `${seconds} · ${one.frameCount} frames\n${one.width}×${one.height} · ${one.codec ?? ''}`;
  };

  const add = (one) => {
    const empty = one.state === 'failed' ? icon('warning') : '';
    const picture = element('img', { alt: '', width: 96, height: 54, decoding: 'async', hidden: true });
    const name = element('span', { class: 'media-name' }, one.name);
    const facts = element('span', { class: 'media-facts' });
    const button = element('button', { type: 'button', class: 'media-item', onclick: () => choose(one.id) },
      element('span', { class: 'media-picture' }, empty, picture), element('span', { class: 'media-text' }, name, facts));
    const item = element('li', { 'data-medium': one.id }, button);
    rows.set(one.id, { item, button, facts, picture });
    list.append(item);
    observer.observe(item);
    return rows.get(one.id);
  };

  /** One small picture at a time, and none while a frame is in transit. */
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      wanted.push(target.dataset.medium);
      observer.unobserve(target);
    }
    next();
  });
  const next = async () => {
    if (busy || panel.current !== 'media') return;
    const id = wanted.shift();
    if (id === undefined) return;
    const one = store.state.media.find((other) => other.id === id);
    const row = rows.get(id);
    if (!one || !row || one.state !== 'ready') { if (row && one?.state === 'loading') setTimeout(() => observer.observe(row.item), 600); next(); return; }
    busy = true;
    await panes.idle();
    const done = () => { busy = false; next(); };
    row.picture.addEventListener('load', () => { row.picture.hidden = false; done(); }, { once: true });
    row.picture.addEventListener('error', done, { once: true });
    row.picture.src = api.frameURL(id, Math.floor(one.frameCount / 3), { width: 320, format: 'jpeg', version: one.fingerprint });
  };

  const show = () => {
    const { media } = store.state;
    setText(count, media.length === 1 ? '1 medium' : `${media.length} media`);
    const open = new Set(store.state.panes.map((pane) => pane.mediumId));
    for (const one of media) {
      const row = rows.get(one.id) ?? add(one);
      setText(row.facts, factsOf(one));
      row.button.disabled = one.state !== 'ready';
      row.item.dataset.state = one.state;
      if (open.has(one.id)) row.button.setAttribute('aria-current', 'true'); else row.button.removeAttribute('aria-current');
    }
    for (const [id, row] of rows) if (!media.some((one) => one.id === id)) { row.item.remove(); rows.delete(id); }
  };
  let shown = '';
  store.on('media', show);
  store.on('panes', (all) => {
    const open = all.map((pane) => pane.mediumId).join(' ');
    if (open !== shown) { shown = open; show(); }
  });
  show();
  return { show };
}
