// Marks in the formats of other programs. Everything here is text in, text out, without the page or the server.

import { ceilUnits, clockText, counting, difference, floorUnits, rateOf, ratioText, secondsText, timecode } from './timecode.js';

/**
 * @typedef {import('./timecode.js').Ratio} Ratio
 * @typedef {{frame: number, note: string, verdict?: string}} Mark
 * @typedef {{
 *   name: string, fingerprint: string, frameCount: number,
 *   list: {timescale: number, start: number, runs: number[][], end: number},
 *   timeOf: (frame: number) => Ratio,
 *   marks: Mark[], first?: number|null, last?: number|null
 * }} Film  timeOf counts from the first presented frame; first and last are the in and out points, both included
 */

const oneLine = (text) => String(text).replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
const sorted = (film) => [...film.marks].sort((a, b) => a.frame - b.frame);
const title = (mark) => oneLine(mark.note) || `f${mark.frame}`;

/** The film's end, counted from its first frame. @param {Film} film */
function end(film) {
  return { n: BigInt(film.list.end) - BigInt(film.list.start), d: BigInt(film.list.timescale) };
}

/** When the frame after this one is due, or the film's end. @param {Film} film @param {number} frame */
function after(film, frame) {
  return frame + 1 < film.frameCount ? film.timeOf(frame + 1) : end(film);
}

/** Everything that is known, in the only format that can be imported again without loss. @param {Film} film @returns {string[]} */
export function json(film) {
  if (film.marks.length === 0 && film.first == null && film.last == null) return [];
  const rate = rateOf(film.list);
  const place = (frame) => ({ frame, time: ratioText(film.timeOf(frame)), seconds: secondsText(film.timeOf(frame)) });
  const whole = {
    format: 'scrub-marks', version: 1,
    file: film.name, fingerprint: film.fingerprint, frameCount: film.frameCount,
    rate: `${rate.n}/${rate.d}`, constantRate: rate.constant,
  };
  if (film.first != null) whole.in = place(film.first);
  if (film.last != null) whole.out = { ...place(film.last), end: ratioText(after(film, film.last)) };
  whole.marks = sorted(film).map((mark) => ({ ...place(mark.frame), note: mark.note, verdict: mark.verdict ?? null }));
  return [JSON.stringify(whole, null, 2) + '\n'];
}

/**
 * Reads what json wrote; throws a RangeError that says in words what is wrong.
 * @param {string} text @param {number} frameCount of the film that the marks are for
 * @returns {{fingerprint: string, marks: Mark[], first: number|null, last: number|null}}
 */
export function parsed(text, frameCount) {
  let whole;
  try {
    whole = JSON.parse(text);
  } catch {
    throw new RangeError('This is not JSON.');
  }
  if (whole?.format !== 'scrub-marks' || !Array.isArray(whole.marks)) throw new RangeError('These are not marks from Scrub.');
  if (whole.version !== 1) throw new RangeError('These marks are from a later version of Scrub.');
  const frame = (value) => {
    if (!Number.isSafeInteger(value) || value < 0 || value >= frameCount) {
      throw new RangeError(`A mark is at f${oneLine(value).slice(0, 20)}, but this film ends at f${frameCount - 1}.`);
    }
    return value;
  };
  const marks = new Map();
  for (const mark of whole.marks.slice(0, 100_000)) {
    const at = frame(mark?.frame);
    marks.set(at, { frame: at, note: String(mark.note ?? '').slice(0, 2000), verdict: typeof mark.verdict === 'string' ? mark.verdict : undefined });
  }
  return {
    fingerprint: String(whole.fingerprint ?? ''), marks: [...marks.values()].sort((a, b) => a.frame - b.frame),
    first: whole.in ? frame(whole.in.frame) : null, last: whole.out ? frame(whole.out.frame) : null,
  };
}

/**
 * How an EDL counts this film, and what it cannot express, in words.
 * @param {Film} film
 * @returns {{base: bigint, counted: boolean, drops: bigint, words: string}}
 */
