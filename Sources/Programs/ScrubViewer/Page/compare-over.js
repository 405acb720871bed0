// The drawing over the first pane's picture when it is compared with the second one's: a wipe, the difference, a blink,
// and the lines about each pane's content.

import { chip } from './chip.js';
import { element } from './dom.js';
import { stillness } from './elements.js';

// At most two changes per second in each direction: well below the three flashes that can be harmful.
const blinkEvery = 250;

export class Over {
  #chips = new Map();
  #front = null;
  #blinking = false;
  #other = false;
  #timer = 0;

  /** @param {import('./comparison.js').Comparison} model */
  constructor(model) {
    this.model = model;
    this.handle = element('div', {
      class: 'wipe-line', role: 'slider', tabindex: '0', 'aria-label': 'Wipe: A on the left, B on the right', 'aria-valuemin': '0', 'aria-valuemax': '100',
      'data-part': 'wipe',
    });
    this.handle.addEventListener('keydown', (event) => this.#key(event));
    this.#drag();
  }

  /** Updates the lines and the drawing from the store, in the task of a commit, so that all change together. */
  show() {
    const { model } = this, { panes, store } = model;
    const several = model.order.length > 1;
    for (const [id, { line }] of this.#chips) {
      if (several && panes.get(id)) continue;
      line.remove();
      this.#chips.delete(id);
    }
    for (const pane of several ? panes.list : []) {
      if (!this.#chips.has(pane.id)) {
        const made = chip(model, pane);
        this.#chips.set(pane.id, made);
        pane.element.append(made.line);
      }
      this.#chips.get(pane.id).show(store.pane(pane.id), pane === panes.get(model.order[0]) ? this.#note() : '');
    }
    const front = several && (model.view !== 'side' || this.#blinking) ? model.pair[0] : null;
    if (this.#front && this.#front !== front) this.#front.stage.overlay(null);
    this.#front = front;
    if (model.view === 'wipe' && front) {
      if (this.handle.parentElement !== front.element) front.element.append(this.handle);
      this.handle.setAttribute('aria-valuenow', String(Math.round(model.wipe * 100)));
    } else {
      this.handle.remove();
    }
    front?.stage.overlay((context, box) => this.#paint(context, box));
  }

  /** Starts and ends the blink. With reduced motion, B is simply shown while the key is held. @param {boolean} on */
  blink(on) {
    clearInterval(this.#timer);
    this.#blinking = on && this.model.pair !== null;
    this.#other = this.#blinking;
    if (this.#blinking && !stillness().matches) {
      this.#timer = setInterval(() => {
        this.#other = !this.#other;
        this.show();
      }, blinkEvery);
    }
    this.show();
  }

  // A few words next to the first pane's number.
  #note() {
    const { model } = this;
    if (this.#blinking) return this.#other ? 'B is shown' : 'A is shown';
    if (model.view === 'wipe') return this.#second() ? 'B on the right' : 'waiting for B';
    if (model.view !== 'difference') return '';
    const sides = model.sides('shown');
    if (!sides) return model.isEmptyHere ? 'no difference: one film has no frame here' : 'difference: waiting';
    const made = model.difference.of(...sides);
    const { view, gain } = model.difference.view;
    const way = view === 'mask' ? 'mask' : `${view === 'luma' ? 'luma ' : ''}×${gain}`;
    return `A − B ${way}: ${model.difference.words(made)}`;
  }

  /** B's picture, if it is a complete one and not a piece of the strip's sheet. */
  #second() {
    const second = this.model.pair?.[1];
    const shown = second && this.model.store.pane(second.id)?.shown;
    return shown && shown.stage !== 'tile' && !second.stage.isEmpty ? second.stage.bitmap : null;
  }

  #paint(context, box) {
    const { model } = this;
    const second = this.#second();
    if (this.#blinking) {
      if (this.#other && second) this.#draw(context, box, second);
    } else if (model.view === 'wipe') {
      const x = this.#line(box, context.canvas);
      if (second) {
        context.save();
        context.beginPath();
        context.rect(x, 0, context.canvas.width - x, context.canvas.height);
        context.clip();
        this.#draw(context, box, second);
        context.restore();
      }
      this.handle.style.left = `${x / model.pair[0].stage.ratio}px`;
    } else if (model.view === 'difference') {
      const sides = model.sides('shown'), made = sides && model.difference.of(...sides);
      if (made?.bitmap) context.drawImage(made.bitmap, box.x, box.y, box.width, box.height);
    }
  }

  /** The line's place on the canvas: it stays visible when the picture is larger than the pane. */
  #line(box, canvas) {
    return Math.round(Math.min(Math.max(box.x + box.width * this.model.wipe, 0), canvas.width));
  }

  // In the first picture's place. A picture of another shape is centred there, as large as fits, and never stretched.
  #draw(context, box, bitmap) {
    const { size } = this.model.pair[1].stage;
    const scale = Math.min(box.width / size.width, box.height / size.height);
    const [width, height] = [size.width * scale, size.height * scale];
    const same = Math.abs(width - box.width) < 1 && Math.abs(height - box.height) < 1;
    if (!same) context.fillRect(box.x, box.y, box.width, box.height);
    const to = same ? [box.x, box.y, box.width, box.height] : [box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height];
    context.drawImage(bitmap, ...to);
  }

  #move(part) {
    this.model.wipe = Math.min(Math.max(part, 0), 1);
    this.show();
  }

  #key(event) {
    const steps = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1 };
    const step = steps[event.key];
    if (event.key === 'Home') this.#move(0);
    else if (event.key === 'End') this.#move(1);
    else if (step) this.#move(this.model.wipe + step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #drag() {
    const { handle } = this;
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      handle.setPointerCapture(event.pointerId);
      event.stopPropagation();
    });
    handle.addEventListener('pointermove', (event) => {
      if (!handle.hasPointerCapture(event.pointerId) || !this.#front) return;
      event.stopPropagation();
      const { stage, canvas } = this.#front;
      const x = (event.clientX - canvas.getBoundingClientRect().left) * stage.ratio;
      this.#move((x - stage.box.x) / stage.box.width);
    });
  }
}
