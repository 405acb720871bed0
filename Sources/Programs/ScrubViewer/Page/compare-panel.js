// The comparison panel: films, lock, offsets and view.

import { button, choice, labelled, words } from './elements.js';
import { element, setText } from './dom.js';
import { gains } from './difference.js';
import { secondsText } from './timecode.js';
import { told } from './words.js';

/**
 * @param {import('./app.js').Context} context @param {import('./comparison.js').Comparison} model
 * @returns {(text: string) => void} says something in the panel
 */
export function comparePanel({ panel, panes, store }, model) {
  const rows = element('ul', { class: 'compare-rows' });
  const select = element('select', { 'aria-label': 'Film to add', 'data-part': 'compare-film' });
  const add = button('Add', () => { model.add(select.value).catch((error) => say(`It was not added. ${told(error)}`)); }, { 'data-part': 'compare-add' });
  const adder = element('div', { class: 'feature-row compare-add' }, select, add);
  const status = words('', { role: 'status' });
  const say = (text) => setText(status, text);

  const lock = choice('Locked by', 'lock', [['frame', 'Frame'], ['time', 'Time']], store.state.lock, (value) => model.lock(value));
  const align = button('Align here', () => { model.align(); say('The films are aligned at these frames.'); }, { 'data-part': 'align' });
  const unalign = button('From the start', () => { model.unalign(); say('The films are aligned at their first frames.'); });
  const view = choice('View', 'compare-view', [['side', 'Side by side'], ['wipe', 'Wipe'], ['difference', 'Difference']], model.view, (value) => model.see(value));
  const swap = button('Swap A and B', () => model.swap());

  const set = (patch) => {
    Object.assign(model.difference.view, patch);
    model.refresh();
  };
  const gain = choice('Gain', 'gain', gains.map((value) => [String(value), `×${value}`]), String(model.difference.view.gain), (value) => set({ gain: Number(value) }));
  const kind = choice('Show', 'difference-view', [['colour', 'Colours'], ['luma', 'Luma'], ['mask', 'Mask']], model.difference.view.view, (value) => {
    set({ view: value });
    show();
  });
  const threshold = element('input', {
    type: 'range', min: '0', max: '64', value: '0', 'data-part': 'threshold',
    oninput: () => { setText(thresholdText, `Threshold ${threshold.value}`); set({ threshold: Number(threshold.value) }); },
  });
  const thresholdText = element('span', {}, 'Threshold 0');
  const thresholdLabel = element('label', { class: 'feature-field' }, thresholdText, threshold);
  const scale = element('input', { type: 'checkbox', 'data-part': 'scale', onchange: () => { model.difference.scale = scale.checked; model.refresh(); } });
  const scaleLabel = labelled('Scale B to A', scale);
  const numbers = element('p', { class: 'compare-numbers', 'data-part': 'difference' });
  const options = element('div', { class: 'compare-difference' }, kind, gain, thresholdLabel, scaleLabel, numbers);
  const both = element('div', { class: 'compare-both' }, lock, element('div', { class: 'feature-row' }, align, unalign), view, options, element('div', { class: 'feature-row' }, swap));
  const intro = words('Add a second film, or the same film again, to compare the same moment.');
  panel.add('compare', element('div', { class: 'compare' }, rows, adder, intro, both, status), { label: 'Compare', opened: () => show() });

  let made = '', listed = '';
  const lines = new Map();

  function row(pane) {
    const number = element('span', { class: 'compare-number' });
    const apart = element('span', { class: 'compare-apart', 'data-part': 'offset', 'data-pane': pane.id });
    const lead = element('input', { type: 'radio', name: 'leader', onchange: () => panes.activate(pane.id) });
    const letter = model.letter(pane.id), name = pane.medium.name;
    const line = element('li', { 'data-pane': pane.id },
      element('div', { class: 'compare-head' }, element('label', { class: 'compare-lead', title: 'Leader: the others follow it' }, lead, element('b', {}, letter), element('span', { class: 'compare-name' }, name)),
        element('button', {
          type: 'button', class: 'quiet', icon: 'close', 'aria-label': `Remove ${letter}: ${name}`, title: 'Remove', hidden: panes.list.length < 2,
          onclick: () => {
            model.remove(pane.id);
            rows.querySelector('input')?.focus();
          },
        })),
      element('div', { class: 'compare-foot' }, number,
        element('button', { type: 'button', class: 'quiet', icon: 'previous', 'aria-label': `Move only ${letter} back one frame`, title: 'Move only this one back one frame', 'data-part': 'nudge-back', onclick: () => model.nudge(pane.id, -1) }),
        apart,
        element('button', { type: 'button', class: 'quiet', icon: 'next', 'aria-label': `Move only ${letter} forward one frame`, title: 'Move only this one forward one frame', 'data-part': 'nudge-on', onclick: () => model.nudge(pane.id, 1) })));
    lines.set(pane.id, { number, apart, lead });
    return line;
  }

  // Rows are rebuilt only when the films change, so that focus and pressed buttons stay.
  function show() {
    const { state } = store;
    const several = model.order.length > 1;
    const key = JSON.stringify(model.order.map((id) => [id, panes.get(id)?.mediumId]));
    if (key !== made) {
      made = key;
      lines.clear();
      rows.replaceChildren(...model.order.map((id) => row(panes.get(id))));
    }
    const media = state.media.filter((one) => one.state === 'ready');
    const names = JSON.stringify(media.map((one) => [one.id, one.name]));
    if (names + key !== listed) {
      listed = names + key;
      select.replaceChildren(...media.map((one) => element('option', { value: one.id }, one.name)));
      // Suggest the first one that is not shown yet.
      select.value = media.find((one) => !state.panes.some((pane) => pane.mediumId === one.id))?.id ?? media[0]?.id ?? '';
    }
    adder.hidden = model.order.length >= 4 || media.length === 0;
    intro.hidden = several;
    both.hidden = !several;
    for (const [id, { number, apart, lead }] of lines) {
      const pane = store.pane(id);
      if (!pane) continue;
      lead.checked = id === panes.active?.id;
      lead.closest('li').classList.toggle('leads', several && lead.checked);
      setText(number, pane.shown ? `f${pane.shown.frame}${pane.beyond ? `, ${pane.beyond}` : ''}` : '');
      setText(apart, apartText(model.offset(id)));
    }
    lock.choose(state.lock);
    view.choose(model.view);
    gain.choose(String(model.difference.view.gain));
    options.hidden = model.view !== 'difference';
    gain.hidden = model.difference.view.view === 'mask';
    thresholdLabel.hidden = model.difference.view.view !== 'mask';
    const sides = several && model.view === 'difference' ? model.sides('shown') : null;
    const result = sides && model.difference.of(...sides);
    scaleLabel.hidden = !(result?.sizes && result.sizes.a.join() !== result.sizes.b.join());
    setText(numbers, options.hidden ? '' : model.isEmptyHere
      ? 'One film has no frame here, so there is nothing to subtract.' : model.difference.words(result));
  }

  function apartText(offset) {
    const signed = (text) => text.startsWith('-') ? `−${text.slice(1)}` : `+${text}`;
    if (store.state.lock === 'frame') return offset.frames === 0 ? '0 frames' : `${signed(String(offset.frames))} ${Math.abs(offset.frames) === 1 ? 'frame' : 'frames'}`;
    const text = secondsText(offset.time).replace(/(\.\d{3})\d+$/, '$1');
    return text === '0' ? '0 s' : `${signed(text)} s`;
  }

  for (const key of ['panes', 'media', 'compare', 'activePane', 'lock']) store.on(key, () => { if (panel.current === 'compare') show(); });
  return say;
}
