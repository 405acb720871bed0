/** A medium's strip: small pictures on sheets, asked for while the server still makes them. Bounded: eight decoded sheets. */

const limit = 8;

/** @typedef {{frame: number, sheet: number, x: number, y: number}} Tile */

export class Strip extends EventTarget {
  /** Tiles by frame number. @type {Tile[]} */
  tiles = [];
  state = 'making';
  #sheets = [];
  /** Decoded sheets and the frames on them, the one used last at the end. @type {Map<string, {bitmap: ImageBitmap, frames: string[]}>} */
  #decoded = new Map();
  #loading = new Map();
  #timer = 0;
  #started = false;

  constructor(api, id) {
    super();
    this.api = api;
    this.id = id;
  }

  /** Starts once; says `change` whenever there is more to draw. */
  start() {
    if (this.#started) return;
    this.#started = true;
    this.#read(0);
  }

  async #read(turn) {
    clearTimeout(this.#timer);
    try {
      const answer = await this.api.strip(this.id);
      const sheets = answer.sheets ?? [];
      // A sheet that has grown has another address: it replaces the old one when it is decoded, so that nothing goes
      // blank.
      await Promise.allSettled(sheets.slice(0, limit)
        .filter((sheet, i) => this.#sheets[i] && this.#decoded.has(this.#sheets[i].url) && !this.#decoded.has(sheet.url))
        .map((sheet) => this.#fetch(sheet.url)));
      this.#sheets = sheets;
      this.tiles = (answer.tiles ?? []).toSorted((a, b) => a.frame - b.frame);
      this.state = answer.state;
      this.progress = answer.total ? answer.done / answer.total : 1;
      this.dispatchEvent(new Event('change'));
      if (answer.state === 'making') this.#timer = setTimeout(() => this.#read(turn + 1), Math.min(250 * 1.5 ** turn, 2000));
    } catch {
      // The strip is optional: the page works without it, and the frames report what is wrong.
      if (turn < 20) this.#timer = setTimeout(() => this.#read(turn + 1), 3000);
      else { this.state = 'failed'; this.dispatchEvent(new Event('change')); }
    }
  }

  /** Width and height of the small pictures. */
  get tileSize() {
    const sheet = this.#sheets[0];
    return sheet ? { width: sheet.tileWidth, height: sheet.tileHeight } : null;
  }

  /** The small picture nearest to a frame. @param {number} frame @returns {Tile|null} */
  tileFor(frame) {
    const tiles = this.tiles;
    if (tiles.length === 0) return null;
    let [low, high] = [0, tiles.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tiles[middle].frame <= frame) low = middle; else high = middle - 1;
    }
    const after = tiles[low + 1];
    return after && Math.abs(after.frame - frame) < Math.abs(frame - tiles[low].frame) ? after : tiles[low];
  }

  /** What to draw for a tile when its sheet is decoded already: nothing is asked for. @param {Tile} tile */
  ready(tile) {
    const sheet = this.#sheets[tile.sheet];
    const decoded = sheet && this.#decoded.get(sheet.url);
    if (!decoded) return null;
    this.#decoded.delete(sheet.url);
    this.#decoded.set(sheet.url, decoded);
    // A sheet that was requested while it grew may be newer than the list and show another frame there.
    const place = Math.floor(tile.y / sheet.tileHeight) * sheet.columns + Math.floor(tile.x / sheet.tileWidth);
    if (decoded.frames[place] !== String(tile.frame)) return null;
    return { bitmap: decoded.bitmap, x: tile.x, y: tile.y, width: sheet.tileWidth, height: sheet.tileHeight };
  }

  /** The same, when the sheet is there; one request for a sheet, however many ask. @param {Tile} tile */
  async picture(tile) {
    const sheet = this.#sheets[tile.sheet];
    if (!sheet) return null;
    if (!this.#decoded.has(sheet.url)) await this.#fetch(sheet.url);
    return this.ready(tile);
  }

  #fetch(url) {
    if (!this.#loading.has(url)) this.#loading.set(url, this.#load(url).finally(() => this.#loading.delete(url)));
    return this.#loading.get(url);
  }

  async #load(url) {
    const response = await fetch(this.api.stripURL(this.id, url));
    if (!response.ok) {
      // An unread response occupies one of the six connections to the server.
      await response.body?.cancel();
      throw new Error(`sheet ${response.status}`);
    }
    const frames = (response.headers.get('Scrub-Frames') ?? '').split(',');
    const bitmap = await createImageBitmap(await response.blob());
    this.#decoded.set(url, { bitmap, frames });
    for (const [old, gone] of this.#decoded) {
      if (this.#decoded.size <= limit) break;
      this.#decoded.delete(old);
      gone.bitmap.close();
    }
  }
}
