// All panes commit in one paint. Decoded exact pictures wait here until the last pane has its own. A newer request
// drops the older ones at once, so that no pane waits for a picture that is no longer needed.

export class Together {
  /** What waits: by pane, at most one. @type {Map<string, {turn: number, go: () => void}>} */
  #waiting = new Map();
  #busy = false;

  /**
   * @param {import('./panes.js').Panes} panes
   * @param {any} store
   * @param {() => Promise<void>|null} before what is done when all pictures are there and before they are shown; null for nothing
   */
  constructor(panes, store, before) {
    this.panes = panes;
    this.before = before;
    panes.gate = (pane, frame, turn) => this.#arrive(pane, turn);
    store.on('panes', () => this.#look());
  }

  #arrive(pane, turn) {
    if (this.panes.list.length < 2) return Promise.resolve();
    this.#waiting.get(pane.id)?.go();
    return new Promise((go) => {
      this.#waiting.set(pane.id, { turn, go });
      this.#look();
    });
  }

  #look() {
    const list = this.panes.list;
    for (const [id, { turn, go }] of this.#waiting) {
      if (this.panes.get(id)?.lane.want?.turn !== turn) {
        this.#waiting.delete(id);
        go();
      }
    }
    if (this.#waiting.size === 0 || this.#busy) return;
    // A pane that failed, or that already shows its frame, does not keep others waiting.
    if (!list.every((pane) => this.#waiting.has(pane.id) || pane.lane.isFinal)) return;
    const work = this.before();
    if (!work) {
      this.#release();
      return;
    }
    const turns = new Map(list.map((pane) => [pane.id, pane.lane.want?.turn]));
    this.#busy = true;
    work.catch(() => {}).finally(() => {
      this.#busy = false;
      if (this.panes.list.every((pane) => turns.get(pane.id) === pane.lane.want?.turn)) this.#release();
      else this.#look();
    });
  }

  // Their lanes continue in this task's microtasks, so that all are in the same animation frame.
  #release() {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { go } of all) go();
  }
}
