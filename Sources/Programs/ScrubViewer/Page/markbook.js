// The films' marks, each under its fingerprint: a changed file is another film with its own marks. Stored by the
// browser if possible; otherwise only while the page is open, and the book says so.

/**
 * @typedef {{frame: number, note: string, verdict?: string}} Mark
 * @typedef {{marks: Mark[], first: number|null, last: number|null}} Page  first and last are in and out, both included
 */

const prefix = 'scrub.marks.';
const mostMarks = 10_000, longestNote = 2000;

export class Markbook {
  /** @param {Storage|null} storage */
  constructor(storage) {
    this.storage = storage;
    /** Whether marks are kept after the page is closed. */
    this.kept = storage !== null;
    this.pages = new Map();
  }

  /** A film's marks. @param {string} fingerprint @param {number} frameCount @returns {Page} */
  page(fingerprint, frameCount) {
    if (!this.pages.has(fingerprint)) this.pages.set(fingerprint, this.#read(fingerprint, frameCount));
    return this.pages.get(fingerprint);
  }

  /** Another tab has changed the marks: use its version. @param {string|null} key of the storage event, null for all */
  forget(key) {
    if (key === null) this.pages.clear();
    else if (key.startsWith(prefix)) this.pages.delete(key.slice(prefix.length));
  }

  /** Puts a mark, or changes the one on that frame. @returns {boolean} whether there was room */
  put(fingerprint, frameCount, mark) {
    const page = this.page(fingerprint, frameCount);
    const others = page.marks.filter((other) => other.frame !== mark.frame);
    if (others.length >= mostMarks) return false;
    const one = { frame: mark.frame, note: String(mark.note ?? '').slice(0, longestNote), verdict: mark.verdict };
    this.#write(fingerprint, { ...page, marks: [...others, one].sort((a, b) => a.frame - b.frame) });
    return true;
  }

  /** Removes the mark on a frame. */
  remove(fingerprint, frameCount, frame) {
    const page = this.page(fingerprint, frameCount);
    this.#write(fingerprint, { ...page, marks: page.marks.filter((mark) => mark.frame !== frame) });
  }

  /** Sets in and out; a point that would pass the other one removes it. @param {{first?: number|null, last?: number|null}} range */
  range(fingerprint, frameCount, range) {
    const page = { ...this.page(fingerprint, frameCount), ...range };
    if (page.first != null && page.last != null && page.first > page.last) {
      if (range.first != null) page.last = null;
      else page.first = null;
    }
    this.#write(fingerprint, page);
  }

  /** Adds marks from a file, which replace those on the same frames. @param {Page} read */
  merge(fingerprint, frameCount, read) {
    const page = this.page(fingerprint, frameCount), all = new Map(page.marks.map((mark) => [mark.frame, mark]));
    for (const mark of read.marks) all.set(mark.frame, mark);
    this.#write(fingerprint, {
      marks: [...all.values()].sort((a, b) => a.frame - b.frame).slice(0, mostMarks),
      first: read.first ?? page.first, last: read.last ?? page.last,
    });
  }

  /** The next mark on one side of a frame, or null. @param {1|-1} way */
  neighbour(fingerprint, frameCount, frame, way) {
    const { marks } = this.page(fingerprint, frameCount);
    return (way > 0 ? marks.find((mark) => mark.frame > frame) : marks.findLast((mark) => mark.frame < frame)) ?? null;
  }

  #write(fingerprint, page) {
    this.pages.set(fingerprint, page);
    if (!this.storage) return;
    try {
      if (page.marks.length === 0 && page.first == null && page.last == null) this.storage.removeItem(prefix + fingerprint);
      else this.storage.setItem(prefix + fingerprint, JSON.stringify({ version: 1, ...page }));
      this.kept = true;
    } catch {
      this.kept = false;
    }
  }

  // Anything may have written there: ignore what is not a mark of this film.
  #read(fingerprint, frameCount) {
    const frame = (value) => Number.isSafeInteger(value) && value >= 0 && value < frameCount ? value : null;
    let read = null;
    try {
      read = JSON.parse(this.storage?.getItem(prefix + fingerprint) ?? 'null');
    } catch { /* no marks then */ }
    const list = Array.isArray(read?.marks) ? read.marks.slice(0, mostMarks) : [];
    const marks = new Map();
    for (const mark of list) {
      if (frame(mark?.frame) === null) continue;
      marks.set(mark.frame, {
        frame: mark.frame, note: String(mark.note ?? '').slice(0, longestNote),
        verdict: typeof mark.verdict === 'string' ? mark.verdict : undefined,
      });
    }
    return { marks: [...marks.values()].sort((a, b) => a.frame - b.frame), first: frame(read?.first), last: frame(read?.last) };
  }
}

/** The browser's storage, or null if it refuses access. @returns {Storage|null} */
export function browserStorage() {
  try {
    const storage = globalThis.localStorage;
    storage.setItem('scrub.probe', '1');
    storage.removeItem('scrub.probe');
    return storage;
  } catch {
    return null;
  }
}
