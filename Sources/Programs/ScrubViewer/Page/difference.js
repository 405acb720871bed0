// The difference of two panes' pictures: requested as full-size PNG files, subtracted by a worker, drawn over the first
// pane's picture. It is drawn only over the frames that it was made from, and never mixes two moments.

import { words } from './pixels.js';

export const gains = [1, 4, 16];

const framesKey = (a, b) => JSON.stringify([a.mediumId, a.version, a.frame, b.mediumId, b.version, b.frame]);

export class Difference {
  #worker = null;
  #waiting = new Map();
  #count = 0;
  #turn = 0;
  /** The last two results: frames, picture and numbers. The older one may still be on screen. */
  #kept = [];
  view = { view: 'colour', gain: 4, threshold: 0 };
  scale = false;

  /** @param {any} api */
  constructor(api) {
    this.api = api;
  }

  /** The result for these frames, with the current view or, until it is ready, the previous one. @param {Side|null} a @param {Side|null} b */
  of(a, b) {
    return (a && b && this.#kept.find((made) => made.frames === framesKey(a, b))) || null;
  }

  /** Whether the result is complete. @param {Side} a @param {Side} b */
  has(a, b) { return this.of(a, b)?.view === this.#viewKey(); }

  /**
   * Makes the difference; resolves when it is ready, or when something else has been requested meanwhile.
   * @typedef {{mediumId: string, frame: number, version: string}} Side
   * @param {Side} a @param {Side} b
   */
  async make(a, b) {
    if (this.has(a, b)) return;
    const view = this.#viewKey(), turn = ++this.#turn;
    let result;
    try {
      const [first, second] = await Promise.all([this.#picture(a), this.#picture(b)]);
      result = await this.#ask({ a: first, b: second, scale: this.scale, view: this.view });
    } catch (error) {
      result = { error: error.message };
    }
    if (turn !== this.#turn) {
      result.bitmap?.close();
      return;
    }
    this.#kept.unshift({ frames: framesKey(a, b), view, gain: this.view.gain, ...result });
    for (const old of this.#kept.splice(2)) old.bitmap?.close();
  }

  #viewKey() { return JSON.stringify([this.view, this.scale]); }

  /** In words: the numbers, or why there are none. */
  words(made) {
    if (!made) return 'Waiting for both frames.';
    if (made.error) return `The difference cannot be shown. ${made.error}`;
    if (made.differs) {
      const size = ([width, height]) => `${width} × ${height}`;
      return `The pictures differ in size: A is ${size(made.sizes.a)}, B ${size(made.sizes.b)}.`;
    }
    const scaled = made.sizes.a.join() !== made.sizes.b.join() ? ` B was scaled from ${made.sizes.b.join(' × ')} to ${made.sizes.a.join(' × ')} for this.` : '';
    return words(made.numbers) + scaled;
  }

  /** Releases its memory. */
  close() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { no } of this.#waiting.values()) no(new Error('It was cancelled.'));
    this.#waiting.clear();
    for (const made of this.#kept) made.bitmap?.close();
    this.#kept = [];
    this.#turn += 1;
  }

  async #picture({ mediumId, frame, version }) {
    const { blob } = await this.api.frame(mediumId, frame, { format: 'png', version });
    return { key: `${mediumId} ${version} ${frame}`, blob };
  }

  #ask(message) {
    this.#worker ??= this.#start();
    this.#count += 1;
    const id = this.#count;
    return new Promise((yes, no) => {
      this.#waiting.set(id, { yes, no });
      this.#worker.postMessage({ id, ...message });
    });
  }

  #start() {
    const worker = new Worker(new URL('./difference-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }) => {
      const waits = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      waits?.yes(data);
    });
    worker.addEventListener('error', (event) => {
      for (const { no } of this.#waiting.values()) no(new Error(event.message || 'The worker did not start.'));
      this.#waiting.clear();
    });
    return worker;
  }
}
