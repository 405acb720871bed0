// <scrub-strip>: a timeline with a film's thumbnails, for any page. Part of Scrub, under the project's license.
//
//   <script src="scrub-strip.js" defer></script>
//   <scrub-strip src="thumbnails.vtt" for="film"></scrub-strip>
//
// Attributes   src         WebVTT, or the JSON of a set: thumbnails.json, manifest.json, storyboard.json
//              for         id of a <video>: the strip seeks in it and follows it
//              duration    seconds; by default the video's, or the set's end
//              value       seconds: the current position
//              label       its name for screen readers; "Time" by default
//              step        seconds per arrow key; by default from thumbnail to thumbnail
//              preload     none (the set is read when a pointer or the focus arrives), metadata (default),
//                          auto (also a first sheet)
//              filmstrip   also shows thumbnails along the line
//              persistent  shows the value's thumbnail while there is no pointer
//              disabled    ignores input
// Data inside  <script type="text/vtt"> or <script type="application/json"> in the element, for pages that are opened
//              as files
// Properties   value, duration, src, disabled, thumbnails (an array), formatValue (time, duration, thumbnail) -> text
// Events       input while it moves, change after a move, load and error of the set
// Parts        track film played head pointer preview picture time
// Variables    --scrub-strip-accent --scrub-strip-track --scrub-strip-radius --scrub-strip-preview-width
// No other files, no requests except for the set and its sheets, no inline styles or scripts: it runs under
// script-src 'self'; img-src 'self'; connect-src 'self'. Memory: the set, and 8 sheets for all strips of a page.
(() => {
  'use strict';
  if (customElements.get('scrub-strip')) return;

  /**
   * @typedef {object} Thumbnail
   * @property {number} start seconds
   * @property {number} end seconds; not part of the slot
   * @property {string} url of the sheet, absolute
   * @property {{x: number, y: number, width: number, height: number, isPercent?: boolean}|null} region null for the whole sheet
   * @property {number} [frame]
   */

  const SHEET_LIMIT = 8, THUMBNAIL_LIMIT = 200000, HOVER_DELAY = 80, SPEECH_PERIOD = 500, RETRY_AFTER = 5000;

  // MARK: The set

  const seconds = text => {
    const parts = /^(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)$/.exec(text);
    return parts ? (parts[1] || 0) * 3600 + parts[2] * 60 + Number(parts[3].replace(',', '.')) : NaN;
  };

  /** @returns {Thumbnail|null} null for text that does not name a picture or a part of one. */
  function thumbnail(start, end, address, base, region, frame) {
    if (!(start >= 0) || typeof address !== 'string' || !address.trim()) return null;
    const [path, ...rest] = address.trim().split('#'), fragment = rest.join('#');
    if (!region && /(?:^|&)xywh=/.test(fragment)) {
      const found = /(?:^|&)xywh=(?:(pixel|percent):)?([\d.]+),([\d.]+),([\d.]+),([\d.]+)(?:&|$)/.exec(fragment);
      // A whole sheet instead of a part of it would be worse than no picture.
      if (!found) return null;
      const [x, y, width, height] = found.slice(2).map(Number);
      region = {x, y, width, height, isPercent: found[1] === 'percent'};
    }
    if (region && !(region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0)) return null;
    try {
      const made = {start, end: end > start ? end : NaN, url: new URL(path, base).href, region: region || null};
      if (Number.isInteger(frame)) made.frame = frame;
      return made;
    } catch {
      return null;
    }
  }

  /** Reads the cues; unreadable ones are skipped. */
  function fromVTT(text, base) {
    const found = [], lines = text.split(/\r\n|\r|\n/);
    // The last cue ends after the film, for players that look up the end itself; Scrub's sets have the film's end in a
    // note.
    const end = lines.find((line, i) => line.startsWith('NOTE film end ') && !lines[i - 1]);
    for (let i = 0; i < lines.length; i++) {
      const times = /^\s*([\d:.,]+)\s*-->\s*([\d:.,]*)/.exec(lines[i]);
      if (!times) continue;
      const content = lines[i + 1] || '';
      found.push(content.includes('-->') ? null : thumbnail(seconds(times[1]), seconds(times[2]), content, base));
    }
    return {found, duration: end ? seconds(end.slice(14).trim()) : NaN};
  }

  function fromJSON(json, base) {
    const number = value => typeof value === 'number' ? value : NaN;
    const region = (at, size) => at && size && {
      x: number(at.x), y: number(at.y), width: number(size.width), height: number(size.height)};
    const list = value => value.map(one => typeof one === 'object' && one ? one : {});
    if (Array.isArray(json)) {
      return {duration: number(json[json.length - 1]?.filmEnd), found: list(json).map(one => thumbnail(
        number(one.startTime ?? one.start), number(one.endTime ?? one.end), one.url, base,
        one.region || (one.coords ? region(one.coords, one) : 'x' in one ? region(one, one) : null), one.frame))};
    }
    if (json && Array.isArray(json.tiles)) {
      const size = {width: json.tile_width, height: json.tile_height};
      return {duration: number(json.duration), found: list(json.tiles).map(one =>
        thumbnail(number(one.start), NaN, json.url, base, region(one, size)))};
    }
    if (json && Array.isArray(json.thumbnails)) {
      return {duration: number(json.duration) + (number(json.playerStart) || 0), found: list(json.thumbnails).map(one => {
        const name = typeof one.sheet === 'string' ? one.sheet.split('/').map(encodeURIComponent).join('/') : '';
        return thumbnail(number(one.start), NaN, name && './' + name, base, region(one, one), one.frame);
      })};
    }
    throw new Error('the JSON is not a thumbnail set');
  }

  /** @returns {{thumbnails: Thumbnail[], duration: number, skipped: number}} in the order of their times */
  function read(text, base) {
    text = text.replace(/^\uFEFF/, '');
    const isJSON = /^\s*[[{]/.test(text);
    return arrange(isJSON ? fromJSON(JSON.parse(text), base) : fromVTT(text, base));
  }

  function arrange({found, duration}) {
    const thumbnails = found.filter(Boolean).slice(0, THUMBNAIL_LIMIT).sort((a, b) => a.start - b.start);
    const last = thumbnails[thumbnails.length - 1], before = thumbnails[thumbnails.length - 2];
    if (last && !(duration > 0)) duration = last.end > 0 ? last.end : last.start + (before ? last.start - before.start : 1);
    thumbnails.forEach((one, i) => {
      const next = i + 1 < thumbnails.length ? thumbnails[i + 1].start : Infinity;
      // A gap from rounding does not count.
      if (!(one.end < next - 0.1)) one.end = next;
    });
    return {thumbnails, duration, skipped: found.length - thumbnails.length};
  }

  // MARK: Sheets, for all strips of the page

  /** @type {Map<string, {image: HTMLImageElement|null, failed: number, promise: Promise<HTMLImageElement|null>}>} */
  const sheets = new Map();

  function ready(url) {
    const sheet = sheets.get(url);
    if (!sheet?.image) return null;
    // The least recently used is the first.
    sheets.delete(url);
    sheets.set(url, sheet);
    return sheet.image;
  }

  /** Loads and decodes a sheet; null on failure. Repeated calls share one request. */
  function load(url) {
    const known = sheets.get(url);
    if (known && !(known.failed && performance.now() - known.failed > RETRY_AFTER)) return known.promise;
    const image = new Image(), sheet = {image: null, failed: 0, promise: null};
    image.decoding = 'async';
    image.src = url;
    sheet.promise = image.decode().then(() => {
      sheet.image = image;
      return image;
    }, () => {
      sheet.failed = performance.now();
      return null;
    }).finally(() => {
      for (const [old, other] of sheets) {
        if (sheets.size <= SHEET_LIMIT) break;
        if (old !== url && (other.image || other.failed)) sheets.delete(old);
      }
    });
    sheets.set(url, sheet);
    return sheet.promise;
  }

  // MARK: The look

  const css = `
    :host{display:block;position:relative;box-sizing:border-box;height:2.5rem;min-height:24px;direction:ltr;cursor:ew-resize;
      touch-action:pan-y;user-select:none;-webkit-user-select:none;-webkit-tap-highlight-color:transparent;--accent:Highlight}
    @supports(color:light-dark(red,red)){:host{--accent:light-dark(#0b5cad,#6cb2ff)}}
    :host([hidden]){display:none}
    :host([disabled]){opacity:.5;cursor:default}
    #area,#track{position:absolute;inset:0}
    #track{overflow:hidden;border-radius:var(--scrub-strip-radius,.4rem);
      background:var(--scrub-strip-track,rgb(128 128 128/.28));forced-color-adjust:none}
    #film{position:absolute;inset:0;width:100%;height:100%}
    #played{position:absolute;inset:0 auto 0 0;width:0;background:var(--scrub-strip-accent,var(--accent));opacity:.35}
    :host([filmstrip]) #played{top:auto;height:4px;opacity:1}
    #head,#pointer{position:absolute;top:0;bottom:0;width:2px;margin-left:-1px;background:#fff;box-shadow:0 0 0 1px rgb(0 0 0/.65);
      pointer-events:none}
    #pointer{width:1px;margin-left:0;opacity:.7}
    #range{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;pointer-events:none}
    #area:not(.pressed) #range:focus-visible~#track{outline:2px solid var(--scrub-strip-accent,var(--accent));outline-offset:2px}
    #preview{position:absolute;left:0;bottom:calc(100% + 8px);z-index:2;width:max-content;text-align:center;pointer-events:none}
    #preview.below{bottom:auto;top:calc(100% + 8px)}
    #picture{display:block;margin:0 auto;background:rgb(128 128 128/.28);box-shadow:0 0 0 1px rgb(0 0 0/.4);
      width:var(--scrub-strip-preview-width,min(var(--own,320px),320px,100vw - 16px));height:auto}
    #picture.late{opacity:.45}
    #time{display:inline-block;margin-top:4px;padding:0 .5em;border-radius:.3em;background:Canvas;color:CanvasText;font-weight:600;
      font-variant-numeric:tabular-nums;white-space:nowrap}
    [hidden]{display:none!important}`;
  const styles = new WeakMap();

  function style(root) {
    const owner = root.ownerDocument, kind = owner.defaultView?.CSSStyleSheet;
    try {
      if (!styles.has(owner)) {
        const made = new kind();
        made.replaceSync(css);
        styles.set(owner, made);
      }
      root.adoptedStyleSheets = [styles.get(owner)];
    } catch {
      // Browsers before 2023. With a policy that forbids inline styles the strip has no styles there.
      root.prepend(Object.assign(owner.createElement('style'), {textContent: css}));
    }
  }

  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

  function clock(time, decimals) {
    const scale = 10 ** decimals, all = Math.floor(time * scale + 1e-6), whole = Math.floor(all / scale);
    const two = n => String(n).padStart(2, '0'), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60);
    return (hours ? hours + ':' + two(minutes % 60) : minutes) + ':' + two(whole % 60)
      + (decimals ? '.' + String(all % scale).padStart(decimals, '0') : '');
  }

  /** The spoken time: digits with colons would be read as a time of day. */
  function spoken(time) {
    const all = Math.floor(time * 10 + 1e-6), whole = Math.floor(all / 10), say = (n, one) => n + ' ' + one + (n === 1 ? '' : 's');
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = whole % 60;
    return (hours ? say(hours, 'hour') + ' ' : '') + (hours || minutes ? say(minutes, 'minute') + ' ' : '')
      + (all % 10 ? rest + '.' + all % 10 + ' seconds' : say(rest, 'second'));
  }

  // MARK: The element

  class ScrubStrip extends HTMLElement {
    static observedAttributes = ['src', 'for', 'duration', 'value', 'label', 'aria-label', 'disabled', 'filmstrip', 'persistent'];
    /** Reads a set's text: for tests, and for pages with their own set. */
    static parse(text, base = document.baseURI) { return read(text, base); }

    #find = {};
    #formatValue = null;
    #scrolled = () => this.#left();
    #thumbnails = [];
    #setDuration = NaN;
    #value = 0;
    #video = null;
    #ends = null;
    #videoEnds = null;
    #request = null;
    #isAsked = false;
    /** Where a pointer is, 0...1. */
    #hover = null;
    #drag = null;
    #isByKey = false;
    #isOpen = false;
    #delay = 0;
    #turn = 0;
    #frameRequest = 0;
    /** The thumbnail on the canvas, the requested one, and whether a sheet is awaited. */
    #shown = null;
    #wanted = null;
    #isLoading = false;
    #direction = 1;
    #seekLater = NaN;
    #spokenAt = -Infinity;
    #speech = 0;
    #filmTurn = 0;
    #filmTimer = 0;
    #resizes = null;

    constructor() {
      super();
      const root = this.attachShadow({mode: 'open', delegatesFocus: true});
      const make = (name, id, parts, parent) => {
        const one = document.createElement(name);
        one.id = id;
        if (parts) one.part = id;
        (parent || root).append(one);
        return this.#find[id] = one;
      };
      make('div', 'area', false);
      const area = this.#find.area;
      // A real range: screen readers on touch screens can move it, which is not possible with only a role.
      const range = make('input', 'range', false, area);
      Object.assign(range, {type: 'range', min: '0', max: '0', step: 'any', value: '0'});
      make('div', 'track', true, area);
      make('canvas', 'film', true, this.#find.track).hidden = true;
      make('div', 'played', true, this.#find.track);
      make('div', 'head', true, area);
      make('div', 'pointer', true, area).hidden = true;
      make('div', 'preview', true, area).hidden = true;
      make('canvas', 'picture', true, this.#find.preview).hidden = true;
      make('div', 'time', true, this.#find.preview);
      for (const id of ['track', 'head', 'pointer', 'preview']) this.#find[id].setAttribute('aria-hidden', 'true');
    }

    // MARK: Properties

    /** Seconds. Setting it moves the strip, and the video if it has one. */
    get value() { return this.#value; }
    set value(time) {
      if (!Number.isFinite(+time)) return;
      this.#move(+time);
      if (this.#video && !this.#drag) this.#seek(this.#value, true);
    }

    /** Seconds; 0 while it is not known. */
    get duration() {
      const own = Number.parseFloat(this.getAttribute('duration'));
      return [own, this.#video?.duration, this.#setDuration].find(one => one > 0 && one < Infinity) || 0;
    }
    set duration(time) { this.setAttribute('duration', time); }

    /** The text for screen readers. @type {((time: number, duration: number, thumbnail: Thumbnail|null) => string)|null} */
    get formatValue() { return this.#formatValue; }
    set formatValue(does) {
      this.#formatValue = typeof does === 'function' ? does : null;
      this.#draw();
    }

    get src() { return this.getAttribute('src') || ''; }
    set src(url) { this.setAttribute('src', url); }

    get disabled() { return this.hasAttribute('disabled'); }
    set disabled(is) { this.toggleAttribute('disabled', !!is); }

    /** The set that was read, or an array of `{start, end, url, x, y, width, height}`. */
    get thumbnails() { return this.#thumbnails.map(one => ({...one})); }
    set thumbnails(list) {
      this.#request?.abort();
      this.#isAsked = true;
      this.#take(arrangeOwn(list));
    }

    /** The thumbnail for a time; null if there is none. */
    thumbnailAt(time) {
      let [low, high] = [0, this.#thumbnails.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.#thumbnails[middle].start <= time) low = middle + 1; else high = middle;
      }
      const found = this.#thumbnails[low - 1];
      return found && time < found.end ? found : null;
    }

    // MARK: Life cycle

    connectedCallback() {
      if (!this.shadowRoot.adoptedStyleSheets?.length) style(this.shadowRoot);
      for (const name of ['value', 'duration', 'thumbnails', 'formatValue']) {
        // Set before the element was defined.
        if (Object.hasOwn(this, name)) {
          const value = this[name];
          delete this[name];
          this[name] = value;
        }
      }
      this.#ends = new AbortController();
      const {signal} = this.#ends, {area, range} = this.#find;
      const on = (target, name, does, options = {}) => target.addEventListener(name, does, {signal, ...options});
      on(area, 'pointerenter', event => this.#pointed(event));
      on(area, 'pointermove', event => this.#pointed(event));
      on(area, 'pointerleave', () => this.#left());
      on(area, 'pointerdown', event => this.#pressed(event));
      for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) on(area, name, event => this.#released(event));
      on(range, 'keydown', event => this.#typed(event));
      on(range, 'input', event => {
        // From a screen reader's gesture.
        event.stopPropagation();
        this.#moved(Number(range.value));
        this.#tell('change');
      });
      on(range, 'change', event => event.stopPropagation());
      on(range, 'focus', () => this.#ask());
      on(range, 'blur', () => {
        area.classList.remove('pressed');
        this.#isByKey = false;
        this.#draw();
      });
      on(document, 'DOMContentLoaded', () => {
        this.#bind();
        if (!this.src) this.#ask();
      });
      this.#resizes = new ResizeObserver(() => {
        this.#draw();
        clearTimeout(this.#filmTimer);
        this.#filmTimer = setTimeout(() => this.#drawFilm(), 150);
      });
      this.#resizes.observe(this);
      this.#bind();
      this.#name();
      if (this.getAttribute('preload') !== 'none') this.#ask();
      this.#draw();
    }

    disconnectedCallback() {
      this.#released({type: 'pointercancel'});
      this.#ends?.abort();
      this.#videoEnds?.abort();
      this.#video = null;
      if (this.#request) [this.#request, this.#isAsked] = [void this.#request.abort(), false];
      this.#resizes?.disconnect();
      for (const timer of [this.#delay, this.#speech, this.#filmTimer]) clearTimeout(timer);
      cancelAnimationFrame(this.#frameRequest);
      this.#frameRequest = this.#speech = 0;
      [this.#hover, this.#isByKey, this.#isOpen] = [null, false, false];
    }

    adoptedCallback() { style(this.shadowRoot); }

    attributeChangedCallback(name, before, now) {
      if (before === now) return;
      if (name === 'value') {
        if (Number.isFinite(Number.parseFloat(now)) && !this.#drag) this.#move(Number.parseFloat(now));
        return;
      }
      if (!this.isConnected) return;
      switch (name) {
        case 'src':
          this.#request?.abort();
          this.#isAsked = false;
          if (this.getAttribute('preload') !== 'none') this.#ask();
          break;
        case 'for': this.#bind(); break;
        case 'duration': this.#move(this.#value); this.#drawFilm(); break;
        case 'label': case 'aria-label': this.#name(); break;
        case 'disabled':
          if (this.disabled) this.#released({type: 'pointercancel'});
          this.#find.range.disabled = this.disabled;
          break;
        case 'filmstrip': this.#drawFilm(); break;
      }
      this.#draw();
    }

    #name() {
      this.#find.range.setAttribute('aria-label', this.getAttribute('label') || this.getAttribute('aria-label') || 'Time');
      this.#find.range.disabled = this.disabled;
    }

    // MARK: The set

    /** Reads the set, once for each address. */
    #ask() {
      if (this.#isAsked) return;
      const address = this.src;
      if (!address) {
        const inside = this.querySelector(':scope > script[type="text/vtt"], :scope > script[type="application/json"]');
        if (!inside) return;
        this.#isAsked = true;
        return this.#parse(inside.textContent, document.baseURI);
      }
      this.#isAsked = true;
      const request = this.#request = new AbortController();
      (async () => {
        try {
          const response = await fetch(new URL(address, document.baseURI), {signal: request.signal});
          if (!response.ok) throw new Error('the server answered ' + response.status);
          const text = await response.text();
          if (request.signal.aborted) return;
          this.#parse(text, response.url || new URL(address, document.baseURI).href);
        } catch (error) {
          if (!request.signal.aborted) this.#fail(address + ': ' + error.message);
        } finally {
          if (this.#request === request) this.#request = null;
        }
      })();
    }

    #parse(text, base) {
      try {
        const set = read(text, base);
        if (!set.thumbnails.length) throw new Error('it does not name any picture');
        this.#take(set);
      } catch (error) {
        this.#fail((this.src || 'the data inside') + ': ' + error.message);
      }
    }

    #take(set) {
      this.#thumbnails = set.thumbnails;
      this.#setDuration = set.duration;
      this.#shown = this.#wanted = null;
      this.#find.picture.hidden = true;
      this.#move(this.#value);
      if (this.getAttribute('preload') === 'auto' && set.thumbnails[0]) load(set.thumbnails[0].url);
      this.#drawFilm();
      if (set.thumbnails.length) this.dispatchEvent(new CustomEvent('load', {detail: {count: set.thumbnails.length, skipped: set.skipped}}));
    }

    /** The line keeps working without pictures. */
    #fail(message) {
      this.#take({thumbnails: [], duration: NaN, skipped: 0});
      this.dispatchEvent(new CustomEvent('error', {detail: {message}}));
    }

    // MARK: The video

    #bind() {
      const id = this.getAttribute('for'), found = id ? this.getRootNode().getElementById?.(id) : null;
      const video = found instanceof HTMLMediaElement ? found : null;
      if (video === this.#video) return;
      this.#videoEnds?.abort();
      this.#video = video;
      if (!video) return;
      this.#videoEnds = new AbortController();
      const follow = () => {
        // The user's value takes precedence until the video has reached it.
        if (!this.#drag && !video.seeking && Number.isNaN(this.#seekLater)) this.#move(video.currentTime);
      };
      const on = (names, does) => {
        for (const name of names) video.addEventListener(name, does, {signal: this.#videoEnds.signal});
      };
      on(['timeupdate', 'loadedmetadata', 'durationchange', 'play', 'pause'], follow);
      on(['durationchange'], () => this.#drawFilm());
      on(['emptied'], () => {
        this.#seekLater = NaN;
        this.#draw();
      });
      on(['seeked'], () => {
        const later = this.#seekLater;
        this.#seekLater = NaN;
        if (Number.isNaN(later)) follow(); else this.#seek(later, true);
      });
      if (video.readyState > 0) follow();
    }

    /** One seek at a time while it moves, because a seek that is cancelled for the next shows nothing. */
    #seek(time, isLast) {
      const video = this.#video;
      if (!video || !(video.readyState > 0)) return;
      if (video.seeking && !isLast) {
        this.#seekLater = time;
        return;
      }
      this.#seekLater = NaN;
      video.currentTime = time;
    }

    // MARK: Pointers and keys

    #fraction(event) {
      const box = this.getBoundingClientRect();
      return box.width > 0 ? clamp((event.clientX - box.left) / box.width, 0, 1) : 0;
    }

    #pointed(event) {
      if (this.disabled || (event.pointerType === 'touch' && !this.#drag)) return;
      if (this.#drag && event.pointerId !== this.#drag.id) return;
      this.#bind();
      this.#ask();
      const place = this.#fraction(event);
      if (this.#hover !== null && place !== this.#hover) this.#direction = place > this.#hover ? 1 : -1;
      const isFirst = this.#hover === null;
      this.#hover = place;
      if (this.#drag) this.#moved(place * this.duration);
      if (isFirst && !this.#isOpen && !this.#drag) {
        clearTimeout(this.#delay);
        this.#delay = setTimeout(() => {
          this.#isOpen = this.#hover !== null;
          this.#draw();
        }, HOVER_DELAY);
        // A page that scrolls away under the pointer does not send a leave event.
        addEventListener('scroll', this.#scrolled, {capture: true, passive: true, signal: this.#ends.signal});
      }
      this.#draw();
    }

    #left() {
      if (this.#drag) return;
      clearTimeout(this.#delay);
      [this.#hover, this.#isOpen] = [null, false];
      this.#draw();
    }

    #pressed(event) {
      if (this.disabled || !event.isPrimary || event.button !== 0 || this.#drag) return;
      this.#bind();
      this.#ask();
      if (!this.duration) return;
      const video = this.#video, wasPlaying = !!video && !video.paused && !video.ended;
      this.#drag = {id: event.pointerId, begin: this.#value, wasPlaying, isTouch: event.pointerType === 'touch'};
      if (wasPlaying) video.pause();
      try {
        this.#find.area.setPointerCapture(event.pointerId);
      } catch {
        // The pointer is already gone.
      }
      [this.#isOpen, this.#isByKey] = [true, false];
      // The focus ring is for keyboard users.
      this.#find.area.classList.add('pressed');
      this.#find.range.focus({preventScroll: true});
      this.#pointed(event);
      event.preventDefault();
    }

    /** Ends every drag, whatever the reason. */
    #released(event) {
      const drag = this.#drag;
      if (!drag || (event.pointerId !== undefined && event.pointerId !== drag.id)) return;
      this.#drag = null;
      // The page was scrolled instead, or Escape was pressed: undo the drag.
      const isTaken = event.type === 'pointercancel';
      if (isTaken && this.#value !== drag.begin) {
        this.#move(drag.begin);
        this.#tell('input');
      }
      this.#seek(this.#value, true);
      if (drag.wasPlaying) this.#video?.play()?.catch(() => {});
      if (!isTaken) this.#tell('change');
      if (drag.isTouch || isTaken) this.#left();
      this.#draw();
    }

    #typed(event) {
      this.#find.area.classList.remove('pressed');
      if (event.ctrlKey || event.altKey || event.metaKey || this.disabled) return;
      if (event.key === 'Escape' && this.#drag) {
        const id = this.#drag.id;
        this.#released({type: 'pointercancel'});
        if (this.#find.area.hasPointerCapture(id)) this.#find.area.releasePointerCapture(id);
        return event.preventDefault();
      }
      const duration = this.duration, back = -1, on = 1;
      if (!duration || this.#drag) return;
      const to = {
        ArrowRight: () => this.#stepped(on, event.shiftKey), ArrowUp: () => this.#stepped(on, event.shiftKey),
        ArrowLeft: () => this.#stepped(back, event.shiftKey), ArrowDown: () => this.#stepped(back, event.shiftKey),
        PageUp: () => this.#value + duration / 10, PageDown: () => this.#value - duration / 10,
        Home: () => 0, End: () => duration,
      }[event.key];
      if (!to) return;
      event.preventDefault();
      this.#isByKey = true;
      const time = clamp(to(), 0, duration);
      this.#direction = time < this.#value ? -1 : 1;
      this.#moved(time);
      this.#tell('change');
    }

    /** The target of an arrow key: some seconds away, or the next thumbnail; with Shift twice or ten times as far. */
    #stepped(direction, isFar) {
      const step = Number.parseFloat(this.getAttribute('step'));
      if (step > 0) return this.#value + direction * step * (isFar ? 2 : 1);
      const all = this.#thumbnails;
      if (!all.length) return this.#value + direction * this.duration / (isFar ? 10 : 100);
      let place = all.findIndex(one => one.start > this.#value + 1e-6);
      place = (place < 0 ? all.length : place) - 1;
      const isInside = place >= 0 && this.#value > all[place].start + 1e-6;
      const next = place + direction * (isFar ? 10 : 1) + (direction < 0 && isInside ? 1 : 0);
      // Slightly after the border, so that a video shows the frame that begins there.
      return next >= all.length ? this.duration : next <= 0 ? 0 : all[next].start + 1e-6;
    }

    /** The user has moved it. */
    #moved(time) {
      this.#move(time);
      this.#tell('input');
      this.#seek(this.#value, false);
    }

    #move(time) {
      const duration = this.duration;
      this.#value = clamp(time, 0, duration || Math.max(0, time));
      this.#draw();
    }

    #tell(name) { this.dispatchEvent(new Event(name, {bubbles: true, composed: true})); }

    // MARK: Display and speech

    /** At most once per animation frame. */
    #draw() {
      if (!this.isConnected || this.#frameRequest) return;
      this.#frameRequest = requestAnimationFrame(() => {
        this.#frameRequest = 0;
        this.#show();
      });
    }

    #show() {
      const {head, played, pointer, preview, time, range} = this.#find, duration = this.duration;
      const part = duration ? this.#value / duration : 0;
      head.style.left = played.style.width = 100 * part + '%';
      const isPointing = this.#hover !== null && this.#isOpen && !this.#drag;
      const isShown = duration > 0 && (isPointing || !!this.#drag || this.#isByKey || this.hasAttribute('persistent'));
      pointer.hidden = !isPointing;
      if (isPointing) pointer.style.left = 100 * this.#hover + '%';
      preview.hidden = !isShown;
      if (String(duration) !== range.max) range.max = String(duration);
      range.value = String(this.#value);
      this.#say();
      if (!isShown) return;
      const place = isPointing ? this.#hover : part;
      const at = isPointing ? place * duration : this.#value;
      const box = this.getBoundingClientRect(), perPixel = duration / Math.max(1, box.width);
      time.textContent = clock(at, perPixel >= 1 ? 0 : perPixel >= 0.1 ? 1 : perPixel >= 0.01 ? 2 : 3);
      this.#want(this.thumbnailAt(Math.min(at, Math.max(0, duration - 1e-6))));
      // Inside the strip if there is room, otherwise inside the window.
      const size = preview.getBoundingClientRect(), left = place * box.width - size.width / 2;
      const [low, high] = size.width <= box.width
        ? [0, box.width - size.width] : [4 - box.left, document.documentElement.clientWidth - 4 - size.width - box.left];
      preview.style.left = Math.max(low, Math.min(left, high)) + 'px';
      const above = box.top - size.height - 8, below = innerHeight - box.bottom - size.height - 8;
      preview.classList.toggle('below', above < 0 && below > above);
    }

    /** Updates the spoken text at rest, and during moves only as often as people can follow. */
    #say() {
      const wait = this.#spokenAt + SPEECH_PERIOD - performance.now();
      if (wait > 0) {
        if (!this.#speech) {
          this.#speech = setTimeout(() => {
            this.#speech = 0;
            this.#say();
          }, wait);
        }
        return;
      }
      const duration = this.duration, found = this.thumbnailAt(this.#value);
      const text = this.#formatValue ? String(this.#formatValue(this.#value, duration, found))
        : duration ? spoken(this.#value) + ' of ' + spoken(duration) : 'duration unknown';
      if (this.#find.range.getAttribute('aria-valuetext') === text) return;
      this.#find.range.setAttribute('aria-valuetext', text);
      this.#spokenAt = performance.now();
    }

    /** Shows a thumbnail: at once if its sheet is loaded; otherwise the previous one stays, faded, until it is decoded. */
    #want(wanted) {
      const {picture} = this.#find;
      this.#wanted = wanted;
      if (!wanted) {
        picture.hidden = true;
        this.#shown = null;
        return;
      }
      const image = ready(wanted.url);
      if (image) {
        this.#paint(wanted, image);
        return this.#loadNeighbor(wanted);
      }
      picture.classList.toggle('late', this.#shown !== null);
      if (!this.#shown && wanted.region && !wanted.region.isPercent) this.#shape(wanted.region.width, wanted.region.height);
      this.#load(wanted.url);
    }

    /** One sheet at a time: sheets that a fast pointer has passed are never requested. */
    async #load(url) {
      if (this.#isLoading) return;
      this.#isLoading = true;
      const image = await load(url);
      this.#isLoading = false;
      const wanted = this.#wanted;
      if (!wanted || !this.isConnected) return;
      if (wanted.url === url) {
        if (image) {
          this.#paint(wanted, image);
          this.#draw();
        } else {
          // A picture of another time would be wrong.
          this.#find.picture.hidden = true;
          this.#shown = null;
        }
        return;
      }
      const other = ready(wanted.url);
      if (other) this.#paint(wanted, other); else this.#load(wanted.url);
    }

    #loadNeighbor(wanted) {
      if (this.#isLoading || navigator.connection?.saveData) return;
      const all = this.#thumbnails, place = all.indexOf(wanted), step = this.#direction;
      for (let i = place + step; i >= 0 && i < all.length && Math.abs(i - place) <= 100; i += step) {
        if (all[i].url !== wanted.url) {
          if (!sheets.has(all[i].url)) this.#load(all[i].url);
          return;
        }
      }
    }

    #shape(width, height) {
      const {picture} = this.#find;
      if (picture.width !== width || picture.height !== height) [picture.width, picture.height] = [width, height];
      picture.style.setProperty('--own', width + 'px');
      picture.hidden = false;
    }

    /** Sets size and pixels in one step, so that the picture is never empty. */
    #paint(one, image) {
      const {picture} = this.#find, part = source(one, image);
      if (!part) {
        picture.hidden = true;
        this.#shown = null;
        return;
      }
      picture.classList.remove('late');
      if (this.#shown === one && !picture.hidden) return;
      this.#shape(part.width, part.height);
      const context = picture.getContext('2d');
      context.clearRect(0, 0, part.width, part.height);
      context.drawImage(image, part.x, part.y, part.width, part.height, 0, 0, part.width, part.height);
      this.#shown = one;
    }

    /** Thumbnails along the line, sheet by sheet, from left to right. */
    async #drawFilm() {
      const turn = ++this.#filmTurn, old = this.#find.film, duration = this.duration;
      if (!this.hasAttribute('filmstrip') || !this.#thumbnails.length || !duration || !this.isConnected) {
        old.hidden = true;
        return;
      }
      const box = this.#find.track.getBoundingClientRect(), ratio = Math.min(devicePixelRatio || 1, 2);
      const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
      if (width < 1 || height < 1) return;
      // Use a new canvas if there is already a picture, because setting the size clears it.
      const film = old.hidden ? old : old.cloneNode(false);
      [film.width, film.height] = [width, height];
      const context = film.getContext('2d');
      let shape = 16 / 9, count = 0;
      for (let i = 0; i === 0 || i < count; i++) {
        const one = count ? this.thumbnailAt((i + 0.5) / count * duration) : this.#thumbnails[0];
        const image = one && (ready(one.url) || await load(one.url));
        if (turn !== this.#filmTurn) return;
        const part = image && source(one, image);
        if (!count) {
          // The first one gives the shape; its slot is drawn in its turn.
          if (part) shape = part.width / part.height;
          count = clamp(Math.round(width / (height * shape)), 1, 400);
          i = -1;
          continue;
        }
        if (!part) continue;
        const [left, right] = [Math.round(i * width / count), Math.round((i + 1) * width / count)];
        // Crop to the slot's shape, from the middle.
        const place = (right - left) / height, own = part.width / part.height;
        const [w, h] = own > place ? [part.height * place, part.height] : [part.width, part.width / place];
        context.drawImage(image, part.x + (part.width - w) / 2, part.y + (part.height - h) / 2, w, h, left, 0, right - left, height);
        if (film === old) old.hidden = false;
      }
      if (film !== old) {
        film.hidden = false;
        old.replaceWith(film);
        this.#find.film = film;
      }
    }
  }

  /** The pixels of a thumbnail in its sheet; null if they are outside it. */
  function source({region}, image) {
    const [across, down] = [image.naturalWidth, image.naturalHeight];
    if (!region) return across && down ? {x: 0, y: 0, width: across, height: down} : null;
    const [right, lower] = region.isPercent ? [across / 100, down / 100] : [1, 1];
    const x = Math.round(region.x * right), y = Math.round(region.y * lower);
    const width = Math.min(Math.round(region.width * right), across - x);
    const height = Math.min(Math.round(region.height * lower), down - y);
    return width > 0 && height > 0 ? {x, y, width, height} : null;
  }

  function arrangeOwn(list) { return arrange(fromJSON(Array.isArray(list) ? list : [], document.baseURI)); }

  customElements.define('scrub-strip', ScrubStrip);
})();
