/** What is known about each medium: facts, times and strip, requested once. */

import { Strip } from './strip.js';
import { Times } from './times.js';

/**
 * @typedef {{id: string, name: string, frameCount: number, width: number, height: number, version: string,
 *   facts: any, keyframes: number[], times: Times, strip: Strip}} Medium
 */

export class Library {
  /** @type {Map<string, Promise<Medium>>} */
  #opening = new Map();
  /** @type {Map<string, Medium>} */
  #open = new Map();
  #timer = 0;

  /** @param {ReturnType<import('./api.js').createApi>} api @param {ReturnType<import('./store.js').createStore>} store */
  constructor(api, store) {
    this.api = api;
    this.store = store;
  }

  /** The list, requested again while some of its media are still being read. */
  async refresh() {
    clearTimeout(this.#timer);
    const media = await this.api.media();
    this.store.set({ media });
    if (media.some((one) => one.state === 'loading')) {
      this.#timer = setTimeout(() => this.refresh().catch(() => {}), 500);
    }
    return media;
  }

  /** A medium that has been opened. @param {string} id @returns {Medium|undefined} */
  get(id) { return this.#open.get(id); }

  /** A medium's entry in the list. @param {string} id */
  entry(id) { return this.store.state.media.find((one) => one.id === id); }

  /** Opens a medium: its facts and times. @param {string} id @returns {Promise<Medium>} */
  open(id) {
    if (!this.#opening.has(id)) {
      const opening = this.#read(id);
      opening.catch(() => this.#opening.delete(id));
      this.#opening.set(id, opening);
    }
    return this.#opening.get(id);
  }

  async #read(id) {
    const [facts, table] = await Promise.all([this.api.medium(id), this.api.times(id)]);
    const times = new Times(table);
    const entry = this.entry(id) ?? {};
    const medium = {
      id, facts, times,
      name: entry.name ?? facts.name ?? id,
      frameCount: times.count,
      width: entry.width ?? facts.width,
      height: entry.height ?? facts.height,
      version: facts.fingerprint ?? entry.fingerprint ?? '',
      keyframes: facts.keyframes ?? [],
      strip: new Strip(this.api, id),
    };
    this.#open.set(id, medium);
    return medium;
  }
}
