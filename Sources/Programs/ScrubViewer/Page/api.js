/** The server's calls. Addresses are relative to the page, so that it can be served below any path. */

/** This page's name at the server: random for each tab, never stored. */
export const tab = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** All calls are below this, relative to the page. */
export const base = 'api/';

/** A failure in words: what happened, and what to do. `network` is true if there was no answer at all. */
export class ApiError extends Error {
  /** @param {{error?: string, hint?: string, code?: string}} answer @param {number} status */
  constructor(answer, status, network = false) {
    super(answer.error ?? `The server answered with status ${status}.`);
    this.hint = answer.hint ?? '';
    this.code = answer.code ?? '';
    this.status = status;
    this.network = network;
  }
}

/** @param {string} path @param {RequestInit} [options] */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({
      error: 'The server is not responding.',
      hint: 'It may have been stopped. Start it again in its terminal; this page then continues by itself.',
    }, 0, true);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new ApiError(answer, response.status);
}

const json = async (path, options) => (await ask(path, options)).json();
const number = (text) => (text === null || text === '' ? null : Number(text));

/** The address of a frame, with its parts always in the same order, so that a picture is cached only once. */
export function frameURL(id, frame, { width, format = 'jpeg', stage, hash, version } = {}) {
  const parts = [`at=f${frame}`];
  if (width) parts.push(`width=${width}`);
  parts.push(`format=${format}`);
  if (hash) parts.push('hash=1');
  if (stage === 'nearest') parts.push('stage=nearest');
  if (version) parts.push(`v=${encodeURIComponent(version)}`);
  return `${base}media/${encodeURIComponent(id)}/frame?${parts.join('&')}`;
}

/**
 * @typedef {{frame: number, verdict: string, seconds: string, time: string, stage: 'exact'|'nearest', type: string,
 *   decoded: number|null, key: number|null, milliseconds: number|null, hash: string|null, format: string, width: number|null,
 *   blob: Blob}} FrameAnswer
 */

/** @returns the calls; all reject with ApiError, or with AbortError when aborted. */
export function createApi() {
  const medium = (id) => `${base}media/${encodeURIComponent(id)}`;
  return {
    tab,
    frameURL,
    /** All media. @returns {Promise<object[]>} */
    media: () => json(`${base}media?wait=0`),
    /** One medium's facts, key pictures and cost. */
    medium: (id) => json(medium(id)),
    /** The times of its frames; see times.js. */
    times: (id) => json(`${medium(id)}/times`),
    /** The strip as far as it is made. */
    strip: (id) => json(`${medium(id)}/strip.json`),
    /** An address that the strip names, which is relative to strip.json. */
    stripURL: (id, url) => new URL(url, new URL(`${medium(id)}/strip.json`, document.baseURI)).href,
    /** The most pictures that a seek into each column decodes. @returns {Promise<{columns: number[]}>} */
    heat: (id, columns) => json(`${medium(id)}/heat?columns=${columns}`),
    /** Picture types as a string, one letter each. */
    types: async (id, from, count) => (await json(`${medium(id)}/types?from=${from}&count=${count}`)).types,
    /** What an exact frame would need. */
    plan: (id, frame) => json(`${medium(id)}/plan?at=f${frame}`),
    /** A thumbnail set as a zip, for a link. @param {Record<string, string>} [more] as `every` */
    setURL: (id, profile, more = {}) => `${medium(id)}/set?${new URLSearchParams({ profile, ...more })}`,
    status: () => json(`${base}status`),

    /**
     * A frame's picture. With `turn` and `client` the server answers only the newest request; without them no request is superseded.
     *
     * @returns {Promise<FrameAnswer|{superseded: true}>}
     */
    async frame(id, frame, { width, stage, format, hash, signal, turn, client, version } = {}) {
      const headers = turn === undefined ? {} : { 'Scrub-Client': `${tab}-${client ?? 'page'}`, 'Scrub-Turn': String(turn) };
      const response = await ask(frameURL(id, frame, { width, stage, format, hash, version }), { headers, signal });
      if (response.status === 204) return { superseded: true };
      const head = (name) => response.headers.get(name);
      return {
        frame: number(head('Scrub-Frame')) ?? frame,
        verdict: head('Scrub-Verdict') ?? 'exact',
        seconds: head('Scrub-Seconds') ?? '',
        time: head('Scrub-Time') ?? '',
        stage: ['nearest', 'preview'].includes(head('Scrub-Stage')) ? 'nearest' : 'exact',
        type: head('Scrub-Type') ?? '',
        decoded: number(head('Scrub-Decoded')),
        key: number(head('Scrub-Key')),
        milliseconds: number(head('Scrub-Milliseconds')),
        hash: head('Scrub-Hash'),
        format: format ?? 'jpeg',
        width: width ?? null,
        blob: await response.blob(),
      };
    },

    /**
     * Listens to the server's events, only while they are visible, because a browser has six
     * connections per server.
     *
     * @param {(event: {kind: string}) => void} tell
     * @param {(open: boolean) => void} [state]
     * @returns {() => void} ends it
     */
    events(tell, state = () => {}) {
      const source = new EventSource(`${base}events`);
      const hear = (event) => {
        try {
          const entry = JSON.parse(event.data);
          tell(entry.kind ? entry : { ...entry, kind: event.type });
        } catch { /* a comment or a half line: nothing to show */ }
      };
      for (const kind of ['message', 'seek', 'cancelled', 'superseded', 'media', 'dropped']) source.addEventListener(kind, hear);
      source.addEventListener('open', () => state(true));
      source.addEventListener('error', () => state(false));
      return () => source.close();
    },
  };
}
