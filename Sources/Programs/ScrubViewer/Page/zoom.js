/** Zoom by button and key. */

import { setText } from './dom.js';

/** @param {{panes: import('./panes.js').Panes, store: any, keys: any, button: HTMLButtonElement}} place */
export function createZoom({ panes, store, keys, button }) {
  const stage = () => panes.active?.stage;
  const toggle = () => { if (panes.view.percent === null) stage()?.oneToOne(); else panes.view.set({ percent: null }); };
  const show = () => {
    const percent = panes.view.percent;
    setText(button.querySelector('span'), percent === null ? 'Fit' : `${Math.round(percent)} %`);
    button.title = percent === null ? 'Actual pixels (Z)' : 'Fit the picture to the window (Z)';
  };
  button.addEventListener('click', toggle);
  store.on('zoom', show);
  show();
  const isZoomed = () => panes.view.percent !== null && (stage()?.scale ?? 0) > (stage()?.fitScale ?? 0);
  keys.add({ keys: ['Z'], label: 'Fit, or actual pixels', group: 'Zoom', run: toggle });
  keys.add({ keys: ['+', '='], label: 'Zoom in', group: 'Zoom', run: () => stage()?.zoomAt(Math.SQRT2) });
  keys.add({ keys: ['-', '_'], label: 'Zoom out', group: 'Zoom', run: () => stage()?.zoomAt(Math.SQRT1_2) });
  const pans = { ArrowUp: [0, 1], ArrowDown: [0, -1] };
  for (const [key, [dx, dy]] of Object.entries(pans)) {
    keys.add({ keys: [key], label: 'Pan up and down', group: 'Zoom', hidden: key === 'ArrowDown', when: () => isZoomed() && !document.activeElement?.classList.contains('slider'), run: () => stage()?.pan(dx * 60, dy * 60) });
  }
  return { toggle, isZoomed };
}
