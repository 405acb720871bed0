/** The small picture over the timeline while the pointer is there. It comes from the strip: a move asks the server nothing. */

import { element, setText } from './dom.js';

const canHover = matchMedia('(hover: hover)');

export class Preview {
  #timer = 0;
  #visible = false;
  #turn = 0;

  /** @param {HTMLElement} track @param {import('./timeline.js').Timeline} timeline */
  constructor(track, timeline) {
    this.track = track;
    this.timeline = timeline;
    this.canvas = element('canvas', { width: 16, height: 9 });
    this.time = element('span', { class: 'preview-time' });
    this.number = element('span', { class: 'preview-time' });
    this.frame = element('span', { class: 'preview-frame' });
    this.cost = element('span', { class: 'preview-frame' });
    this.box = element('div', { class: 'preview', hidden: true, 'aria-hidden': 'true' }, this.canvas, element('p', {}, this.time, this.number), element('p', {}, this.cost, this.frame));
    this.line = element('div', { class: 'hover-line', hidden: true, 'aria-hidden': 'true' });
    track.parentElement.append(this.box);
    track.append(this.line);
    track.addEventListener('pointerleave', () => this.hide());
    addEventListener('scroll', () => this.hide(), { passive: true, capture: true });
    addEventListener('blur', () => this.hide());
  }

  /** The pointer is at a place. @param {number} clientX @param {string} kind */
  at(clientX, kind) {
    if (kind === 'touch' || !canHover.matches) { this.hide(); return; }
    this.x = clientX;
    if (this.#visible) { this.#show(); return; }
    this.#timer ||= setTimeout(() => { this.#timer = 0; this.#visible = true; this.#show(); }, 80);
  }

  hide() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#visible = false;
    this.box.hidden = true;
    this.line.hidden = true;
  }

  async #show() {
    const { medium } = this.timeline;
    if (!medium) return;
    const turn = ++this.#turn;
    const pointed = this.timeline.frameAt(this.x);
    const tile = medium.strip.tileFor(pointed);
    const picture = tile && (medium.strip.ready(tile) ?? await medium.strip.picture(tile).catch(() => null));
    if (turn !== this.#turn || !this.#visible) return;
    if (picture) this.#draw(picture);
    this.canvas.hidden = !picture;
    // The time is the pointer's; the picture shows its own number if it is another frame.
    setText(this.time, medium.times.secondsText(pointed));
    setText(this.number, `f${pointed}`);
    setText(this.frame, picture && tile.frame !== pointed ? `picture: f${tile.frame}` : ' ');
    const cost = this.timeline.costAt(pointed);
    setText(this.cost, cost === null ? '' : `≤ ${cost} decoded`);
    this.box.hidden = false;
    this.line.hidden = false;
    this.#place();
  }

  #draw({ bitmap, x, y, width, height }) {
    const { canvas } = this;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    canvas.getContext('2d', { alpha: false }).drawImage(bitmap, x, y, width, height, 0, 0, width, height);
  }

  /** Over the pointer, and inside the page. */
  #place() {
    const track = this.track.getBoundingClientRect();
    const parent = this.track.parentElement.getBoundingClientRect();
    const x = Math.min(Math.max(this.x, track.left), track.right);
    const half = this.box.offsetWidth / 2;
    const left = Math.min(Math.max(x - half, 4), document.documentElement.clientWidth - 2 * half - 4);
    this.box.style.transform = `translateX(${Math.round(left - parent.left)}px)`;
    this.line.style.transform = `translateX(${Math.round(x - track.left)}px)`;
  }
}
