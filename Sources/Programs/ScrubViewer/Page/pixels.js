// The difference of two pictures of one size, pixel for pixel. Bytes in, bytes and numbers out; the numbers never
// depend on the view.

/**
 * @typedef {{view: 'colour'|'luma'|'mask', gain: number, threshold: number}} View
 * @typedef {{pixels: number, differing: number, largest: number, psnr: number, lumaPsnr: number}} Numbers
 *   differing: pixels of which a channel differs; largest: of any channel, 0...255; psnr in dB over red, green and blue, Infinity when
 *   they are identical
 */

// BT.709 in integers whose sum is 65536, so that white stays white and rounding does not depend on the machine.
const red = 13933, green = 46871, blue = 4732;

const decibels = (squares, samples) => squares === 0 ? Infinity : 10 * Math.log10(255 * 255 * samples / squares);

/**
 * Writes the picture of the difference and returns its numbers. a, b and out are RGBA of one length; alpha is ignored and out opaque.
 * mask: white where a channel differs by more than the threshold, elsewhere the first picture, grey and dark.
 * @param {Uint8ClampedArray|Uint8Array} a @param {Uint8ClampedArray|Uint8Array} b @param {Uint8ClampedArray} out @param {View} view
 * @returns {Numbers}
 */
export function subtract(a, b, out, { view, gain, threshold }) {
  if (a.length !== b.length || out.length !== a.length || a.length % 4) throw new RangeError('the pictures differ in size');
  const numbers = { differing: 0, largest: 0, squares: 0, lumaSquares: 0 };
  // One row of a 4K picture at a time, so that the sums of a block stay small integers.
  for (let from = 0; from < a.length; from += 16384) {
    block(a, b, out, from, Math.min(from + 16384, a.length), view, gain, threshold, numbers);
  }
  const pixels = a.length / 4;
  return {
    pixels, differing: numbers.differing, largest: numbers.largest,
    psnr: decibels(numbers.squares, pixels * 3), lumaPsnr: decibels(numbers.lumaSquares, pixels),
  };
}

function block(a, b, out, from, to, view, gain, threshold, numbers) {
  let differing = 0, largest = numbers.largest, squares = 0, lumaSquares = 0;
  for (let i = from; i < to; i += 4) {
    const r = Math.abs(a[i] - b[i]), g = Math.abs(a[i + 1] - b[i + 1]), u = Math.abs(a[i + 2] - b[i + 2]);
    const most = Math.max(r, g, u);
    const luma = Math.abs(lumaOf(a, i) - lumaOf(b, i));
    if (most > 0) differing += 1;
    if (most > largest) largest = most;
    squares += r * r + g * g + u * u;
    lumaSquares += luma * luma;
    if (view === 'colour') {
      out[i] = r * gain;
      out[i + 1] = g * gain;
      out[i + 2] = u * gain;
    } else {
      const value = view === 'luma' ? luma * gain : most > threshold ? 255 : lumaOf(a, i) >> 2;
      out[i] = out[i + 1] = out[i + 2] = value;
    }
    out[i + 3] = 255;
  }
  numbers.differing += differing;
  numbers.largest = largest;
  numbers.squares += squares;
  numbers.lumaSquares += lumaSquares;
}

function lumaOf(bytes, i) {
  return (bytes[i] * red + bytes[i + 1] * green + bytes[i + 2] * blue + 32768) >> 16;
}

/** The numbers in words. @param {Numbers} numbers @param {number} threshold @returns {string} */
export function words(numbers) {
  if (numbers.differing === 0) return 'Identical: every pixel is the same.';
  const share = numbers.differing / numbers.pixels * 100;
  const percent = share >= 99.995 && numbers.differing < numbers.pixels ? '99.99' : share < 0.005 ? 'under 0.01' : share.toFixed(2);
  return `${numbers.differing.toLocaleString('en')} of ${numbers.pixels.toLocaleString('en')} pixels differ (${percent} %), `
    + `by at most ${numbers.largest}. PSNR ${numbers.psnr.toFixed(2)} dB, luma ${numbers.lumaPsnr === Infinity ? 'identical' : numbers.lumaPsnr.toFixed(2) + ' dB'}.`;
}
