/**
 * One pane's path from a requested frame (a wish) to a picture. Each wish gets a turn, an increasing number. It goes with the request to the
 * server, which answers only the newest turn, and comes back with the picture. The rules:
 *
 * - One request at a time. A newer wish cancels a request for an exact frame, and waits for a request for the nearest.
 * - A picture of an older wish is shown only when it is nearer to the newest one than what is shown; an older one never
 *   comes after a newer one. Both are checked again after decoding, which may take longer for the older one.
 * - Exact, damaged and failed are final: a frame that cannot be decoded is not requested again automatically.
 * - Picture, number, time and verdict come from one answer and are shown in one task.
 */

import { Blobs } from './blobs.js';

const restAfter = 100;
const rank = { tile: 0, nearest: 1, exact: 2 };
const widths = [320, 640, 960, 1280, 1920];
const blobs = new Blobs();

export class Lane {
  #turn = 0;
  #want = null;
  #shown = null;
  #flight = null;
  #moving = false;
  #restTimer = 0;
  #retry = 0;
  #retryTimer = 0;
  #paint = 0;
  /** What waits for the next animation frame. */
  #next = null;
  #waiting = [];

  /**
   * @param {{id: string, medium: import('./library.js').Medium, width(): number, format(): 'jpeg'|'png',
   *   commit(picture: {bitmap: ImageBitmap, shown: object, crop?: object}): void, fail(failure: object|null): void,
   *   changed(): void, gate?: (frame: number, turn: number) => Promise<void>}} pane what the lane serves; `width` is in
   *   device pixels, `commit` draws and owns the bitmap from then on
   * @param {ReturnType<import('./api.js').createApi>} api
   */
  constructor(pane, api) {
    this.pane = pane;
    this.api = api;
    this.requests = 0;
  }

