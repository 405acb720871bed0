/**
 * The large picture on a canvas. A picture is drawn into a canvas that stays; its size and its content change in one task, so
 * nothing ever flashes. Zoom and pan are shared by all stages through one View.
 */

const gridFrom = 8;

/** Zoom and pan, in the picture's own terms, so that panes of different sizes agree. */
export class View extends EventTarget {
  /** Device pixels for a picture's pixel in percent; `null` fits the picture into its pane. @type {number|null} */
  percent = null;
  /** The part of the picture that is in the middle, 0...1 each way. */
  x = 0.5;
  y = 0.5;

  /** @param {{percent?: number|null, x?: number, y?: number}} patch */
  set(patch) {
    const inside = (value) => Math.min(Math.max(value, 0), 1);
    const next = { percent: this.percent, x: this.x, y: this.y, ...patch };
    if (next.percent === null) next.x = next.y = 0.5;
    else next.percent = Math.min(Math.max(next.percent, 10), 3200);
    next.x = inside(next.x);
    next.y = inside(next.y);
    if (next.percent === this.percent && next.x === this.x && next.y === this.y) return;
    Object.assign(this, next);
    this.dispatchEvent(new Event('change'));
  }
}

export class Stage extends EventTarget {
  /** @type {ImageBitmap|null} */
  #bitmap = null;
  /** @type {OffscreenCanvas|null} */
  #small = null;
  #owned = false;
  #quick = false;
  #overlay = null;
  #measured = false;
  dimmed = false;
  /** The picture's size as shown, in its own pixels. */
  size = { width: 16, height: 9 };

