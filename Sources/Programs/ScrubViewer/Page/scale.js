/** How the timeline is painted. Pure drawing: everything comes in, nothing is kept. */

import { clock } from './times.js';

/** The filmstrip: whole small pictures side by side, each the one nearest to the middle of its place. */
export function paintStrip({ context, width, rows, colour, timeline, medium }, again) {
  context.fillStyle = colour('--surround');
  context.fillRect(0, 0, width, rows.strip);
  const size = medium?.strip.tileSize;
  if (!medium || !size) return;
  const shape = size.width / size.height;
  const count = Math.max(Math.round(width / (rows.strip * shape)), 1);
  const slot = width / count;
  for (let i = 0; i < count; i += 1) {
    const tile = medium.strip.tileFor(medium.times.frameAtFraction((i + 0.5) * slot, width));
    const picture = tile && medium.strip.ready(tile);
    if (!picture) {
      if (tile) medium.strip.picture(tile).then((came) => came && again(), () => {});
      continue;
    }
    const [left, right] = [Math.round(i * slot), Math.round((i + 1) * slot)];
    // Fill the slot; crop the picture slightly if the shapes differ.
    const shown = (right - left) / rows.strip;
    const cutX = shown < shape ? picture.width * (1 - shown / shape) : 0;
    const cutY = shown > shape ? picture.height * (1 - shape / shown) : 0;
    context.drawImage(picture.bitmap, picture.x + cutX / 2, picture.y + cutY / 2, picture.width - cutX, picture.height - cutY,
      left, 0, right - left, rows.strip);
  }
}

/** Key pictures: a tick each, and a band where they would be a comb. */
export function paintTicks({ context, width, rows, colour, timeline, medium }) {
  const keys = medium.keyframes;
  const top = rows.strip + 1;
  context.fillStyle = colour('--muted');
  if (keys.length === 0) return;
  if (width / keys.length >= 4) {
    for (const key of keys) context.fillRect(Math.round(timeline.x(key)), top, 1, rows.ticks - 2);
    return;
  }
  const columns = new Array(Math.ceil(width / 4)).fill(0);
  for (const key of keys) columns[Math.min(Math.floor(timeline.x(key) / 4), columns.length - 1)] += 1;
  const most = Math.max(...columns);
  columns.forEach((count, i) => {
    if (count === 0) return;
    context.globalAlpha = 0.35 + 0.65 * (count / most);
    context.fillRect(i * 4, top + 1, 4, rows.ticks - 4);
  });
  context.globalAlpha = 1;
}

/** What a seek costs: one hue, lighter with more decoded pictures, on a logarithmic scale. */
export function paintHeat({ context, width, rows, colour }, heat) {
  const top = rows.strip + rows.ticks;
  context.fillStyle = colour('--hairline');
  context.fillRect(0, top, width, rows.heat);
  if (!heat?.length) return;
  const most = Math.max(...heat, 2);
  context.fillStyle = colour('--heat-line');
  heat.forEach((decoded, i) => {
    const left = Math.floor((i * width) / heat.length);
    const right = Math.ceil(((i + 1) * width) / heat.length);
    context.globalAlpha = 0.12 + 0.88 * (Math.log(Math.max(decoded, 1)) / Math.log(most));
    context.fillRect(left, top, right - left, rows.heat);
  });
  context.globalAlpha = 1;
}

const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];
const frameSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Round times, at least 72 px apart; frame numbers where a frame is wider than 8 px. */
export function paintScale({ context, width, rows, colour, timeline, medium }) {
  if (rows.labels === 0 || medium.times.duration === 0) return;
  const seconds = medium.times.duration / medium.times.timescale;
  const base = rows.strip + rows.ticks + rows.heat + rows.labels - 3;
  context.fillStyle = colour('--muted');
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'alphabetic';
  const put = (x, text) => {
    const wide = context.measureText(text).width;
    context.fillText(text, Math.min(Math.max(x - wide / 2, 1), width - wide - 1), base);
  };
  const wide = width / Math.max(medium.times.count, 1);
  if (wide > 8) {
    const step = frameSteps.find((one) => one * wide >= 72) ?? 1000;
    for (let frame = 0; frame <= medium.times.last; frame += step) put(timeline.x(frame), `f${frame}`);
    return;
  }
  const step = steps.find((one) => (one / seconds) * width >= 72) ?? steps.at(-1);
  const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  // Integer steps, so that errors do not add up over hours.
  for (let i = 0; i * step <= seconds; i += 1) {
    const x = ((i * step) / seconds) * width;
    if (i === 0 || x < width - 36) put(x, clock(Math.round(i * step * 1000), 1000, digits));
  }
}