export function counts(film) {
  const rate = rateOf(film.list), way = counting(rate);
  const name = rate.d === 1n ? `${rate.n}` : `${Number((Number(rate.n) / Number(rate.d)).toFixed(3))}`;
  if (way.counted) return { ...way, words: way.drops ? `${name} frames per second` : `${name} frames per second, non-drop-frame` };
  return {
    ...way, drops: 0n,
    words: `This film has frames of different durations, or a rate without a timecode, so ${way.base} per second is nominal. Each event has the frame and its exact time in a comment.`,
  };
}

// The timecode of a frame's start, or of the film's end.
function code(film, way, drops, frame) {
  if (way.counted) return timecode(BigInt(frame), way.base, drops);
  const time = frame < film.frameCount ? film.timeOf(frame) : end(film);
  return timecode(floorUnits(time, way.base), way.base, 0n);
}

/**
 * CMX 3600, at most 999 events to a text. An out is the first frame that no longer belongs to the event.
 * shape: "points" has an event of one frame for each mark; "parts" runs from in to out, cut at each mark.
 * @param {Film} film @param {{shape?: 'points'|'parts', drop?: boolean}} options
 * @returns {string[]} texts; empty if there is nothing to write
 */
export function edl(film, { shape = 'points', drop = false } = {}) {
  const way = counts(film), drops = drop ? way.drops : 0n;
  const events = shape === 'parts' ? parts(film, way) : points(film, way);
  const clip = oneLine(film.name);
  const texts = [];
  for (let from = 0; from < events.length; from += 999) {
    const many = events.length > 999 ? ` ${from / 999 + 1}` : '';
    let text = `TITLE: ${clip.slice(0, 60)}${many}\nFCM: ${drops ? 'DROP FRAME' : 'NON-DROP FRAME'}\n`;
    events.slice(from, from + 999).forEach((event, index) => {
      const begin = code(film, way, drops, event.first);
      let finish = code(film, way, drops, event.end);
      // With a nominal rate a frame's length can be zero; an event is at least one frame number long.
      if (finish === begin) finish = timecode(floorUnits(film.timeOf(event.first), way.base) + 1n, way.base, 0n);
      text += `\n${String(index + 1).padStart(3, '0')}  AX       V     C        ${begin} ${finish} ${begin} ${finish}\n`;
      text += `* FROM CLIP NAME: ${clip}\n* SCRUB FRAME ${event.first} TIME ${ratioText(film.timeOf(event.first))}\n`;
      if (event.note != null) text += ` |C:ResolveColorBlue |M:${event.note.replaceAll('|', '/')} |D:1\n`;
    });
    texts.push(text);
  }
  return texts;
}

// With a nominal rate two frames can have the same timecode. Resolve drops the second of two markers there, and events
// must not overlap: marks with the same timecode become one event.
function joined(film, way, starts) {
  const list = [];
  for (const start of starts) {
    const at = code(film, way, 0n, start.first), before = list.at(-1);
    if (before?.at !== at) list.push({ ...start, at });
    else if (start.note != null) before.note = before.note == null ? start.note : before.note + '; ' + start.note;
  }
  return list;
}

function points(film, way) {
  const starts = sorted(film).map((mark) => ({ first: mark.frame, note: title(mark) }));
  return joined(film, way, starts).map((event) => ({ ...event, end: event.first + 1 }));
}

// From in to out, cut at each mark.
function parts(film, way) {
  const first = film.first ?? 0, last = film.last ?? film.frameCount - 1;
  if ((film.marks.length === 0 && film.first == null && film.last == null) || first > last) return [];
  const inside = sorted(film).filter((mark) => mark.frame >= first && mark.frame <= last);
  const starts = inside.map((mark) => ({ first: mark.frame, note: title(mark) }));
  if (starts[0]?.first !== first) starts.unshift({ first, note: null });
  const list = joined(film, way, starts);
  return list.map((event, index) => ({ ...event, end: list[index + 1]?.first ?? last + 1 }));
}

