// Marks with notes, in and out: the panel, the keys, and the drawing over the timeline. Each mark is for the frame on
// screen, never for one that is still awaited.

import { element } from './dom.js';
import { button, words } from './elements.js';
import { browserStorage, Markbook } from './markbook.js';
import { exportForm } from './marks-export.js';
import { parsed, rangeText } from './exports.js';
import { paintMarks } from './marks-layer.js';
import { current } from './current.js';

/** @param {import('./app.js').Context} context */
export function marks(context) {
  const { dock, keys, panel, store, timeline } = context;
  const book = new Markbook(browserStorage());
  const now = current(context);
  const list = element('ol', { class: 'marks-list', 'data-part': 'marks' });
  const empty = words('No marks yet. M marks the current frame, N marks it with a note.');
  const range = element('p', { class: 'marks-range', 'data-part': 'range' });
  const status = words('', { role: 'status', 'data-part': 'marks-status' });

  /** The film with its marks, as exports need it. */
  const film = () => {
    const film = now.film();
    return film && { ...film, ...book.page(film.fingerprint, film.frameCount) };
  };
  const say = (words) => { status.textContent = words; };

  function put(note = null) {
    const film = now.film(), shown = now.shown();
    if (!film || !shown) return null;
    const known = book.page(film.fingerprint, film.frameCount).marks.find((mark) => mark.frame === shown.frame);
    const mark = { frame: shown.frame, note: note ?? known?.note ?? '', verdict: shown.verdict };
    if (!book.put(film.fingerprint, film.frameCount, mark)) {
      say('There are already ten thousand marks, which is the limit.');
      return null;
    }
    say(known ? `f${shown.frame} is already marked.` : `f${shown.frame} is marked.`);
    changed();
    return shown.frame;
  }

  function point(which) {
    const film = now.film(), shown = now.shown();
    if (!film || !shown) return;
    book.range(film.fingerprint, film.frameCount, { [which]: shown.frame });
    say(which === 'first' ? `In is f${shown.frame}.` : `Out is f${shown.frame}, the last frame of the selection.`);
    changed();
  }

  function step(way) {
    const film = now.film(), shown = now.shown();
    const next = film && shown && book.neighbour(film.fingerprint, film.frameCount, shown.frame, way);
    if (next) now.go(next.frame);
    else if (film) say(way > 0 ? 'There is no mark after this frame.' : 'There is no mark before this frame.');
  }

  function remove(frame, row) {
    const film = now.film();
    if (!film) return;
    // Move the focus to the neighbour; otherwise it would be lost with the row.
    const next = row.nextElementSibling ?? row.previousElementSibling;
    const key = next?.dataset.frame;
    book.remove(film.fingerprint, film.frameCount, frame);
    say(`The mark on f${frame} was removed.`);
    changed();
    const target = key === undefined ? markButton : list.querySelector(`[data-frame="${key}"] .marks-go`);
    target?.focus();
  }

  function row(film, mark, shown) {
    const name = `f${mark.frame}`;
    const note = element('input', {
      type: 'text', value: mark.note, placeholder: 'Note', 'aria-label': `Note for the mark on ${name}`, maxlength: '2000',
      class: 'marks-note', autocomplete: 'off',
      onchange: () => {
        book.put(film.fingerprint, film.frameCount, { ...mark, note: note.value });
        changed(false);
      },
      onkeydown: (event) => {
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        event.stopPropagation();
        if (event.key === 'Escape') note.value = mark.note;
        go.focus();
      },
    });
    const go = element('button', { type: 'button', class: 'marks-go', onclick: () => now.go(mark.frame) },
      element('span', { class: 'marks-frame' }, name), element('span', { class: 'marks-time' }, now.clock(mark.frame)));
    if (mark.frame === shown) go.setAttribute('aria-current', 'true');
    const line = element('li', { 'data-frame': mark.frame }, go, element('button', {
      type: 'button', class: 'quiet marks-remove', 'aria-label': `Remove the mark on ${name}`, title: 'Remove', icon: 'close',
      onclick: () => remove(mark.frame, line),
    }), note);
    return line;
  }

  let drawn = '';
  function show() {
    const here = film();
    const shown = now.shown()?.frame;
    // Rows are rebuilt only when the marks change, so that a note that is being edited stays.
    const key = here ? JSON.stringify([here.fingerprint, here.marks.map((mark) => [mark.frame, mark.note])]) : '';
    if (key !== drawn) {
      drawn = key;
      list.replaceChildren(...(here?.marks ?? []).map((mark) => row(here, mark, shown)));
    } else {
      for (const line of list.children) {
        const go = line.querySelector('.marks-go');
        if (Number(line.dataset.frame) === shown) go.setAttribute('aria-current', 'true');
        else go.removeAttribute('aria-current');
      }
    }
    empty.hidden = !here || here.marks.length > 0;
    const whole = here && (here.first != null || here.last != null) ? rangeText(here) : null;
    range.replaceChildren();
    if (whole) {
      const end = here.last ?? here.frameCount - 1;
      range.append(
        element('span', {}, `f${here.first ?? 0} to f${end}: ${whole.frames} ${whole.frames === 1 ? 'frame' : 'frames'}, ${whole.seconds.replace(/(\.\d{3})\d+$/, '$1')} s`),
        button('Clear', () => {
          book.range(here.fingerprint, here.frameCount, { first: null, last: null });
          say('In and out were cleared.');
          changed();
          inButton.focus();
        }, { class: 'quiet', 'aria-label': 'Clear in and out' }));
    }
    range.hidden = !whole;
    form.show(here);
  }

  function changed(all = true) {
    const here = film();
    if (!book.kept && here) say('This browser does not store data for this page: the marks are lost when it is closed. Download them as JSON.');
    store.set({ marks: here?.marks ?? [], range: { first: here?.first ?? null, last: here?.last ?? null } });
    timeline.redraw();
    if (all) show();
    else drawn = here ? JSON.stringify([here.fingerprint, here.marks.map((mark) => [mark.frame, mark.note])]) : '';
  }

  const markButton = button('Mark', () => put(), { title: 'Mark this frame (M)', 'data-part': 'mark' });
  const inButton = button('In', () => point('first'), { title: 'The selection starts here (I)', 'aria-label': 'In: the selection starts with this frame' });
  const outButton = button('Out', () => point('last'), { title: 'The selection ends with this frame (O)', 'aria-label': 'Out: the selection ends with this frame' });
  const form = exportForm(film, say, (text) => {
    const here = film();
    if (!here) return;
    const read = parsed(text, here.frameCount);
    book.merge(here.fingerprint, here.frameCount, read);
    changed();
    say(`${read.marks.length} marks were imported.` + (read.fingerprint === here.fingerprint ? '' : ' They were made for another file: compare the frames.'));
  });
  panel.add('marks', element('div', { class: 'marks' },
    element('div', { class: 'feature-row' }, markButton, inButton, outButton), status, range, empty, list, form.element), { label: 'Marks' });

  const group = 'Marks';
  dock.add({ icon: 'mark', label: 'Mark this frame', key: 'M', id: 'mark', group, run: () => put() });
  keys.add({
    keys: ['N'], label: 'Mark it with a note', group, run: () => {
      const frame = put();
      if (frame === null) return;
      panel.open('marks');
      list.querySelector(`[data-frame="${frame}"] .marks-note`)?.focus();
    },
  });
  keys.add({ keys: ['['], label: 'Previous mark (in other programs: in)', group, run: () => step(-1) });
  keys.add({ keys: [']'], label: 'Next mark (in other programs: out)', group, run: () => step(1) });
  keys.add({ keys: ['I'], label: 'In: the selection starts here', group, run: () => point('first') });
  keys.add({ keys: ['O'], label: 'Out: the selection ends with this frame', group, run: () => point('last') });

  addEventListener('storage', (event) => {
    book.forget(event.key);
    changed();
  });
  timeline.addLayer((drawn, line) => paintMarks(drawn, line, store.state));
  now.watch((what) => what === 'film' ? changed() : show());
  changed();
}
