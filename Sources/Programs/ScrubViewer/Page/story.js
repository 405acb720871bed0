// What a story shows and how it reacts to taps, like the library's StoryNavigator. Pure: the clock's readings are
// inputs.

/** How long a part is shown. */
export const partLength = 5000;

/** More segments than this could not be told apart. */
const most = 30;

/**
 * The parts of a story. Several films: each from its beginning, the first thirty; one: its marks, or six places spread evenly.
 * @param {{id: string, frameCount: number}[]} films @param {number[]} marks frames of the one film, in order
 * @returns {{film: number, frame: number, last: number}[]} last: the last frame that belongs to the part
 */
export function parts(films, marks) {
  if (films.length !== 1) return films.slice(0, most).map((film, index) => ({ film: index, frame: 0, last: film.frameCount - 1 }));
  const [film] = films, count = Math.min(6, film.frameCount);
  const starts = marks.length ? marks.slice(0, most) : Array.from({ length: count }, (_, index) => Math.floor(index * film.frameCount / count));
  return starts.map((frame, index) => ({ film: 0, frame, last: (starts[index + 1] ?? film.frameCount) - 1 }));
}

/** Where a story is, how long its part was shown, and who stopped it. */
export class Story {
  /** @param {number} count of parts @param {boolean} still true when nothing may advance by itself */
  constructor(count, still) {
    this.count = count;
    this.still = still;
    this.index = 0;
    this.elapsed = 0;
    this.paused = false;
    this.held = false;
    this.over = false;
  }

  /** Whether the clock counts now. */
  get runs() {
    return !this.still && !this.paused && !this.held && !this.over;
  }

  /** How full the present part's segment is, 0 to 1. Without a clock the present part is full. */
  get fraction() {
    return this.still ? 1 : Math.min(this.elapsed / partLength, 1);
  }

  /** Time went by. @param {number} milliseconds @returns {boolean} whether another part begins, or the story is over */
  pass(milliseconds) {
    if (!this.runs) return false;
    this.elapsed += milliseconds;
    if (this.elapsed < partLength) return false;
    this.forward();
    return true;
  }

  /** A tap: the left third goes back, the rest on. @param {number} x @param {number} width @param {boolean} rightToLeft */
  tap(x, width, rightToLeft = false) {
    if (!(width > 0)) return;
    const from = rightToLeft ? width - x : x;
    if (from * 3 < width) this.back();
    else this.forward();
  }

  /** The next part; after the last one the story is over. */
  forward() {
    if (this.index + 1 < this.count) this.go(this.index + 1);
    else this.over = true;
  }

  /** The part before; the first begins again. */
  back() {
    this.go(Math.max(this.index - 1, 0));
  }

  /** @param {number} index */
  go(index) {
    this.index = Math.min(Math.max(index, 0), this.count - 1);
    this.elapsed = 0;
    this.over = false;
  }
}
