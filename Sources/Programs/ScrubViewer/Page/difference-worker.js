// Decodes the two pictures of a difference and subtracts them outside the page's thread. Keeps the last two decoded
// pictures, so that another gain needs no decoding. Messages: {id, a, b, scale, view}: a and b are blobs of whole PNG
// pictures.

import { subtract } from './pixels.js';

let kept = [];

async function pixels({ key, blob }) {
  const known = kept.find((one) => one.key === key);
  if (known) return known;
  // The file's values, without the screen's color conversion.
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  const one = { key, ...read(bitmap, bitmap.width, bitmap.height) };
  bitmap.close();
  kept = [one, ...kept].slice(0, 2);
  return one;
}

function read(source, width, height) {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.imageSmoothingQuality = 'high';
  context.drawImage(source, 0, 0, width, height);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

function scaled(picture, width, height) {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('2d').putImageData(new ImageData(picture.data, picture.width), 0, 0);
  return read(canvas, width, height);
}

addEventListener('message', async ({ data: { id, a, b, scale, view } }) => {
  try {
    const first = await pixels(a);
    let second = await pixels(b);
    const sizes = { a: [first.width, first.height], b: [second.width, second.height] };
    if (first.width !== second.width || first.height !== second.height) {
      if (!scale) {
        postMessage({ id, sizes, differs: true });
        return;
      }
      second = scaled(second, first.width, first.height);
    }
    const image = new ImageData(first.width, first.height);
    const numbers = subtract(first.data, second.data, image.data, view);
    const bitmap = await createImageBitmap(image, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
    postMessage({ id, sizes, numbers, bitmap }, { transfer: [bitmap] });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
});
