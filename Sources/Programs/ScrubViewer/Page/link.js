/** The address says what is shown: `#f1234`, with `m=ID` for another medium, and the features' parts. Updated only at rest. */

/** @param {{panes: import('./panes.js').Panes, store: any}} place */
export function createLink({ panes, store }) {
  const parts = new Map();
  let timer = 0;

  /** @returns {{frame: number|null, medium: string|null, all: URLSearchParams}} */
  const read = () => {
    const text = location.hash.slice(1);
    const all = new URLSearchParams(text.replace(/^(f\d+)(?=&|$)/, 'f=$1'));
    const frame = /^f?(\d{1,15})$/.exec(all.get('f') ?? '');
    return { frame: frame ? Number(frame[1]) : null, medium: all.get('m'), all };
  };

  /** The address for the current state. */
  const text = () => {
    const pane = panes.active;
    if (!pane) return '';
    const shown = pane.lane.want?.frame ?? 0;
    const pieces = [`f${shown}`];
    if (store.state.media.length > 1) pieces.push(`m=${encodeURIComponent(pane.mediumId)}`);
    for (const [name, part] of parts) {
      const value = part.read();
      if (value !== null && value !== undefined && value !== '') pieces.push(`${name}=${encodeURIComponent(value)}`);
    }
    return `#${pieces.join('&')}`;
  };

  const write = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (panes.list.length === 0 || !panes.list.every((pane) => pane.lane.isFinal)) return;
      const next = text();
      if (next !== location.hash) history.replaceState(null, '', next);
    }, 120);
  };
  for (const key of ['panes', 'mode', 'lock', 'activePane']) store.on(key, write);

  return {
    read, text, write,
    /** The whole address, for copying. */
    address: () => new URL(text(), location.href).href,
    /** A part that a feature keeps in the address. @param {string} name @param {{read(): string|null, apply(value: string): void}} part */
    add(name, part) { parts.set(name, part); },
    /** Restores the features' parts once all panes exist. */
    apply() {
      const { all } = read();
      for (const [name, part] of parts) if (all.has(name)) part.apply(all.get(name));
    },
  };
}
