/** The pixel under the pointer, and its source: values are exact only from a full-size PNG. */

import { element, setText } from './dom.js';

/** @param {{root: HTMLElement, stageRoot: HTMLElement, panes: import('./panes.js').Panes, store: any}} place */
export function createInspector({ root, stageRoot, panes, store }) {
  const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
  const place = element('span', { class: 'inspect-place' });
  const values = element('span', { class: 'inspect-values' });
  const source = element('span', { class: 'inspect-source' });
  root.append(swatch, place, values, source);
  const probe = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  let point = null;

  const show = () => {
    const pane = panes.get(point?.pane ?? '');
    const isOn = pane && pane.stage.view.percent !== null && pane.stage.scale >= 1 && pane.stage.bitmap;
    root.hidden = !isOn;
    if (!isOn) return;
    const box = pane.canvas.getBoundingClientRect();
    const at = pane.stage.toImage(point.x - box.left, point.y - box.top);
    const [x, y] = [Math.floor(at.x), Math.floor(at.y)];
    const { width, height } = pane.stage.size;
    if (x < 0 || y < 0 || x >= width || y >= height) { root.hidden = true; return; }
    const { bitmap } = pane.stage;
    const shown = store.pane(pane.id)?.shown;
    const isTrue = shown?.format === 'png' && bitmap.width === width;
    probe.drawImage(bitmap, Math.floor((x * bitmap.width) / width), Math.floor((y * bitmap.height) / height), 1, 1, 0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    setText(place, `x ${x}  y ${y}`);
    setText(values, `${r} ${g} ${b}`);
    setText(source, isTrue ? 'PNG, full size' : 'approximate: waiting for the full picture');
    swatch.style.backgroundColor = `rgb(${r} ${g} ${b})`;
  };
  stageRoot.addEventListener('pointermove', (event) => {
    const id = event.target.closest?.('[data-pane]')?.dataset.pane;
    point = id ? { pane: id, x: event.clientX, y: event.clientY } : null;
    show();
  });
  stageRoot.addEventListener('pointerleave', () => { point = null; show(); });
  store.on('zoom', show);
  store.on('panes', show);
}
