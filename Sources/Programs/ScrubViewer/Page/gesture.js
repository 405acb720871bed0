/**
 * The library's gesture: a drag over the picture moves from where it began, more slowly the further the finger is up or down.
 * Exact: positions are ratios of integers, so that rounding errors do not add up.
 */

import { fixed } from './times.js';

/** Which part of a movement counts from which vertical distance on: a thumb's reach. Factors are 20ths. */
export const fineSpeeds = [
  { distance: 150, factor: 2n, text: '×1⁄10' },
  { distance: 100, factor: 5n, text: '×1⁄4' },
  { distance: 50, factor: 10n, text: '×1⁄2' },
];
const whole = { distance: 0, factor: 20n, text: '' };

export class ScrubGesture {
  /**
   * @param {import('./times.js').Times} times
   * @param {number} frame where it begins
   * @param {number} width of the picture's box, which stands for the whole duration
   */
  constructor(times, frame, width) {
    this.times = times;
    this.begin = frame;
    // In units of 1/(20 * 1024 * width) of the duration.
    this.length = 20n * fixed(Math.max(width, 1));
    this.origin = (BigInt(times.ticks(frame)) * this.length);
    this.anchor = 0n;
    this.anchorX = 0n;
    this.speed = whole;
    this.place = 0n;
    this.x = 0n;
  }

  /** How the movement counts now, in words; empty at full speed. */
  get factor() { return this.speed.text; }

  /** @param {number} dx @param {number} dy from where the gesture began @returns {number} the frame there */
  moved(dx, dy) {
    const speed = fineSpeeds.find((one) => Math.abs(dy) >= one.distance) ?? whole;
    // A new speed counts from the position that the last one reached, so that the picture does not jump.
    if (speed !== this.speed) [this.anchor, this.anchorX, this.speed] = [this.place, this.x, speed];
    this.x = fixed(dx);
    const duration = BigInt(this.times.duration);
    const length = this.length;
    let ticks = this.origin + (this.anchor + (this.x - this.anchorX) * speed.factor) * duration;
    if (ticks < 0n) ticks = 0n;
    if (ticks > duration * length) ticks = duration * length;
    this.place = duration > 0n ? this.#kept(ticks, duration) : 0n;
    return ticks >= duration * length ? this.times.last : this.times.frameAtTicks(Number(ticks / length));
  }

  /** The movement that counts after clamping to the film: a finger beyond an end has to come back as far as it went. */
  #kept(ticks, duration) { return (ticks - this.origin) / duration; }
}
