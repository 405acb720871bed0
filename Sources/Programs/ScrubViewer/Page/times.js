/**
 * The times of a medium's frames, exactly: integers in 1/timescale of a second, run-length coded as the server sends them.
 * A place on screen becomes a frame here and nowhere else.
 */

const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };

/** The whole part of a / b, towards minus infinity. @param {bigint} a @param {bigint} b above 0 */
const floorDivide = (a, b) => (a >= 0n ? a / b : -((-a + b - 1n) / b));

/** Pixels as integers: 1/1024 of one, as the library rounds them. @param {number} x */
export const fixed = (x) => BigInt(Math.round((Number.isFinite(x) ? x : 0) * 1024));

export class Times {
  /**
   * @param {{timescale: number, runs: [number, number][]}} table how many frames in a row last how long, the last one too; all
   *   counts together are the number of frames.
   */
  constructor({ timescale, runs }) {
    this.timescale = timescale;
    /** The number of frames. */
    this.count = 0;
    /** First frame and its time after the first frame, for each run. @type {{frame: number, time: number, step: number}[]} */
    this.runs = [];
    let time = 0;
    for (const [count, step] of runs) {
      this.runs.push({ frame: this.count, time, step });
      this.count += count;
      time += count * step;
    }
    /** From the first frame to the end of the last, in 1/timescale s. */
    this.duration = time;
  }

  /** The last frame's number; 0 when there is none. */
  get last() { return Math.max(this.count - 1, 0); }

  /** A frame number that is there. @param {number} frame */
  clamp(frame) { return Math.min(Math.max(Math.round(frame) || 0, 0), this.last); }

  /** A frame's time after the first frame, in 1/timescale s. @param {number} frame */
  ticks(frame) {
    const wanted = this.clamp(frame);
    let [low, high] = [0, this.runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.runs[middle].frame <= wanted) low = middle; else high = middle - 1;
    }
    const run = this.runs[low];
    return run ? run.time + (wanted - run.frame) * run.step : 0;
  }

  /** How long a frame is on screen, in 1/timescale s. @param {number} frame */
  span(frame) {
    return (frame >= this.last ? this.duration : this.ticks(frame + 1)) - this.ticks(frame);
  }

  /** A frame's time after the first frame as a ratio in seconds. @param {number} frame @returns {{n: number, d: number}} */
  timeOf(frame) {
    const ticks = this.ticks(frame);
    const divisor = gcd(ticks, this.timescale) || 1;
    return { n: ticks / divisor, d: this.timescale / divisor };
  }

  /** The frame on screen n/d seconds after the first. @param {number|bigint} n @param {number|bigint} d above 0 */
  frameAt(n, d) {
    return this.frameAtTicks(Number(floorDivide(BigInt(n) * BigInt(this.timescale), BigInt(d))));
  }

  /** The frame on screen at a time in 1/timescale s. @param {number} ticks whole */
  frameAtTicks(ticks) {
    if (this.count === 0 || ticks <= 0) return 0;
    let [low, high] = [0, this.runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.runs[middle].time <= ticks) low = middle; else high = middle - 1;
    }
    const run = this.runs[low];
    const within = run.step > 0 ? Math.floor((ticks - run.time) / run.step) : 0;
    return Math.min(run.frame + within, this.last);
  }

  /**
   * The frame that a rounded time of n/d seconds names: one that begins then, else one that begins less than one unit of its last
   * decimal later, else the one on screen.
   * @param {bigint} n @param {bigint} d above 0 @param {number} places digits after the point
   */
  frameAtRounded(n, d, places) {
    const [scale, unit] = [BigInt(this.timescale), 10n ** BigInt(places)];
    const current = this.frameAt(n, d);
    if (current >= this.last || BigInt(this.ticks(current)) * d === n * scale) return current;
    const next = this.ticks(current + 1);
    if (BigInt(next) * d * unit < (n * unit + d) * scale) return this.frameAtTicks(next);
    // Only a computed number has more than nine decimals. It is rounded to the nearest tick. If a frame is only a few
    // ticks long, only errors of arithmetic are rounded.
    if (places <= 9) return current;
    const away = BigInt(next) * d - n * scale;
    return (next - this.ticks(current) >= 4 ? 2n : 64n) * away <= d ? this.frameAtTicks(next) : current;
  }

  /** The frame on screen at x of a track that stands for the whole. @param {number} x @param {number} width */
  frameAtFraction(x, width) {
    if (!(width > 0)) return 0;
    const [part, whole] = [fixed(Math.min(Math.max(x, 0), width)), fixed(width)];
    if (part >= whole) return this.last;
    return this.frameAtTicks(Number((part * BigInt(this.duration)) / whole));
  }

  /** Where a frame begins on the track, 0...1: for drawing only. @param {number} frame */
  fraction(frame) { return this.duration > 0 ? this.ticks(frame) / this.duration : 0; }

  /**
   * Digits after the point that tell a frame's time, cut off there, from the frame before: three, and more where frames lie closer
   * together than thousandths.
   */
  places(frame) {
    const [own, scale] = [this.ticks(frame), BigInt(this.timescale || 1)];
    const lead = own > 0 ? BigInt(own - this.ticks(this.frameAtTicks(own - 1))) : null;
    let places = 3;
    for (; places < 18; places += 1) {
      const unit = 10n ** BigInt(places), rest = (BigInt(own) * unit) % scale;
      if (rest === 0n || lead === null || rest < lead * unit) break;
    }
    return places;
  }

  /** The time as people read it: `0:02.933`, cut off, so that as a position it names the frame. */
  secondsText(frame) { return clock(this.ticks(frame), this.timescale, this.places(frame)); }

  /** The same in seconds: `2.933`. */
  decimalText(frame) {
    const places = this.places(frame), unit = 10n ** BigInt(places);
    const all = (BigInt(this.ticks(frame)) * unit) / BigInt(this.timescale || 1);
    return `${all / unit}.${String(all % unit).padStart(places, '0')}`;
  }

  /** The whole duration in the same form. */
  get durationText() { return clock(this.duration, this.timescale); }
}

/** A time in 1/timescale s as `m:ss.mmm` or `h:mm:ss.mmm`. @param {number} ticks @param {number} timescale */
export function clock(ticks, timescale, digits = 3) {
  const unit = 10n ** BigInt(digits);
  const all = (BigInt(Math.max(ticks, 0)) * unit) / BigInt(timescale || 1);
  const [seconds, rest] = [all / unit, all % unit];
  const [h, m, s] = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
  const two = (value) => String(value).padStart(2, '0');
  const head = h > 0n ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  return digits > 0 ? `${head}.${String(rest).padStart(digits, '0')}` : head;
}
