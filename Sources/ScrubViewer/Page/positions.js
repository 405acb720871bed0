/** What people type to go somewhere, in the forms of the command line: `f1234`, `1:02.5`, `12.5s`, `42%`, `first`, `last`. */

/** A decimal as an exact ratio. @param {string} text @returns {[bigint, bigint]} */
function ratio(text) {
  const [head, tail = ''] = text.split('.');
  return [BigInt(head + tail || '0'), 10n ** BigInt(tail.length)];
}

/**
 * @param {string} text
 * @param {import('./times.js').Times} times
 * @param {number} current the frame for `+3` and `-3`
 * @returns {{frame: number, words: string}|{error: string}}
 */
export function parsePosition(text, times, current = 0) {
  const typed = text.trim().toLowerCase().replace(',', '.');
  const at = (frame, words) => ({ frame, words: words ?? `f${frame} at ${times.secondsText(frame)}` });
  if (typed === '') return { error: 'A time 1:02.5, a frame f1234, a part 42%.' };
  if (typed === 'first') return at(0);
  if (typed === 'last') return at(times.last);
  let found = /^(?:f|#|frame )\s*(-?)(\d{1,15})$/.exec(typed);
  if (found) {
    const frame = found[1] ? times.count - Number(found[2]) : Number(found[2]);
    return frame >= 0 && frame <= times.last ? at(frame) : { error: `Frames go from f0 to f${times.last}.` };
  }
  found = /^([+-])(\d{1,15})$/.exec(typed);
  if (found) return at(times.clamp(current + Number(found[0])));
  found = /^(\d{1,3}(?:\.\d{1,9})?)\s*%$/.exec(typed);
  if (found) {
    const [n, d] = ratio(found[1]);
    if (n > 100n * d) return { error: 'A part goes from 0% to 100%.' };
    const ticks = (BigInt(times.duration) * n) / (100n * d);
    return at(n === 100n * d ? times.last : times.frameAtTicks(Number(ticks)));
  }
  const seconds = secondsOf(typed);
  if (!seconds) return { error: 'Write a time 1:02.5, a frame f1234, or a part 42%.' };
  const ticks = (seconds[0] * BigInt(times.timescale)) / seconds[1];
  if (ticks > BigInt(times.duration)) return { error: `It ends at ${times.durationText}.` };
  return at(times.frameAtTicks(Number(ticks)));
}

/** @param {string} text @returns {[bigint, bigint]|null} seconds as a ratio */
function secondsOf(text) {
  let found = /^(?:(\d{1,4}):)?(\d{1,5}):(\d{1,2}(?:\.\d{1,9})?|\.\d{1,9})$/.exec(text);
  if (found) {
    const [n, d] = ratio(found[3]);
    return [(BigInt(found[1] ?? 0) * 3600n + BigInt(found[2]) * 60n) * d + n, d];
  }
  found = /^(?:(\d{1,4})h)?\s*(?:(\d{1,5})m(?!s))?\s*(?:(\d{1,9}(?:\.\d{1,9})?)s?)?$/.exec(text);
  if (found && (found[1] || found[2] || found[3])) {
    const [n, d] = ratio(found[3] ?? '0');
    return [(BigInt(found[1] ?? 0) * 3600n + BigInt(found[2] ?? 0) * 60n) * d + n, d];
  }
  found = /^(\d{1,12}(?:\.\d{1,6})?)ms$/.exec(text);
  if (!found) return null;
  const [n, d] = ratio(found[1]);
  return [n, d * 1000n];
}
