// Times as ratios of integers, and the texts that other programs read. Binary floating point never decides a frame or a
// digit here.

/**
 * A time in seconds as a ratio; integers of any size, as numbers or BigInts.
 * @typedef {{n: bigint|number|string, d: bigint|number|string}} Ratio
 */

/** A ratio with BigInt parts. @param {Ratio} time @returns {{n: bigint, d: bigint}} */
export function exact(time) {
  const n = BigInt(time.n), d = BigInt(time.d);
  if (d <= 0n) throw new RangeError('a time needs a positive denominator');
  return { n, d };
}

function divisor(a, b) {
  a = a < 0n ? -a : a;
  while (b) [a, b] = [b, a % b];
  return a || 1n;
}

/** In lowest terms. @param {Ratio} time */
export function reduced(time) {
  const { n, d } = exact(time), g = divisor(n, d);
  return { n: n / g, d: d / g };
}

/** a + b. @param {Ratio} a @param {Ratio} b */
export function sum(a, b) {
  const x = exact(a), y = exact(b);
  return reduced({ n: x.n * y.d + y.n * x.d, d: x.d * y.d });
}

/** a − b. @param {Ratio} a @param {Ratio} b */
export function difference(a, b) {
  const y = exact(b);
  return sum(a, { n: -y.n, d: y.d });
}

/** Below, at or above zero as a − b is. @param {Ratio} a @param {Ratio} b */
export function order(a, b) {
  const { n } = difference(a, b);
  return n < 0n ? -1 : n > 0n ? 1 : 0;
}

/** "44/15", in lowest terms. @param {Ratio} time */
export function ratioText(time) {
  const { n, d } = reduced(time);
  return `${n}/${d}`;
}

/** What ratioText wrote; null for any other text. @param {string} text */
export function parsedRatio(text) {
  const parts = /^(-?\d{1,30})\/(\d{1,30})$/.exec(text);
  if (!parts || BigInt(parts[2]) === 0n) return null;
  return reduced({ n: parts[1], d: parts[2] });
}

/** time · units, rounded down (towards the earlier). @param {Ratio} time @param {bigint|number} units for each second */
export function floorUnits(time, units) {
  const { n, d } = exact(time), product = n * BigInt(units);
  const quotient = product / d;
  return product < 0n && quotient * d !== product ? quotient - 1n : quotient;
}

/** time · units, rounded up. @param {Ratio} time @param {bigint|number} units */
export function ceilUnits(time, units) {
  const { n, d } = exact(time);
  return -floorUnits({ n: -n, d }, units);
}

/** Seconds as a decimal of at most nine places, rounded down, without zeros at its end. @param {Ratio} time */
export function secondsText(time) {
  const all = floorUnits(time, 1_000_000_000n), size = all < 0n ? -all : all;
  const rest = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${all < 0n ? '-' : ''}${size / 1_000_000_000n}${rest ? '.' + rest : ''}`;
}

/** 00:00:02.933 of whole milliseconds. @param {bigint} milliseconds */
export function clockText(milliseconds) {
  const two = (value) => value.toString().padStart(2, '0');
  const seconds = milliseconds / 1000n;
  return `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}.`
    + (milliseconds % 1000n).toString().padStart(3, '0');
}

// Rates that films are made at. A list of times that is one of these, rounded to the file's own clock, is that rate.
const known = [[24, 1], [25, 1], [30, 1], [48, 1], [50, 1], [60, 1], [100, 1], [120, 1], [10, 1], [12, 1], [15, 1],
  [24000, 1001], [30000, 1001], [48000, 1001], [60000, 1001], [120000, 1001]];

/**
 * The rate of a list of times, as `GET media/ID/times` has it.
 * constant: every frame lies where its number says, to the file's own clock.
 * @param {{timescale: number, start?: number, runs: number[][], end?: number}} list
 * @returns {{n: bigint, d: bigint, constant: boolean}} frames in a second
 */
export function rateOf(list) {
  const scale = BigInt(list.timescale), runs = list.runs.map(([count, step]) => [BigInt(count), BigInt(step)]);
  const count = runs.reduce((total, run) => total + run[0], 0n);
  const length = runs.reduce((total, run) => total + run[0] * run[1], 0n);
  // If a short list of rounded times fits several rates, the nearest one counts; of equals the first.
  let fit = null;
  for (const [n, d] of known.map(([n, d]) => [BigInt(n), BigInt(d)])) {
    const away = farthest(runs, scale, n, d);
    if (away && (!fit || order(away, fit.away) < 0)) fit = { n, d, away };
  }
  if (fit) return { n: fit.n, d: fit.d, constant: true };
  const step = runs[0]?.[1] ?? 0n;
  if (step > 0n && runs.every((run) => run[1] === step)) return { ...reduced({ n: scale, d: step }), constant: true };
  if (count === 0n || length <= 0n) return { n: 25n, d: 1n, constant: false };
  const mean = { n: count * scale, d: length };
  const distance = ([n, d]) => {
    const away = difference({ n, d }, mean);
    return away.n < 0n ? { n: -away.n, d: away.d } : away;
  };
  const best = known.map(([n, d]) => [BigInt(n), BigInt(d)]).reduce((a, b) => order(distance(a), distance(b)) <= 0 ? a : b);
  return { n: best[0], d: best[1], constant: false };
}

// How far the times are from a rate's line, in the file's own units; null when one of them is a unit or more away. The
// distance is largest at one of a run's ends. What follows the last frame is a duration and may be anything, unless
// there is only one frame.
function farthest(runs, scale, n, d) {
  let frame = 0n, time = 0n, most = 0n;
  const near = (frame, time) => {
    const signed = time * n - frame * scale * d, away = signed < 0n ? -signed : signed;
    if (away > most) most = away;
    return away < n;
  };
  for (const [count, step] of runs) {
    if (!near(frame, time) || !near(frame + count - 1n, time + (count - 1n) * step)) return null;
    frame += count;
    time += count * step;
  }
  if (frame === 0n || (frame === 1n && !near(1n, time))) return null;
  return { n: most, d: n };
}

/**
 * How a rate is counted in hours, minutes, seconds and frames.
 * base: numbers in a second; counted: a frame's number is its timecode; drops: numbers left out each minute, in drop frame.
 * @param {{n: bigint, d: bigint, constant: boolean}} rate
 */
export function counting(rate) {
  const base = (rate.n + rate.d / 2n) / rate.d;
  const whole = rate.n === base * rate.d, slowed = rate.n * 1001n === base * 1000n * rate.d;
  return {
    base: base > 0n ? base : 1n,
    counted: rate.constant && (whole || slowed),
    drops: slowed && (base === 30n || base === 60n) ? base / 15n : 0n,
  };
}

/** The timecode of a frame's number; with a semicolon when numbers are dropped. @param {bigint} frame @param {bigint} base @param {bigint} drops */
export function timecode(frame, base, drops = 0n) {
  let number = frame;
  if (drops > 0n) {
    const ten = base * 600n - drops * 9n, minute = base * 60n - drops;
    const tens = frame / ten, rest = frame % ten;
    number += drops * 9n * tens + (rest > drops ? drops * ((rest - drops) / minute) : 0n);
  }
  const two = (value) => value.toString().padStart(2, '0');
  const seconds = number / base;
  return `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}${drops > 0n ? ';' : ':'}${two(number % base)}`;
}
