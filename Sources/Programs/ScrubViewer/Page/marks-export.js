// The form below the marks: the program to export for, and what the format loses.

import { element } from './dom.js';
import { button, download, labelled, stem, words } from './elements.js';
import { counts, formats } from './exports.js';

/**
 * @param {() => import('./exports.js').Film|null} film @param {(words: string) => void} say @param {(text: string) => void} read throws
 *   a RangeError in words
 */
export function exportForm(film, say, read) {
  const select = element('select', { 'data-part': 'export-format', onchange: () => show(film()) },
    ...formats.map((format) => element('option', { value: format.id }, format.label)));
  const keeps = words('');
  const drop = element('input', { type: 'checkbox' });
  const dropLabel = labelled('Drop frame', drop);
  const file = element('input', {
    type: 'file', accept: '.json,application/json', hidden: true, 'aria-label': 'Marks to import',
    onchange: async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      try {
        if (chosen.size > 20_000_000) throw new RangeError('This file is too large to be a marks file.');
        read(await chosen.text());
      } catch (error) {
        say(`“${chosen.name}” could not be read. ${error.message}`);
      }
      file.value = '';
    },
  });

  function texts() {
    const here = film(), format = formats.find((one) => one.id === select.value);
    if (!here || !format) return null;
    const written = format.write(here, { drop: drop.checked });
    if (written.length === 0) {
      say('There is nothing to export: no marks, and no in and out points.');
      return null;
    }
    return { here, format, written };
  }

  function save() {
    const made = texts();
    if (!made) return;
    const { here, format, written } = made;
    written.forEach((text, index) => {
      const number = written.length > 1 ? `.${index + 1}` : '';
      download(`${stem(here.name)}${number}.${format.suffix}`, new Blob([text], { type: format.type }));
    });
    say(written.length > 1 ? `An EDL can contain 999 events, so ${written.length} files were written.` : `“${stem(here.name)}.${format.suffix}” was written.`);
  }

  async function copy() {
    const made = texts();
    if (!made) return;
    try {
      await navigator.clipboard.writeText(made.written.join('\n'));
      say('Copied.');
    } catch {
      say('The browser does not allow this page to copy. Download it instead.');
    }
  }

  const saveButton = button('Download', save, { 'data-part': 'export' });
  const copyButton = button('Copy', copy);
  const form = element('details', { class: 'marks-export' }, element('summary', {}, 'Export and import'),
    labelled('Format', select), keeps, dropLabel,
    element('div', { class: 'feature-row' }, saveButton, copyButton, button('Import JSON…', () => file.click())), file);

  function show(here) {
    const format = formats.find((one) => one.id === select.value);
    const edit = select.value.startsWith('edl') && here;
    const way = edit ? counts(here) : null;
    keeps.textContent = format.keeps + (way ? ` ${way.words}${/[.]$/.test(way.words) ? '' : '.'}` : '');
    dropLabel.hidden = !way?.drops;
    for (const one of [saveButton, copyButton]) one.disabled = !here;
  }

  return { element: form, show };
}
