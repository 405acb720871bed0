/** Mouse, pen and fingers on the picture: one finger scrubs, two pinch and pan; zoomed in a drag pans and Shift scrubs. */

import { setText } from './dom.js';
import { ScrubGesture } from './gesture.js';

/** @param {{root: HTMLElement, panes: import('./panes.js').Panes, store: any, keys: any, factor: HTMLElement}} place */
export function createPointer({ root, panes, store, keys, factor, tapped = () => {} }) {
  /** Fingers that are down. @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  let mode = 'none';
  let start = null;
  let gesture = null;
  let pinch = null;
  let frame = 0;
  let latest = null;

  const paneOf = (event) => panes.get(event.target.closest?.('[data-pane]')?.dataset.pane ?? '') ?? null;

  const begin = (event) => {
    if (event.button !== 0) return;
    const pane = paneOf(event);
    if (!pane) return;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (down.size === 2) { beginPinch(); return; }
    if (down.size > 2) return;
    panes.activate(pane.id);
    start = { id: event.pointerId, x: event.clientX, y: event.clientY, type: event.pointerType, pane, frame: panes.wanted, time: event.timeStamp };
    mode = 'pressed';
    root.setPointerCapture(event.pointerId);
  };

  /** The second finger ends the scrub where the last picture is, and asks for nothing. */
  const beginPinch = () => {
    if (mode === 'scrub') { stopFrame(); panes.seek(start.pane.lane.shown?.frame ?? start.frame, 'rest', start.pane); }
    setFactor('');
    mode = 'pinch';
    root.classList.remove('scrubbing');
    pinch = measure();
  };

  const measure = () => {
    const [a, b] = [...down.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) };
  };

  const move = (event) => {
    if (!down.has(event.pointerId)) return;
    const point = event.getCoalescedEvents?.().at(-1) ?? event;
    const before = down.get(event.pointerId);
    down.set(event.pointerId, { x: point.clientX, y: point.clientY });
    if (mode === 'pinch') { movePinch(); return; }
    if (event.pointerId !== start?.id) return;
    if (mode === 'pressed') decide(point, event.shiftKey);
    if (mode === 'pan') start.pane.stage.pan(point.clientX - before.x, point.clientY - before.y);
    if (mode === 'scrub') { latest = { x: point.clientX, y: point.clientY }; frame ||= requestAnimationFrame(scrub); }
  };

  const movePinch = () => {
    if (down.size < 2) return;
    const now = measure();
    const { stage, canvas } = (start?.pane ?? panes.active);
    const box = canvas.getBoundingClientRect();
    stage.zoomAt(now.distance / pinch.distance, now.x - box.left, now.y - box.top);
    stage.pan(now.x - pinch.x, now.y - pinch.y);
    pinch = now;
  };

  /** A tap becomes a drag after 6 px with a mouse, 10 with a finger, mainly sideways. */
  const decide = (point, shift) => {
    const [dx, dy] = [point.clientX - start.x, point.clientY - start.y];
    if (Math.hypot(dx, dy) < (start.type === 'touch' ? 10 : 6)) return;
    const isZoomed = start.pane.stage.view.percent !== null && start.pane.stage.scale > start.pane.stage.fitScale;
    if (isZoomed && !shift) { mode = 'pan'; root.classList.add('panning'); return; }
    if (Math.abs(dx) < Math.abs(dy)) { mode = 'none'; return; }
    mode = 'scrub';
    store.set({ playing: 0 });
    root.classList.add('scrubbing');
    gesture = new ScrubGesture(start.pane.medium.times, start.frame, start.pane.canvas.clientWidth);
  };

  const scrub = () => {
    frame = 0;
    if (mode !== 'scrub' || !latest) return;
    panes.seek(gesture.moved(latest.x - start.x, latest.y - start.y), 'move', start.pane);
    setFactor(gesture.factor);
  };

  const setFactor = (text) => { setText(factor, text); factor.hidden = text === ''; };
  const stopFrame = () => { cancelAnimationFrame(frame); frame = 0; };

  const end = (event) => {
    if (!down.delete(event.pointerId)) return;
    if (mode === 'pinch') {
      if (down.size === 0) mode = 'none';
      return;
    }
    if (event.pointerId !== start?.id) return;
    const was = mode;
    mode = 'none';
    root.classList.remove('scrubbing', 'panning');
    setFactor('');
    if (was === 'scrub') {
      if (frame) { stopFrame(); panes.seek(gesture.moved(latest.x - start.x, latest.y - start.y), 'move', start.pane); }
      panes.release();
    }
    if (was === 'pressed' && event.type === 'pointerup') tapped(start, event);
    gesture = null;
  };

  const wheel = (event) => {
    const pane = paneOf(event);
    if (!pane) return;
    event.preventDefault();
    const box = pane.canvas.getBoundingClientRect();
    const unit = event.deltaMode === 1 ? 16 : 1;
    pane.stage.zoomAt(Math.exp((-event.deltaY * unit) / (event.ctrlKey ? 100 : 400)), event.clientX - box.left, event.clientY - box.top);
  };

  root.addEventListener('pointerdown', begin);
  root.addEventListener('pointermove', move);
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) root.addEventListener(name, end);
  root.addEventListener('wheel', wheel, { passive: false });
  root.addEventListener('dragstart', (event) => event.preventDefault());

  return {
    /** Escape while dragging: back to where it began. @returns {boolean} whether there was a drag */
    cancel() {
      if (mode !== 'scrub') return false;
      stopFrame();
      mode = 'none';
      root.classList.remove('scrubbing');
      setFactor('');
      panes.seek(start.frame, 'rest', start.pane);
      return true;
    },
  };
}
