/** The access log: what the server did for each request. It listens only while it is open and the page is visible. */

import { element, setText } from './dom.js';

const most = 200;

/** @param {{store: any, api: any, panel: any, library: any}} place */
export function createLog({ store, api, panel, library }) {
  const state = element('p', { class: 'hint' }, 'Listening…');
  const rows = element('tbody');
  const table = element('table', { class: 'log' },
    element('thead', {}, element('tr', {}, ...['Requested', 'Frame', 'Decoded', 'ms'].map((one) => element('th', { scope: 'col' }, one)))), rows);
  const empty = element('p', { class: 'hint' }, 'Each frame request is listed here, with its cost.');
  let end = null;
  let waiting = [];
  let paint = 0;
  const sum = { seek: 0, superseded: 0, cancelled: 0 };
  const drag = { moves: 0, right: 0 };

  const text = (value) => (value === null || value === undefined ? '–' : String(value));
  const asked = (value) => (Number.isInteger(value) ? `f${value}` : text(value));
  const row = (entry) => {
    const dropped = entry.kind !== 'seek';
    const cells = dropped
      ? [asked(entry.requested), entry.kind, '', '']
      : [asked(entry.requested), `f${text(entry.actual)}`, entry.stage === 'preview' ? 'preview' : entry.hit ? 'kept' : text(entry.decoded), entry.milliseconds === undefined ? '–' : Number(entry.milliseconds).toFixed(1)];
    return element('tr', { class: dropped ? 'dropped' : null }, ...cells.map((one) => element('td', {}, one)));
  };
  const show = () => {
    paint = 0;
    for (const entry of waiting.slice(-most)) rows.prepend(row(entry));
    waiting = [];
    while (rows.childElementCount > most) rows.lastElementChild.remove();
    empty.hidden = rows.childElementCount > 0;
    table.hidden = rows.childElementCount === 0;
    const moved = drag.moves > 0 ? `; right frame in time for ${drag.right} of ${drag.moves} moves` : '';
    setText(state, `${sum.seek} frames, ${sum.superseded} superseded, ${sum.cancelled} cancelled${moved}`);
  };
  const hear = (entry) => {
    if (entry.kind === 'media') { library.refresh().catch(() => {}); return; }
    if (!(entry.kind in sum)) return;
    sum[entry.kind] += 1;
    if (entry.rightShown !== undefined) {
      drag.moves += 1;
      drag.right += entry.rightShown ? 1 : 0;
    }
    waiting.push(entry);
    paint ||= requestAnimationFrame(show);
  };
  const listen = () => {
    const wanted = panel.current === 'log' && !document.hidden;
    if (wanted && !end) end = api.events(hear, (open) => setText(state, open ? 'Listening.' : 'The server is not responding. Waiting for it.'));
    if (!wanted && end) { end(); end = null; }
  };
  table.hidden = true;
  panel.add('log', element('div', {}, state, empty, table), { label: 'Log', opened: listen, closed: () => queueMicrotask(listen) });
  document.addEventListener('visibilitychange', listen);
}
