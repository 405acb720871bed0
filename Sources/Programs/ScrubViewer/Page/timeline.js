/** The timeline: filmstrip, key pictures, cost, playhead, slider. A press seeks at once; the place is absolute. */

import { element } from './dom.js';
import { Preview } from './preview.js';
import { paintHeat, paintScale, paintStrip, paintTicks } from './scale.js';
import { words } from './words.js';

export class Timeline {
  #layers = [];
  #paint = 0;
  #drag = null;
  #lastSpoken = '';
  #speakTimer = 0;
  #again = () => this.redraw();
  /** What a seek costs, for each medium that has led. @type {WeakMap<object, number[]>} */
  #heats = new WeakMap();
  #shown = null;

  /** @param {HTMLElement} root @param {import('./panes.js').Panes} panes @param {any} store @param {any} api */
  constructor(root, panes, store, api) {
    Object.assign(this, { root, panes, store, api });
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.head = element('div', { class: 'playhead', hidden: true, 'aria-hidden': 'true' });
    this.slider = element('input', { type: 'range', class: 'slider', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Frame', 'aria-orientation': 'horizontal' });
    root.append(this.canvas, this.head, this.slider);
    this.context = this.canvas.getContext('2d');
    this.preview = new Preview(root, this);
    new ResizeObserver(() => this.redraw()).observe(root);
    root.addEventListener('pointerdown', (event) => this.#down(event));
    root.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) root.addEventListener(end, () => this.#end());
    // A screen reader moves the slider itself; keys come to us through keys.js and are not the slider's.
    this.slider.addEventListener('input', () => panes.seek(Number(this.slider.value), 'rest'));
    store.on('panes', () => this.#follow());
    store.on('activePane', () => this.show());
  }

  get medium() { return this.panes.active?.medium ?? null; }
  /** How many pictures a seek into each column decodes at most; `null` while that is not known. */
  get heat() { return this.#heats.get(this.medium) ?? null; }
  get width() { return this.root.clientWidth; }
  /** Whether a drag on it is under way. */
  get isDragging() { return this.#drag !== null; }

  /** The frame on screen at a place of the page. @param {number} clientX */
  frameAt(clientX) {
    const box = this.root.getBoundingClientRect();
    return this.medium ? this.medium.times.frameAtFraction(clientX - box.left, box.width) : 0;
  }

  /** How many pictures a seek to this place decodes at most; `null` while that is not known. @param {number} frame */
  costAt(frame) {
    const { heat, medium } = this;
    if (!heat?.length || !medium) return null;
    return heat[Math.min(Math.floor(medium.times.fraction(frame) * heat.length), heat.length - 1)];
  }

  /** Where a frame begins, in CSS pixels from the left. @param {number} frame */
  x(frame) { return this.medium ? this.medium.times.fraction(frame) * this.width : 0; }

  /** Something that draws over the strip, as marks do. @param {(context: CanvasRenderingContext2D, timeline: Timeline) => void} layer */
  addLayer(layer) { this.#layers.push(layer); this.redraw(); }

  /** Another medium leads: its strip, ticks and cost. */
  async show() {
    const { medium } = this;
    if (!medium || this.#shown === medium) { this.redraw(); return; }
    this.#shown?.strip.removeEventListener('change', this.#again);
    this.#shown = medium;
    this.slider.max = String(medium.times.last);
    medium.strip.addEventListener('change', this.#again);
    medium.strip.start();
    this.redraw();
    this.#follow();
    if (!this.#heats.has(medium)) await this.#cost(medium);
  }

  async #cost(medium) {
    const columns = Math.min(Math.max(Math.round(this.width), 100), 2000);
    const heat = await this.api.heat(medium.id, columns).catch(() => null);
    if (!heat) return;
    this.#heats.set(medium, heat.columns);
    this.redraw();
  }

  /** Draws in the next animation frame. */
  redraw() { this.#paint ||= requestAnimationFrame(() => { this.#paint = 0; this.#draw(); }); }

  #draw() {
    const [width, height, ratio] = [this.width, this.root.clientHeight, devicePixelRatio];
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const { context, medium } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.root);
    const size = (name) => Number.parseFloat(style.getPropertyValue(name)) || 0;
    this.rows = { strip: size('--strip'), ticks: size('--ticks'), heat: size('--heat'), labels: size('--labels') };
    const colour = (name) => style.getPropertyValue(name).trim();
    const place = { context, width, rows: this.rows, colour, timeline: this, medium };
    paintStrip(place, () => this.redraw());
    if (!medium) return;
    paintTicks(place);
    paintHeat(place, this.heat);
    paintScale(place);
    for (const layer of this.#layers) layer(context, this);
    this.#follow();
  }

  /** Playhead and slider follow the wish at once; what is said follows the picture, at rest. */
  #follow() {
    const { medium, panes } = this;
    if (!medium) return;
    const state = this.store.pane(panes.active.id);
    if (!state?.want) return;
    this.head.hidden = false;
    this.head.style.transform = `translateX(${this.x(state.want.frame)}px)`;
    this.slider.value = String(state.want.frame);
    const text = words.sliderText(state, medium);
    if (text === this.#lastSpoken || !panes.active.lane.isFinal) return;
    clearTimeout(this.#speakTimer);
    this.#speakTimer = setTimeout(() => {
      this.#lastSpoken = text;
      this.slider.setAttribute('aria-valuetext', text);
    }, this.#lastSpoken === '' ? 0 : 150);
  }

  #down(event) {
    if (event.button !== 0 || !event.isPrimary || !this.medium) return;
    event.preventDefault();
    this.slider.focus({ preventScroll: true, focusVisible: false });
    this.store.set({ playing: 0 });
    this.#drag = { id: event.pointerId, start: this.panes.wanted, next: null };
    this.root.classList.add('dragging');
    this.#go(event.clientX);
    this.root.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (this.#drag?.id === event.pointerId) {
      const latest = event.getCoalescedEvents?.().at(-1) ?? event;
      this.#drag.x = latest.clientX;
      // Once per animation frame: changes between two of them would not be visible.
      this.#drag.next ??= requestAnimationFrame(() => { if (this.#drag) { this.#drag.next = null; this.#go(this.#drag.x); } });
      this.preview.at(latest.clientX, event.pointerType);
    } else if (event.pointerType === 'mouse' || event.pointerType === 'pen') {
      this.preview.at(event.clientX, event.pointerType);
    }
  }

  #go(clientX) { this.panes.seek(this.frameAt(clientX), 'move'); }

  #end() {
    const drag = this.#drag;
    if (!drag) return;
    if (drag.next !== null) { cancelAnimationFrame(drag.next); this.#go(drag.x); }
    this.#drag = null;
    this.root.classList.remove('dragging');
    this.panes.release();
  }

  /** Escape while dragging: back to where it began. @returns {boolean} whether there was a drag */
  cancel() {
    const drag = this.#drag;
    if (!drag) return false;
    if (drag.next !== null) cancelAnimationFrame(drag.next);
    this.#drag = null;
    this.root.classList.remove('dragging');
    if (this.root.hasPointerCapture(drag.id)) this.root.releasePointerCapture(drag.id);
    this.preview.hide();
    this.panes.seek(drag.start, 'rest');
    return true;
  }
}
