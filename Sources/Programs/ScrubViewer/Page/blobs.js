/** Compressed pictures in memory, at most 32 MiB; the least recently used is evicted first. */

export class Blobs {
  #kept = new Map();
  #bytes = 0;

  constructor(limit = 32 << 20) { this.limit = limit; }

  /** @param {string} key @returns {import('./api.js').FrameAnswer|undefined} */
  get(key) {
    const answer = this.#kept.get(key);
    if (answer) { this.#kept.delete(key); this.#kept.set(key, answer); }
    return answer;
  }

  /** @param {string} key @param {import('./api.js').FrameAnswer} answer */
  set(key, answer) {
    if (answer.blob.size > this.limit / 4) return;
    this.#bytes += answer.blob.size - (this.#kept.get(key)?.blob.size ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    for (const [old, gone] of this.#kept) {
      if (this.#bytes <= this.limit) break;
      this.#kept.delete(old);
      this.#bytes -= gone.blob.size;
    }
  }

  get bytes() { return this.#bytes; }
}
