// What can be saved: the frame as a PNG, a link to it, and a thumbnail set of the whole film.

import { element } from './dom.js';
import { button, download, labelled, stem, words } from './elements.js';
import { current } from './current.js';
import { told } from './words.js';

// Sets for other programs, by their names in `scrub thumbs --profile`.
const profiles = [
  ['web', 'A web page (WebVTT)'], ['jellyfin', 'Jellyfin'], ['plex', 'Plex'], ['roku', 'Roku'], ['hls', 'HLS'], ['dash', 'DASH'], ['contact', 'A contact sheet'],
];

/** @param {import('./app.js').Context} context */
export function save(context) {
  const { api, dock, keys, link, panel, store } = context;
  const now = current(context);
  const status = words('', { role: 'status', 'data-part': 'save-status' });
  const say = (text) => { status.textContent = text; };

  // The picture with the displayed number, at full size, in the same bytes that the command line writes.
  async function frame() {
    const film = now.film(), shown = now.shown();
    if (!film || !shown) return;
    const name = `${stem(film.name)}-f${shown.frame}.png`;
    say(`Creating f${shown.frame}…`);
    try {
      const answer = await api.frame(film.id, shown.frame, { format: 'png', version: now.medium().version });
      download(name, answer.blob);
      say(`“${name}” was saved${answer.verdict === 'exact' ? '' : `; the frame is ${answer.verdict}`}.`);
    } catch (error) {
      say(`f${shown.frame} could not be saved. ${told(error, film.name, `frame ${shown.frame}`)}`);
    }
  }

  async function copy() {
    const text = link.address();
    try {
      await navigator.clipboard.writeText(text);
      say('The link was copied.');
    } catch {
      // Without a secure context there is no clipboard: show the text so that it can be selected.
      say('The browser does not allow this page to copy. Here is the link:');
      address.hidden = false;
      address.value = text;
      panel.open('save');
      address.select();
    }
  }

  const address = element('input', { type: 'text', readonly: true, hidden: true, class: 'save-link', 'aria-label': 'Link to this frame' });
  const select = element('select', { 'data-part': 'set-profile' }, ...profiles.map(([value, label]) => element('option', { value }, label)));

  async function set() {
    const film = now.film();
    if (!film) return;
    setButton.disabled = true;
    say('Creating the set; a long film takes a while…');
    try {
      const response = await fetch(api.setURL(film.id, select.value));
      if (!response.ok) {
        const answer = await response.json().catch(() => ({}));
        throw Object.assign(new Error(answer.error ?? `The server answered with status ${response.status}.`), { hint: answer.hint });
      }
      const name = `${stem(film.name)}-${select.value}.zip`;
      download(name, await response.blob());
      say(`“${name}” was saved.`);
    } catch (error) {
      say(`The set could not be created. ${told(error, film.name)}`);
    } finally {
      setButton.disabled = false;
    }
  }
  const setButton = button('Download the set', set, { 'data-part': 'set' });

  panel.add('save', element('div', { class: 'save' },
    element('h2', {}, 'This frame'),
    element('div', { class: 'feature-row' }, button('Save as PNG', frame, { title: 'Save the frame (S)', 'data-part': 'save-frame' }),
      button('Copy link', copy, { title: 'Copy a link to it (C)', 'data-part': 'copy-link' })), address,
    element('h2', {}, 'Thumbnails of the film'), labelled('For', select), element('div', { class: 'feature-row' }, setButton), status), { label: 'Save' });

  const group = 'Save and share';
  dock.add({ icon: 'save', label: 'Save, link, thumbnails', id: 'save', run: () => panel.toggle('save') });
  keys.add({ keys: ['S'], label: 'Save this frame as PNG', group, run: () => { panel.open('save'); frame(); } });
  keys.add({ keys: ['C'], label: 'Copy a link to this frame', group, run: () => { panel.open('save'); copy(); } });
  store.on('activePane', () => say(''));
}
