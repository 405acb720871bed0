// Two to four films side by side, locked by frame or by time. The last touched pane leads; each has its own offset.

import { alignHere, aligned, commonTime, follow, nudged } from './align.js';
import { Over } from './compare-over.js';
import { Difference } from './difference.js';
import { Together } from './together.js';

const letters = 'ABCD';

/** The comparison as the panel, the link and the tests see it; also in the store as `compare`. */
export class Comparison {
  /** Panes' names in the order A, B, C, D. @type {string[]} */
  order = [];
  view = 'side';
  /** Where the wipe's line is, 0...1 of the picture. */
  wipe = 0.5;
  #offsets = new Map();

  /** @param {import('./app.js').Context} context */
  constructor({ store, api, library, panes }) {
    Object.assign(this, { store, library, panes });
    this.difference = new Difference(api);
    this.over = new Over(this);
    panes.follow = (pane, leader, frame) => this.#follow(pane, leader, frame);
    const pixels = panes.wantsPixels;
    panes.wantsPixels = () => pixels.call(panes) || (this.view !== 'side' && this.pair !== null);
    this.together = new Together(panes, store, () => this.#before());
    store.on('panes', () => this.#sync());
    this.#sync();
  }

  /** The two panes that are compared in one picture; null if there is only one film. */
  get pair() {
    const [a, b] = this.order.map((id) => this.panes.get(id));
    return a && b ? [a, b] : null;
  }

  letter(id) { return letters[this.order.indexOf(id)] ?? ''; }
  offset(id) { return this.#offsets.get(id) ?? aligned(); }

  /** Opens a film in its own pane. @param {string} mediumId @param {import('./align.js').Offset} [offset] */
  async add(mediumId, offset = aligned()) {
    if (this.panes.list.length >= 4) return;
    const medium = await this.library.open(mediumId);
    if (this.panes.list.length >= 4) return;
    const pane = this.panes.add(medium);
    this.#offsets.set(pane.id, offset);
    this.again();
  }

  /** Restores a link: the film that is already shown leads and keeps its place among the others. */
  async restore({ media, lock, view, offsets }) {
    this.store.set({ lock });
    const leader = this.panes.active;
    const place = Math.max(media.indexOf(leader.mediumId), 0);
    this.#offsets.set(leader.id, offsets[place]);
    const order = [];
    for (const [index, id] of media.entries()) {
      if (index === place) {
        order.push(leader.id);
        continue;
      }
      const medium = await this.library.open(id).catch(() => null);
      if (!medium) continue;
      const pane = this.panes.add(medium);
      this.#offsets.set(pane.id, offsets[index]);
      order.push(pane.id);
    }
    this.#arrange(order);
    this.see(view);
    this.again();
  }

  /** @param {string} id */
  remove(id) {
    this.panes.remove(id);
    this.#offsets.delete(id);
    if (this.panes.list.length < 2) this.see('side');
    this.again();
  }

  /** @param {'frame'|'time'} lock */
  lock(lock) {
    this.store.set({ lock });
    this.again();
  }

  /** Aligns the films at the frames that are shown now. */
  align() {
    const panes = this.order.map((id) => this.panes.get(id));
    const offsets = alignHere(panes.map((pane) => ({ frame: pane.lane.want?.frame ?? 0, clock: clock(pane) })));
    panes.forEach((pane, index) => this.#offsets.set(pane.id, offsets[index]));
    this.again();
  }

  /** Aligns the films at their first frames again. */
  unalign() {
    this.#offsets.clear();
    this.again();
  }

  /** Moves one pane forward or back by one frame; the others stay. @param {string} id @param {1|-1} by */
  nudge(id, by) {
    const pane = this.panes.get(id), leader = this.panes.active;
    if (!pane || !leader) return;
    const { lock } = this.store.state;
    const frame = pane.lane.want?.frame ?? 0, place = this.panes.wanted;
    const common = commonTime(clock(leader), place, this.offset(leader.id));
    const moved = nudged(lock, this.offset(id), frame, by, clock(pane), common);
    if (moved === this.offset(id)) return;
    this.#offsets.set(id, moved);
    this.panes.seek(pane === leader ? frame + by : place);
    this.tell();
  }

  /** A and B change places. */
  swap() {
    if (!this.pair) return;
    const [a, b, ...others] = this.order;
    this.#arrange([b, a, ...others]);
  }

  #arrange(order) {
    this.order = order;
    this.panes.root.append(...order.map((id) => this.panes.get(id).element));
    this.tell();
  }

  /** @param {'side'|'wipe'|'difference'} view */
  see(view) {
    const next = this.pair ? view : 'side';
    if (next === this.view) return;
    this.view = next;
    // Full-size pictures are large: release those that are not on screen.
    if (next !== 'difference') this.difference.close();
    this.tell();
    // Request full-size pictures when pixels are compared.
    for (const pane of this.panes.list) pane.lane.refresh();
    this.refresh();
  }

  /** The difference for the current settings, once both frames are at rest. */
  refresh() {
    const sides = this.view === 'difference' ? this.sides('shown') : null;
    if (sides && !this.difference.has(...sides)) this.difference.make(...sides).then(() => this.tell());
    this.tell();
  }

  /** Whether one of the two has no picture for this moment and will not get one. */
  get isEmptyHere() {
    return this.pair?.some(({ id }) => {
      const state = this.store.pane(id);
      return Boolean(state?.beyond) || Boolean(state?.failure && !state.failure.network);
    }) ?? false;
  }

  /**
   * The two matching moments, or null if one of them is missing: not exact yet, failed, or past its film's end.
   * @param {'want'|'shown'} which
   */
  sides(which) {
    if (!this.pair || this.isEmptyHere) return null;
    const sides = this.pair.map((pane) => {
      const at = which === 'want' ? pane.lane.want : this.store.pane(pane.id)?.shown;
      if (!at) return null;
      if (which === 'shown' && (at.stage !== 'exact' || pane.lane.want?.frame !== at.frame)) return null;
      return { mediumId: pane.mediumId, frame: at.frame, version: pane.medium.version };
    });
    return sides.every(Boolean) ? sides : null;
  }

  /** Moves all panes to the leader's position, with the current settings. */
  again() {
    if (this.panes.active?.lane.want) this.panes.seek(this.panes.wanted);
    this.tell();
  }

  /** Announces a change. */
  tell() {
    this.panes.root.dataset.view = this.view;
    this.order.forEach((id, index) => this.panes.get(id)?.element.classList.toggle('front', index === 0));
    this.store.set({
      mode: this.store.state.mode === 'stories' ? 'stories' : this.order.length > 1 ? 'compare' : 'view',
      compare: {
        view: this.view, order: this.order, media: this.order.map((id) => this.panes.get(id)?.mediumId), lock: this.store.state.lock,
        offsets: this.order.map((id) => this.offset(id)),
      },
    });
    this.over.show();
  }

  #follow(pane, leader, frame) {
    const place = follow(this.store.state.lock, frame, clock(leader), this.offset(leader.id), clock(pane), this.offset(pane.id));
    const last = pane.medium.times.last;
    return [place.frame, place.beyond === 'past' ? `ends at f${last}` : place.beyond === 'before' ? 'starts later, at f0' : ''];
  }

  #before() {
    const sides = this.view === 'difference' ? this.sides('want') : null;
    return sides && !this.difference.has(...sides) ? this.difference.make(...sides) : null;
  }

  // Panes also change elsewhere, for example when another film is chosen.
  #sync() {
    const ids = this.panes.list.map((pane) => pane.id);
    const order = [...this.order.filter((id) => ids.includes(id)), ...ids.filter((id) => !this.order.includes(id))];
    const same = order.length === this.order.length && order.every((id, index) => id === this.order[index]);
    if (!same) {
      this.order = order;
      if (order.length < 2) this.view = 'side';
      this.tell();
    } else {
      this.over.show();
    }
  }
}

function clock({ medium: { times } }) {
  return {
    count: times.count, timeOf: (frame) => times.timeOf(frame), end: { n: BigInt(times.duration), d: BigInt(times.timescale) },
    frameAtTime: ({ n, d }) => times.frameAt(n, d),
  };
}
