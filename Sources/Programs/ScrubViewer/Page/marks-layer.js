// Marks, in and out over the timeline's strip: shapes with a dark edge, so that they are visible on any picture.

const flag = 9;

/**
 * @param {CanvasRenderingContext2D} context in CSS pixels @param {import('./timeline.js').Timeline} timeline
 * @param {{marks: {frame: number}[], range?: {first: number|null, last: number|null}}} state
 */
export function paintMarks(context, timeline, { marks, range }) {
  const { medium, rows, width } = timeline;
  if (!medium) return;
  const colours = getComputedStyle(timeline.root);
  const accent = colours.getPropertyValue('--accent').trim() || '#6cb2ff';
  if (range && (range.first != null || range.last != null)) paintRange();
  for (const { frame } of marks) {
    const x = Math.min(Math.max(Math.round(timeline.x(frame)), flag / 2), width - flag / 2);
    context.beginPath();
    context.moveTo(x - flag / 2, 0);
    context.lineTo(x + flag / 2, 0);
    context.lineTo(x + flag / 2, flag - 2);
    context.lineTo(x, flag + 3);
    context.lineTo(x - flag / 2, flag - 2);
    context.closePath();
    context.fillStyle = accent;
    context.strokeStyle = '#000000';
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;

  function paintRange() {
    const left = range.first == null ? 0 : timeline.x(range.first);
    // Out is inclusive: the range ends where the next frame begins.
    const end = range.last == null || range.last >= medium.times.last ? width : timeline.x(range.last + 1);
    context.globalAlpha = 0.6;
    context.fillStyle = '#000000';
    context.fillRect(0, 0, left, rows.strip);
    context.fillRect(end, 0, width - end, rows.strip);
    context.globalAlpha = 1;
    context.fillStyle = accent;
    context.fillRect(left, rows.strip - 3, Math.max(end - left, 2), 3);
    if (range.first != null) bracket(left, 1);
    if (range.last != null) bracket(end, -1);
  }

  function bracket(x, way) {
    context.fillRect(way > 0 ? x : x - 2, 0, 2, rows.strip);
    context.fillRect(way > 0 ? x : x - 6, 0, 6, 3);
  }
}