  get want() { return this.#want; }
  get shown() { return this.#shown; }
  get moving() { return this.#moving; }
  /** Whether the newest wish has its final answer. */
  get isFinal() {
    const [want, shown] = [this.#want, this.#shown];
    return !want || this.#failedTurn === want.turn || this.#answers(shown);
  }
  get isIdle() { return this.isFinal && !this.#flight && this.#decoding === 0 && !this.#next && !this.#restTimer && !this.#moving; }
  /** What it waits for, in one word; empty at rest. */
  get stands() {
    if (this.#decoding > 0) return 'decoding';
    if (this.#flight) return 'answer';
    if (this.#next) return 'drawing';
    return this.#restTimer || this.#moving ? 'rest' : '';
  }
  #failedTurn = -1;
  #isClosed = false;
  /** The server's message about a changed file. @type {Error|null} */
  #changed = null;
  /** Whether a picture is the final answer. */
  #answers(shown) { return shown?.frame === this.#want.frame && shown.stage === 'exact' && this.#fresh(shown); }
  /** Answers that are being decoded; the next one may already be in transit. */
  #decoding = 0;

  /** A moving wish, as in a drag: something near at once, the exact frame when it rests. @param {number} frame */
  move(frame) {
    if (this.#moving && this.#want?.frame === frame) return;
    this.#wish(frame);
    this.#moving = true;
    this.#local();
    if (this.#flight?.exact) this.#abort();
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#rest(), restAfter);
    this.#send();
    this.pane.changed();
  }

  /** A final wish, as in a step or a jump: the exact frame at once. @param {number} frame */
  rest(frame) {
    if (this.#want?.frame !== frame || this.#failedTurn === this.#want.turn) this.#wish(frame);
    this.#local();
    this.#rest();
    this.pane.changed();
  }

  /** The finger is up: the current wish is final. */
  release() { if (this.#moving) { this.#rest(); this.pane.changed(); } }

  /** Requests again, for example after the window has grown or the server is back. */
  refresh() { if (this.#want && !this.isFinal) this.#send(); }

  /** Cancels everything in progress; `refresh` resumes. */
  stop() {
    this.#abort();
    clearTimeout(this.#restTimer);
    clearTimeout(this.#retryTimer);
    this.#restTimer = 0;
    this.#moving = false;
  }

  /** The pane is gone: later answers are closed and not shown. */
  close() {
    this.#isClosed = true;
    this.stop();
    this.#drop();
  }

  /** Resolves when the exact frame (or the word that it cannot be) is shown. @param {number} [frame] asked for first */
  exact(frame) {
    if (frame !== undefined) this.rest(frame);
    if (this.isIdle) return Promise.resolve(this.#shown);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wish(frame) {
    this.#turn += 1;
    this.#want = { turn: this.#turn, frame };
    this.#retry = 0;
    clearTimeout(this.#retryTimer);
    this.pane.fail(null);
  }

  #rest() {
    clearTimeout(this.#restTimer);
    this.#restTimer = 0;
    this.#moving = false;
    this.#send();
    this.#settle();
  }

  /** Whether a picture is as large and as good as a new request would return. */
  #fresh(shown) {
    if (shown.format !== 'png' && this.pane.format() === 'png') return false;
    return shown.width === null || shown.width >= (this.#width() ?? Infinity);
  }

  /** Device pixels rounded up to a few widths, so that neighbours share cached pictures; undefined for the full size. */
  #width() {
    if (this.pane.format() === 'png') return undefined;
    const width = widths.find((one) => one >= this.pane.width());
    return width === undefined || width >= this.pane.medium.width ? undefined : width;
  }

  /** During movement half the width is enough: it is made, sent and decoded sooner, and the exact frame follows. */
  #quickWidth() {
    const half = Math.max(this.pane.width() / 2, 640);
    const width = widths.find((one) => one >= half);
    return width === undefined || width >= this.pane.medium.width ? undefined : width;
  }

  /** The current request as text; it changes with the window size and the zoom. */
  #size() { return `${this.#width()} ${this.pane.format()}`; }

  /** What is available without a request for a frame: the small picture of the strip. */
  #local() {
    const { strip } = this.pane.medium;
    const tile = strip.tileFor(this.#want.frame);
    if (!tile) return;
    const crop = strip.ready(tile);
    if (crop) this.#show(tile, crop);
    else strip.picture(tile).then((came) => { if (came && this.#want) this.#show(tile, came); }, () => {});
  }

  #show(tile, crop) {
    const shown = {
      turn: this.#want.turn, frame: tile.frame, stage: 'tile', verdict: '', seconds: '', time: '', type: '', decoded: null, key: null,
      milliseconds: null, format: 'strip', width: crop.width,
    };
    if (this.#accepts(shown)) this.#offer({ bitmap: crop.bitmap, crop, shown, borrowed: true });
  }

  #send() {
    if (this.#flight || !this.#want || document.hidden) return;
    const current = this.#next?.shown ?? this.#shown;
    // Do not request again what has arrived but is not drawn yet.
    if (this.isFinal || this.#answers(current)) return;
    if (this.#changed) { this.#giveUp(this.#changed); return; }
    const ask = this.#want;
    const exact = !this.#moving;
    if (!exact && current?.turn === ask.turn && current.frame === ask.frame && rank[current.stage] >= rank.nearest) return;
    const flight = { ask, exact, size: this.#size(), controller: new AbortController() };
    this.#flight = flight;
    this.#fly(flight).catch((error) => this.#fail(flight, error)).finally(() => this.#land(flight));
  }

  /** The answer has arrived (or will not come): the next wish can be sent. */
  #land(flight) {
    if (this.#flight === flight) {
      this.#flight = null;
      if (this.#want.turn !== flight.ask.turn || (!this.#moving && (!flight.exact || flight.size !== this.#size()))) this.#send();
    }
    this.#settle();
  }

  async #fly(flight) {
    const { medium } = this.pane;
    const format = this.pane.format();
    const options = {
      width: flight.exact ? this.#width() : this.#quickWidth(), format: flight.exact ? format : 'jpeg', version: medium.version, turn: flight.ask.turn,
      client: this.pane.id, signal: flight.controller.signal, stage: flight.exact ? undefined : 'nearest',
    };
    const key = this.api.frameURL(medium.id, flight.ask.frame, options);
    let answer = flight.exact ? blobs.get(key) : undefined;
    if (!answer) {
      this.requests += 1;
      answer = await this.api.frame(medium.id, flight.ask.frame, options);
      if (answer.superseded) {
        // Not superseded by a newer request of this pane, but by something else. Request it again, but not at once.
        if (flight.ask.turn === this.#want.turn) this.#retryTimer = setTimeout(() => this.#send(), 200);
        return;
      }
      if (flight.exact && answer.verdict === 'exact' && medium.version) blobs.set(key, answer);
    }
    if (this.#retry > 0) { this.#retry = 0; this.pane.fail(null); }
    // While a picture of a drag is decoded here, the server may look for the next one.
    if (!flight.exact && this.#moving) this.#land(flight);
    this.#decoding += 1;
    const bitmap = await createImageBitmap(answer.blob, { colorSpaceConversion: format === 'png' ? 'none' : 'default' })
      .finally(() => { this.#decoding -= 1; });
    if (flight.exact) await this.pane.gate?.(flight.ask.frame, flight.ask.turn);
    const { blob, ...facts } = answer;
    const shown = { ...facts, turn: flight.ask.turn };
    if (!flight.controller.signal.aborted && this.#accepts(shown)) this.#offer({ bitmap, shown });
    else bitmap.close();
  }

  /** Decides what may be shown; see above. */
  #accepts(picture, shown = this.#next?.shown ?? this.#shown) {
    const want = this.#want;
    if (this.#isClosed) return false;
    if (!shown) return true;
    const [distance, was] = [Math.abs(picture.frame - want.frame), Math.abs(shown.frame - want.frame)];
    if (picture.turn < shown.turn) return false;
    if (distance !== was) return distance < was;
    if (distance === 0) {
      if (rank[picture.stage] !== rank[shown.stage]) return rank[picture.stage] > rank[shown.stage];
      return shown.stage !== 'exact' || !this.#fresh(shown);
    }
    return picture.turn === want.turn && picture.frame === shown.frame && rank[picture.stage] > rank[shown.stage];
  }

  /** Takes a picture for the next animation frame. */
  #offer(picture) {
    this.#drop();
    this.#next = picture;
    this.#paint ||= requestAnimationFrame(() => this.#commit());
  }

  #commit() {
    this.#paint = 0;
    const picture = this.#next;
    this.#next = null;
    if (!picture) return;
    // The requested frame may have changed since; then the displayed picture may be nearer.
    if (this.#accepts(picture.shown, this.#shown)) {
      this.#shown = picture.shown;
      this.pane.commit(picture);
    } else if (!picture.borrowed) {
      picture.bitmap.close();
    }
    this.#settle();
  }

  #drop() {
    if (this.#next && !this.#next.borrowed) this.#next.bitmap.close();
    this.#next = null;
  }

  #abort() {
    this.#flight?.controller.abort();
    this.#flight = null;
  }

  #fail(flight, error) {
    if (error.name === 'AbortError' || this.#flight !== flight) return;
    if (error.network) {
      this.pane.fail({ frame: flight.ask.frame, error: error.message, hint: error.hint, network: true });
      this.#retry = Math.min(this.#retry + 1, 5);
      this.#retryTimer = setTimeout(() => this.#send(), 500 * 2 ** this.#retry);
      return;
    }
    // The file has changed: what is known about it no longer applies, so stop requesting.
    if (error.code === 'changed') this.#changed = error;
    if (!this.#changed && (!flight.exact || flight.ask.turn !== this.#want.turn)) return;
    this.#giveUp(error);
  }

  #giveUp(error) {
    this.#failedTurn = this.#want.turn;
    this.pane.fail({ frame: this.#want.frame, error: error.message, hint: error.hint ?? '', code: error.code ?? '', network: false });
  }

  #settle() {
    if (!this.isIdle) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(this.#shown);
  }
}
