import { element, setText } from './dom.js';

/** The line above each pane's picture: letter, name, number. Made here so that number and picture change in one task. */
export function chip(model, pane) {
  const number = element('span', { class: 'chip-number', 'data-part': 'number', 'data-pane': pane.id });
  const rest = element('span', { class: 'chip-rest' });
  const letter = element('b', {});
  const name = element('span', { class: 'chip-name' }, pane.medium.name);
  const said = element('span', { class: 'chip-note' });
  const line = element('p', { class: 'chip' }, letter, name, number, said, rest);
  const show = (state, note) => {
    const { shown } = state;
    setText(letter, model.letter(pane.id));
    setText(number, shown ? `f${shown.frame}` : '');
    const time = shown ? pane.medium.times.secondsText(shown.frame) : '';
    const stage = !shown ? '' : shown.stage === 'exact' ? shown.verdict : 'nearest';
    setText(said, note);
    said.classList.toggle('difference-numbers', model.view === 'difference');
    setText(rest, [time, stage].filter(Boolean).join(' · '));
  };
  return { line, show };
}