  /** @param {HTMLCanvasElement} canvas @param {View} [view] shared with other stages */
  constructor(canvas, view = new View()) {
    super();
    this.canvas = canvas;
    this.view = view;
    this.context = canvas.getContext('2d', { alpha: false });
    this.surround = '#161616';
    this.observer = new ResizeObserver((entries) => this.#resize(entries.at(-1)));
    try { this.observer.observe(canvas, { box: 'device-pixel-content-box' }); } catch { this.observer.observe(canvas); }
    this.listener = () => { this.redraw(); this.dispatchEvent(new Event('change')); };
    view.addEventListener('change', this.listener);
  }

  /** Whether there is a picture. */
  get isEmpty() { return this.#bitmap === null; }
  /** The picture that is shown. */
  get bitmap() { return this.#bitmap; }
  /** Device pixels for a CSS pixel. */
  get ratio() { return this.canvas.clientWidth > 0 ? this.canvas.width / this.canvas.clientWidth : devicePixelRatio; }
  /** Device pixels for a picture's pixel when it fits. */
  get fitScale() { return Math.min(this.canvas.width / this.size.width, this.canvas.height / this.size.height); }
  /** Device pixels for a picture's pixel now. */
  get scale() { return this.view.percent === null ? this.fitScale : this.view.percent / 100; }
  /** The canvas as large as it lies on the page, before the browser has told it: what is asked for depends on it. */
  measure() {
    if (this.#measured) return;
    const { width, height } = this.canvas.getBoundingClientRect();
    this.#fit(Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio));
  }

  /** Where the picture lies, in device pixels. */
  get box() {
    const [width, height] = [this.size.width * this.scale, this.size.height * this.scale];
    const place = (room, length, part) => (length <= room ? Math.round((room - length) / 2)
      : Math.round(Math.min(Math.max(room / 2 - length * part, room - length), 0)));
    return { x: place(this.canvas.width, width, this.view.x), y: place(this.canvas.height, height, this.view.y), width, height };
  }

  /**
   * Shows a picture in the next pixels drawn, and closes the one before.
   *
   * @param {ImageBitmap} bitmap belongs to the stage from now on, unless `borrowed`
   * @param {{dimmed?: boolean, crop?: {x: number, y: number, width: number, height: number}, borrowed?: boolean,
   *   quick?: boolean}} [options] `quick` for one picture of many in a drag
   */
  draw(bitmap, { dimmed = this.dimmed, crop = null, borrowed = false, quick = false } = {}) {
    const old = this.#owned && this.#bitmap !== bitmap ? this.#bitmap : null;
    // The owner of a strip's sheet may close it, so copy the displayed part, which is cheap at its size.
    this.#bitmap = borrowed && crop ? this.#copy(bitmap, crop) : bitmap;
    this.#owned = !borrowed;
    this.#quick = quick;
    this.dimmed = dimmed;
    this.redraw();
    old?.close();
  }

  #copy(bitmap, { x, y, width, height }) {
    this.#small ??= new OffscreenCanvas(width, height);
    if (this.#small.width !== width || this.#small.height !== height) Object.assign(this.#small, { width, height });
    this.#small.getContext('2d', { alpha: false }).drawImage(bitmap, x, y, width, height, 0, 0, width, height);
    return this.#small;
  }

  /** Draws something over the picture, in the picture's own pixels; nothing with `null`. */
  overlay(paint) { this.#overlay = paint; this.redraw(); }

  /** @param {boolean} on */
  dim(on) { if (this.dimmed !== on) { this.dimmed = on; this.redraw(); } }

  redraw() {
    const { context, canvas } = this;
    context.fillStyle = this.surround;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!this.#bitmap) return;
    const { x, y, width, height } = this.box;
    // Show pixels as squares when zoomed in to pixels; a small picture that replaces a large one is smooth.
    const isWhole = this.#bitmap.width >= this.size.width;
    context.imageSmoothingEnabled = !(this.view.percent !== null && this.scale > 1 && isWhole);
    context.imageSmoothingQuality = this.#quick ? 'low' : 'high';
    context.drawImage(this.#bitmap, x, y, width, height);
    this.#overlay?.(context, this.box, this.scale);
    if (this.scale >= gridFrom && isWhole) this.#grid(x, y);
    if (this.dimmed) {
      context.globalAlpha = 0.55;
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    }
  }

  /** One line between pixels: dark and light over each other, so that it is seen on any picture. */
  #grid(x0, y0) {
    const { context, canvas, scale } = this;
    context.globalAlpha = Math.min((scale - gridFrom) / 16 + 0.25, 0.5);
    context.fillStyle = '#808080';
    for (let i = Math.max(0, Math.floor(-x0 / scale)); i <= this.size.width; i += 1) {
      const x = Math.round(x0 + i * scale);
      if (x > canvas.width) break;
      context.fillRect(x, Math.max(y0, 0), 1, Math.min(this.size.height * scale, canvas.height));
    }
    for (let i = Math.max(0, Math.floor(-y0 / scale)); i <= this.size.height; i += 1) {
      const y = Math.round(y0 + i * scale);
      if (y > canvas.height) break;
      context.fillRect(Math.max(x0, 0), y, Math.min(this.size.width * scale, canvas.width), 1);
    }
    context.globalAlpha = 1;
    context.fillStyle = this.surround;
  }

  /** The whole picture in its pane. */
  fit() { this.view.set({ percent: null }); }

  /** One device pixel for a pixel. */
  oneToOne() { this.view.set({ percent: 100, x: 0.5, y: 0.5 }); }

  /** Zooms round a place of the canvas, in CSS pixels; round the middle without one. */
  zoomAt(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const old = this.scale;
    const lowest = Math.min(this.fitScale, 0.25);
    const scale = Math.min(Math.max(old * factor, lowest), 32);
    if (factor < 1 && scale <= this.fitScale * 1.001) { this.fit(); return; }
    const before = this.toImage(x, y);
    const { width, height } = this.size;
    const { ratio, canvas } = this;
    this.view.set({
      percent: scale * 100,
      x: (before.x - (x * ratio - canvas.width / 2) / scale) / width,
      y: (before.y - (y * ratio - canvas.height / 2) / scale) / height,
    });
  }

  /** Moves the picture by CSS pixels. */
  pan(dx, dy) {
    if (this.view.percent === null) return;
    const { ratio, scale, box, canvas, size } = this;
    // From the picture's actual position, not from where a pan beyond its edge would have put it.
    const middle = { x: (canvas.width / 2 - box.x) / box.width, y: (canvas.height / 2 - box.y) / box.height };
    this.view.set({ x: middle.x - (dx * ratio) / (size.width * scale), y: middle.y - (dy * ratio) / (size.height * scale) });
  }

  /** The place of the picture under a place of the canvas; both from the upper left corner. */
  toImage(x, y) {
    const { ratio, box, scale } = this;
    return { x: (x * ratio - box.x) / scale, y: (y * ratio - box.y) / scale };
  }

  close() {
    this.observer.disconnect();
    this.view.removeEventListener('change', this.listener);
    if (this.#owned) this.#bitmap?.close();
    this.#bitmap = null;
  }

  #resize(entry) {
    const device = entry.devicePixelContentBoxSize?.[0];
    const width = device ? device.inlineSize : Math.round(entry.contentRect.width * devicePixelRatio);
    const height = device ? device.blockSize : Math.round(entry.contentRect.height * devicePixelRatio);
    this.#measured ||= width > 0 && height > 0;
    if (this.#fit(width, height)) this.dispatchEvent(new Event('change'));
  }

  /** @returns {boolean} whether it is another size */
  #fit(width, height) {
    if (!(width > 0 && height > 0) || (width === this.canvas.width && height === this.canvas.height)) return false;
    // Setting a size clears the canvas: redraw it in the same task, so that it is never visibly empty.
    this.canvas.width = width;
    this.canvas.height = height;
    this.redraw();
    return true;
  }
}
