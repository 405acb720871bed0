/**
 * Positions that the user types. A text means the same as on the command line: `f1234`, `1:02.5`, `12.5s`, `1h2m`, `42%`, `0.42`, `1/3`,
 * `01:00:03:12`, `first`, `last`. Here `+3` and `-3` also work, as frames relative to the current one. For a position outside the film, the
 * page shows a message and does not move.
 *
 * A time has at least three decimals, and stands for all times that are written this way. It names the frame that begins at that time or
 * less than one unit of the last digit later. So the time that any tool prints for a frame names that frame.
 */

import { counting, rateOf } from './timecode.js';

const forms = 'a time 1:02.5 or 12.5s, a frame f1234, a part 42% or 0.42, a timecode 01:00:03:12';
/** A decimal of at most 18 digits before the point; programs print some times with more than 18 behind it. */
const number = '(\\d{1,18}(?:\\.\\d{0,99})?|\\.\\d{1,99})';
const shapes = {
  frame: /^(?:f|#|frame)(-?)(\d{1,15})$/,
  away: /^[+-]\d{1,15}$/,
  percent: new RegExp(`^${number}%$`),
  milliseconds: new RegExp(`^${number}ms$`),
  timecode: /^(\d{1,2}):(\d\d):(\d\d)([:;])(\d\d)$/,
  clock: new RegExp(`^(?:(\\d{1,9}):)?(\\d{1,9}):${number}$`),
  units: new RegExp(`^(?:${number}h)?(?:${number}m)?(?:${number}s)?$`),
  ratio: /^(\d{1,18})\/(\d{1,18})$/,
  decimal: new RegExp(`^${number}$`),
  below: new RegExp(`^-${number}%?$`),
};

/** A decimal as an exact ratio, and its digits after the point. @param {string} text @returns {{n: bigint, d: bigint, places: number}} */
function exact(text) {
  const [head, tail = ''] = text.split('.');
  return { n: BigInt(head + tail), d: 10n ** BigInt(tail.length), places: tail.length };
}

/**
 * @param {string} text
 * @param {{times: import('./times.js').Times, startTimecode?: string|null}} film
 * @param {number} current the frame for `+3` and `-3`
 * @returns {{frame: number, words: string}|{error: string}}
 */
export function parsePosition(text, { times, startTimecode = null }, current = 0) {
  const typed = text.trim().toLowerCase().replace(/(?<=[a-z#+-])\s+|\s+(?=[a-z%])/g, '').replace(',', '.');
  const at = (frame) => ({ frame, words: `f${frame} at ${times.secondsText(frame)}` });
  if (typed === '') return { error: `${forms[0].toUpperCase()}${forms.slice(1)}.` };
  if (typed === 'first') return at(0);
  if (typed === 'last') return at(times.last);
  let found = shapes.frame.exec(typed);
  if (found) {
    const frame = found[1] ? times.count - Number(found[2]) : Number(found[2]);
    return frame >= 0 && frame <= times.last ? at(frame) : { error: `Frames go from f0 to f${times.last}.` };
  }
  if (shapes.away.test(typed)) return at(times.clamp(current + Number(typed)));
  const part = partOf(typed);
  if (part) {
    if (part.n > part.d) return { error: beyond(typed, times) };
    // Times are integers, so the frame at a fraction is the one at its floor.
    return at(part.n === part.d ? times.last : times.frameAtTicks(Number((BigInt(times.duration) * part.n) / part.d)));
  }
  found = shapes.timecode.exec(typed);
  if (found) {
    const frame = labelled(found, times, startTimecode);
    return typeof frame === 'number' ? at(frame) : frame;
  }
  if (shapes.below.test(typed)) return { error: 'Fractions go from 0 to 1. For a frame from the end write f-1; to go back write -3.' };
  const seconds = secondsOf(typed);
  if (!seconds) return { error: `Write ${forms}.` };
  const units = seconds.n * BigInt(times.timescale);
  const places = Math.max(3, seconds.places);
  const past = units - BigInt(times.duration) * seconds.d;
  // The end as text, rounded up.
  if (past > 0n && past * 10n ** BigInt(places) >= BigInt(times.timescale) * seconds.d) return { error: `The film ends at ${times.durationText}.` };
  return at(times.frameAtRounded(seconds.n, seconds.d, places));
}

/** A part of the film, 0...1; null for another form. @param {string} text @returns {{n: bigint, d: bigint}|null} */
function partOf(text) {
  let found = shapes.percent.exec(text);
  if (found) {
    const { n, d } = exact(found[1]);
    return { n, d: d * 100n };
  }
  found = shapes.ratio.exec(text);
  if (found) return BigInt(found[2]) === 0n ? null : { n: BigInt(found[1]), d: BigInt(found[2]) };
  return shapes.decimal.test(text) ? exact(text) : null;
}

/** Suggestions for a fraction above 1. */
function beyond(text, times) {
  if (!shapes.decimal.test(text)) return 'Fractions go from 0% to 100%.';
  const frame = /^\d+$/.test(text) && Number(text) <= times.last ? ` or a frame f${text}` : '';
  return `Fractions go from 0 to 1. For a time write ${text}s${frame ? `,${frame}` : ''}.`;
}

/** A time in seconds, and its digits after their point; null when it isn't one. @param {string} text @returns {{n: bigint, d: bigint, places: number}|null} */
function secondsOf(text) {
  let found = shapes.milliseconds.exec(text);
  if (found) {
    const { n, d, places } = exact(found[1]);
    return { n, d: d * 1000n, places: places + 3 };
  }
  found = shapes.clock.exec(text);
  if (found) {
    const [hours, minutes] = [BigInt(found[1] ?? 0), BigInt(found[2])];
    const { n, d, places } = exact(found[3]);
    if (n >= 60n * d || (found[1] !== undefined && minutes >= 60n)) return null;
    return { n: (hours * 60n + minutes) * 60n * d + n, d, places };
  }
  found = shapes.units.exec(text);
  const given = found ? found.slice(1).flatMap((value, i) => (value === undefined ? [] : [{ value, unit: [3600n, 60n, 1n][i] }])) : [];
  if (given.length === 0) return null;
  let sum = { n: 0n, d: 1n, places: 0 };
  for (const [i, { value, unit }] of given.entries()) {
    const { n, d, places } = exact(value);
    // Only the last may have a decimal point, only the first may be 60 or more.
    if ((value.includes('.') && i < given.length - 1) || (i > 0 && n >= 60n * d)) return null;
    // Decimals of minutes and hours do not count as decimals of seconds.
    sum = { n: sum.n * d + n * unit * sum.d, d: sum.d * d, places: unit === 1n ? places : 0 };
  }
  return sum;
}

/** The frame with a SMPTE label, counted from the film's own first label where it has one. @returns {number|{error: string}} */
function labelled([, hours, minutes, seconds, sign, frames], times, startTimecode) {
  const rate = rateOf({ timescale: times.timescale, runs: times.runs.map((run, i) => [(times.runs[i + 1]?.frame ?? times.count) - run.frame, run.step]) });
  const { base, counted, drops } = counting(rate);
  const isKnown = [24n, 25n, 30n, 50n, 60n].includes(base) && (rate.d === 1n || base % 6n === 0n);
  if (!counted || !isKnown) return { error: 'Timecode does not support this frame rate. Write a time or a frame.' };
  const own = shapes.timecode.exec(startTimecode ?? '');
  const first = own ? place(own, base, drops, own[4] === ';') : null;
  const isTold = first !== null && typeof first !== 'string';
  if (isTold && own[4] !== ';' && sign === ';') return { error: `This film's timecode is non-drop-frame, from ${startTimecode}. Write a colon before the frame.` };
  const wanted = place([null, hours, minutes, seconds, sign, frames], base, drops, isTold ? own[4] === ';' : sign === ';');
  if (typeof wanted === 'string') return { error: wanted };
  const day = sign === ';' || (isTold && own[4] === ';') ? (base * 600n - 9n * drops) * 144n : base * 86_400n;
  const offset = wanted - (isTold ? first : 0n);
  // Labels continue after a day. A label before the first one belongs to the next day; a label after 23:59:59 equals
  // that of the previous day.
  const others = isTold ? [offset, offset + day, offset - day * (BigInt(hours) / 24n)] : [offset];
  const frame = others.find((one) => one >= 0n && one < BigInt(times.count)) ?? offset;
  if (frame >= 0n && frame < BigInt(times.count)) return Number(frame);
  return { error: isTold ? `The film's timecode starts at ${startTimecode}, with ${times.count} frames.` : `The film's timecode starts at 00:00:00:00, with ${times.count} frames.` };
}

/** How many frames come before a label; or what is wrong with it, in words. @returns {bigint|string} */
function place([, hours, minutes, seconds, , frames], base, drops, isDropFrame) {
  const [h, m, s, f] = [hours, minutes, seconds, frames].map(BigInt);
  if (m > 59n || s > 59n) return 'Minutes and seconds of a timecode go up to 59.';
  if (f >= base) return `Each second has the frames 00 to ${base - 1n}.`;
  const minute = h * 60n + m;
  const labels = (minute * 60n + s) * base + f;
  if (!isDropFrame) return labels;
  if (drops === 0n) return 'This rate has no drop frame. Write a colon before the frame.';
  if (m % 10n !== 0n && s === 0n && f < drops) return `Drop frame skips that timecode: the minute starts with ;0${drops}.`;
  return labels - drops * (minute - minute / 10n);
}
