// Which frame each film shows for the leader's frame: by number or by time, each with its own offset.
// Pure integers.

import { difference, exact, order, sum } from './timecode.js';

/**
 * @typedef {{n: bigint, d: bigint}} Ratio
 * @typedef {{frames: number, time: Ratio}} Offset  how far a pane is ahead of the common position
 * @typedef {{count: number, timeOf: (frame: number) => import('./timecode.js').Ratio, end: Ratio,
 *   frameAtTime: (time: Ratio) => number}} Clock  timeOf counts from the first frame; frameAtTime is the frame on screen then, clamped
 */

/** No offset. @returns {Offset} */
export const aligned = () => ({ frames: 0, time: { n: 0n, d: 1n } });

/**
 * What a follower shows for the leader's frame.
 * beyond: 'before' or 'past' if the film has no frame there; the nearest end is then shown, dimmed.
 * @param {'frame'|'time'} lock
 * @param {number} frame the leader's @param {Clock} leader @param {Offset} ahead the leader's offset
 * @param {Clock} follower @param {Offset} offset the follower's
 * @returns {{frame: number, beyond: null|'before'|'past'}}
 */
export function follow(lock, frame, leader, ahead, follower, offset) {
  if (lock === 'frame') {
    const place = frame - ahead.frames + offset.frames;
    if (place < 0) return { frame: 0, beyond: 'before' };
    if (place >= follower.count) return { frame: follower.count - 1, beyond: 'past' };
    return { frame: place, beyond: null };
  }
  const time = sum(difference(leader.timeOf(frame), ahead.time), offset.time);
  if (order(time, { n: 0n, d: 1n }) < 0) return { frame: 0, beyond: 'before' };
  if (order(time, follower.end) >= 0) return { frame: follower.count - 1, beyond: 'past' };
  return { frame: follower.frameAtTime(time), beyond: null };
}

/**
 * Offsets that keep together what is shown now (a common event). The first pane keeps none.
 * @param {{frame: number, clock: Clock}[]} shown @returns {Offset[]}
 */
export function alignHere(shown) {
  const first = shown[0];
  return shown.map(({ frame, clock }) => ({
    frames: frame - first.frame,
    time: difference(clock.timeOf(frame), first.clock.timeOf(first.frame)),
  }));
}

/**
 * The offset at which one pane shows a neighbour of its frame while the others stay; unchanged at the film's ends.
 * @param {'frame'|'time'} lock @param {Offset} offset @param {number} frame shown now @param {1|-1} by @param {Clock} clock
 * @param {Ratio} common the time of the common position, without offsets
 * @returns {Offset}
 */
export function nudged(lock, offset, frame, by, clock, common) {
  const next = frame + by;
  if (next < 0 || next >= clock.count) return offset;
  if (lock === 'frame') return { ...offset, frames: offset.frames + by };
  return { ...offset, time: difference(clock.timeOf(next), common) };
}

/** The common time of a pane's frame. @param {Clock} clock @param {number} frame @param {Offset} offset */
export function commonTime(clock, frame, offset) {
  return difference(exact(clock.timeOf(frame)), offset.time);
}
