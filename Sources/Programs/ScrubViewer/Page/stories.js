// Stories: parts of five seconds that fill the screen. A tap on the left third goes back, elsewhere forward; holding
// pauses. A part plays silently from its first frame; with reduced motion it shows a still and does not advance by
// itself.

import { element, setIcon, setText } from './dom.js';
import { stillness } from './elements.js';
import { Lane } from './lane.js';
import { parts as partsOf, Story } from './story.js';

const holdAfter = 250, tapWithin = 12;

/** @param {import('./app.js').Context} context */
export function stories(context) {
  const { api, dock, library, panes, play, store } = context;
  const still = stillness();
  const canvas = element('canvas', { class: 'stories-picture', 'data-part': 'story', 'aria-hidden': 'true' });
  const drawing = canvas.getContext('2d', { alpha: false });
  const bar = element('div', { class: 'stories-bar', 'aria-hidden': 'true' });
  const name = element('span', { class: 'stories-name' });
  const facts = element('span', { class: 'stories-facts', 'data-part': 'story-facts' });
  const said = element('p', { role: 'status', class: 'feature-spoken' });
  const pause = element('button', { type: 'button', class: 'quiet', 'aria-label': 'Pause', icon: 'pause', 'data-part': 'story-pause', onclick: () => toggle() });
  const back = element('button', { type: 'button', class: 'quiet stories-side', 'aria-label': 'Back', icon: 'previous', onclick: () => turn(() => story.back()) });
  const on = element('button', { type: 'button', class: 'quiet stories-side', 'aria-label': 'Forward', icon: 'next', onclick: () => turn(() => story.forward()) });
  const field = element('div', { class: 'stories-field', 'data-part': 'story-field' }, canvas);
  const dialog = element('dialog', { class: 'stories', 'aria-label': 'Stories' }, field,
    element('div', { class: 'stories-top' }, bar, element('div', { class: 'stories-line' }, name, facts, pause,
      element('button', { type: 'button', class: 'quiet', 'aria-label': 'Leave stories', icon: 'close', onclick: () => dialog.close() }))), back, on, said);
  document.body.append(dialog);

  /** @type {Story|null} */
  let story = null;
  let list = [], films = [], lane = null, picture = null, last = 0;

  const medium = () => library.get(films[list[story.index].film].id);
  const first = () => Math.max(films.findIndex((film) => film.id === panes.active?.mediumId), 0);

  // The compared films; or else the marks of the current one; or else all films.
  function chosen(marks) {
    const ready = store.state.media.filter((one) => one.state === 'ready' && one.frameCount > 0);
    const shown = panes.list.map((pane) => pane.mediumId);
    return shown.length > 1 || marks.length > 0 ? ready.filter((one) => shown.includes(one.id)) : ready;
  }

  function open() {
    if (dialog.open) return;
    const marks = (store.state.marks ?? []).map((mark) => mark.frame);
    films = chosen(marks);
    list = partsOf(films, marks);
    if (list.length === 0) return;
    play.stop();
    story = new Story(list.length, still.matches);
    if (films.length > 1) story.go(first());
    bar.replaceChildren(...list.map(() => element('span', {}, element('span', { class: 'stories-fill' }))));
    // Hidden elements must not get the focus when it opens.
    draw();
    dialog.showModal();
    store.set({ mode: 'stories' });
    begin();
    last = performance.now();
    requestAnimationFrame(tick);
  }

  // The next part begins exactly with its first frame.
  function begin() {
    if (story.over) {
      dialog.close();
      return;
    }
    const part = list[story.index], here = medium();
    lane?.close();
    lane = null;
    draw();
    // A film is opened when its turn comes; the clock waits for it.
    if (!here) {
      read(films[part.film], story.index);
      return;
    }
    const mine = new Lane({
      id: `story${story.index}`, medium: here, width: () => canvas.width, format: () => 'jpeg', fail: (failure) => fail(failure), changed() {},
      commit: ({ bitmap, crop, shown }) => { if (lane === mine) show(bitmap, crop, shown, here); else if (!crop) bitmap.close(); },
    }, api);
    lane = mine;
    lane.rest(part.frame);
    setText(said, `${story.index + 1} of ${story.count}: ${here.name}, frame ${part.frame}`);
    setText(name, here.name);
    const next = films[list[story.index + 1]?.film];
    if (next) library.open(next.id).catch(() => {});
  }

  async function read(film, index) {
    setText(name, film.name);
    setText(facts, 'Reading…');
    const failure = await library.open(film.id).then(() => null, (error) => error);
    if (!dialog.open || story.index !== index || lane) return;
    if (failure) setText(facts, `It cannot be opened: ${failure.message}`);
    else begin();
  }

  function show(bitmap, crop, shown, film) {
    if (picture && !picture.crop) picture.bitmap.close();
    picture = { bitmap, crop };
    paint();
    setText(facts, `f${shown.frame} · ${film.times.secondsText(shown.frame)}`);
    facts.dataset.frame = shown.frame;
  }

  function fail(failure) {
    if (failure) setText(facts, `f${failure.frame}: ${failure.error}`);
  }

  // Change size and picture in one task; otherwise the canvas would be empty for a moment.
  function paint() {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(field.clientWidth * ratio), Math.round(field.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    drawing.fillStyle = '#161616';
    drawing.fillRect(0, 0, width, height);
    if (!picture) return;
    const { bitmap, crop } = picture;
    const from = crop ? [crop.x, crop.y, crop.width, crop.height] : [0, 0, bitmap.width, bitmap.height];
    // The picture's own shape: rotated pictures and non-square pixels differ from the file's size.
    const scale = Math.min(width / from[2], height / from[3]);
    const [w, h] = [from[2] * scale, from[3] * scale];
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(bitmap, ...from, (width - w) / 2, (height - h) / 2, w, h);
  }

  function tick(now) {
    if (!dialog.open) return;
    // Time in a hidden tab, or of a slow frame, does not count as the story's time.
    const passed = Math.min(now - last, 100);
    last = now;
    if (lane && story.pass(passed)) begin();
    else if (lane && story.runs) advance();
    if (dialog.open) {
      draw();
      requestAnimationFrame(tick);
    }
  }

  function advance() {
    const part = list[story.index], { times } = medium();
    const ticks = times.ticks(part.frame) + Math.floor(story.elapsed * times.timescale / 1000);
    const frame = Math.min(times.frameAtTicks(ticks), part.last);
    if (frame > (lane.want?.frame ?? -1)) lane.move(frame);
  }

  function draw() {
    const fills = bar.querySelectorAll('.stories-fill');
    fills.forEach((fill, index) => {
      const share = index < story.index ? 1 : index > story.index ? 0 : story.fraction;
      fill.style.transform = `scaleX(${share})`;
    });
    const stopped = story.paused || story.still;
    pause.hidden = story.still;
    pause.setAttribute('aria-label', stopped ? 'Continue' : 'Pause');
    setIcon(pause, stopped ? 'play' : 'pause');
    dialog.dataset.state = story.held ? 'held' : stopped ? 'paused' : 'running';
    dialog.dataset.index = story.index;
  }

  function turn(act) {
    act();
    begin();
  }

  function toggle() {
    story.paused = !story.paused;
    if (story.paused) lane?.release();
    draw();
  }

  // One finger or button: short is a tap where it went down, long is a hold until it is released or cancelled.
  let press = null;
  field.addEventListener('pointerdown', (event) => {
    if (press || event.button !== 0) return;
    field.setPointerCapture(event.pointerId);
    press = { id: event.pointerId, x: event.clientX, y: event.clientY, held: false };
    press.timer = setTimeout(() => {
      press.held = story.held = true;
      lane?.release();
      draw();
    }, holdAfter);
  });
  const ended = (event) => {
    if (press?.id !== event.pointerId) return;
    const { held, x, y, timer } = press;
    clearTimeout(timer);
    press = null;
    story.held = false;
    const near = Math.hypot(event.clientX - x, event.clientY - y) <= tapWithin;
    if (event.type === 'pointerup' && !held && near) {
      const box = field.getBoundingClientRect();
      turn(() => story.tap(x - box.left, box.width, getComputedStyle(field).direction === 'rtl'));
    }
  };
  for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) field.addEventListener(kind, ended);
  field.addEventListener('contextmenu', (event) => event.preventDefault());

  dialog.addEventListener('keydown', (event) => {
    // The page behind must not react.
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => turn(() => story.back()), ArrowRight: () => turn(() => story.forward()), ' ': () => toggle() }[event.key];
    if (!act || (event.key === ' ' && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    act();
  });
  dialog.addEventListener('close', () => {
    const shown = lane?.shown, here = story && !story.over ? medium() : null;
    lane?.close();
    lane = null;
    if (picture && !picture.crop) picture.bitmap.close();
    picture = null;
    press = null;
    store.set({ mode: store.state.panes.length > 1 ? 'compare' : 'view' });
    // The page shows the frame at which the story was closed.
    const pane = panes.list.find((one) => one.mediumId === here?.id);
    if (!pane || !shown) return;
    panes.activate(pane.id);
    panes.seek(shown.frame, 'rest', pane);
  });
  new ResizeObserver(() => { if (dialog.open) { paint(); lane?.refresh(); } }).observe(field);
  still.addEventListener('change', () => {
    if (!story) return;
    story.still = still.matches;
    if (still.matches && document.activeElement === pause) on.focus();
  });

  dock.add({ icon: 'stories', label: 'Stories', key: 'Shift+S', id: 'stories', group: 'More', place: 'tools', needsFilm: true, run: open });
  return { open };
}