// A chapter lasts until the next one. Marks with the same time, in the format's unit, become one chapter.
function chapters(film, unit) {
  const list = [];
  for (const mark of sorted(film)) {
    const start = film.timeOf(mark.frame), at = floorUnits(start, unit), before = list.at(-1);
    if (before?.at === at) before.title += '; ' + title(mark);
    else list.push({ start, at, title: title(mark) });
  }
  return list.map((chapter, index) => ({ ...chapter, end: list[index + 1]?.start ?? end(film) }));
}

/** ffmpeg's metadata, in the file's own time base, without rounding. @param {Film} film @returns {string[]} */
export function ffmetadata(film) {
  // ffmpeg reads the unit as a 32-bit integer.
  const scale = film.list.timescale <= 2_147_483_647 ? BigInt(film.list.timescale) : 1_000_000_000n;
  const list = chapters(film, scale);
  const escaped = (text) => oneLine(text).replace(/[=;#\\]/g, '\\$&');
  const text = list.map((chapter) => `[CHAPTER]\nTIMEBASE=1/${scale}\nSTART=${chapter.at}\n`
    + `END=${floorUnits(chapter.end, scale)}\ntitle=${escaped(chapter.title)}\n`).join('');
  return list.length ? [`;FFMETADATA1\n${text}`] : [];
}

/** The simple chapters that Matroska's tools read, rounded down to milliseconds. @param {Film} film @returns {string[]} */
export function matroska(film) {
  const list = chapters(film, 1000);
  const text = list.map((chapter, index) => {
    const number = String(index + 1).padStart(2, '0');
    return `CHAPTER${number}=${clockText(chapter.at)}\nCHAPTER${number}NAME=${chapter.title}\n`;
  }).join('');
  return list.length ? [text] : [];
}

/**
 * Chapters for players in the browser. Starts are rounded down, so that every frame's own time is in the cue of the mark that it
 * follows; the film's end is rounded up, so that the last frame is also in a cue.
 * @param {Film} film @returns {string[]}
 */
export function webvtt(film) {
  const list = chapters(film, 1000);
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const text = list.map((chapter, index) => {
    const start = chapter.at;
    let finish = index + 1 < list.length ? floorUnits(chapter.end, 1000) : ceilUnits(chapter.end, 1000);
    if (finish <= start) finish = start + 1n;
    return `\n${index + 1}\n${clockText(start)} --> ${clockText(finish)}\n${escaped(chapter.title)}\n`;
  }).join('');
  return list.length ? [`WEBVTT\n${text}`] : [];
}

/** The length between in and out, both included, as frames and seconds. @param {Film} film */
export function rangeText(film) {
  const first = film.first ?? 0, last = film.last ?? film.frameCount - 1;
  if (first > last) return null;
  return { frames: last - first + 1, seconds: secondsText(difference(after(film, last), film.timeOf(first))) };
}

/** The export formats: label, suffix, and what they preserve. */
export const formats = [
  { id: 'json', label: 'JSON', suffix: 'marks.json', type: 'application/json', keeps: 'Everything: frames, exact times, notes, verdicts. Can be imported here again.', write: json },
  { id: 'edl', label: 'EDL, markers', suffix: 'edl', type: 'text/plain', keeps: 'CMX 3600: each mark one frame long, with a marker for Resolve.', write: (film, options) => edl(film, { ...options, shape: 'points' }) },
  { id: 'edl-parts', label: 'EDL, parts', suffix: 'parts.edl', type: 'text/plain', keeps: 'CMX 3600: cuts from mark to mark, in to out.', write: (film, options) => edl(film, { ...options, shape: 'parts' }) },
  { id: 'ffmetadata', label: 'Chapters, ffmpeg', suffix: 'ffmetadata', type: 'text/plain', keeps: 'ffmetadata in the file’s own time base: exact.', write: ffmetadata },
  { id: 'matroska', label: 'Chapters, Matroska', suffix: 'chapters.txt', type: 'text/plain', keeps: 'Times rounded down to milliseconds.', write: matroska },
  { id: 'webvtt', label: 'Chapters, WebVTT', suffix: 'chapters.vtt', type: 'text/vtt', keeps: 'Times rounded down to milliseconds.', write: webvtt },
];
