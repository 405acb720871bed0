/** Silent playing: stepping by the clock, with the frames' own durations. What comes too late is skipped, counted and shown. */

/** @param {import('./panes.js').Panes} panes @param {any} store */
export function createPlay(panes, store) {
  let from = null;
  let paint = 0;
  let asked = -1;

  const begin = () => {
    const pane = panes.active;
    if (!pane) { store.set({ playing: 0 }); return; }
    const { times } = pane.medium;
    const rate = store.state.playing;
    // Play at the end starts again, as in every player.
    const frame = rate > 0 && panes.wanted >= times.last ? 0 : panes.wanted;
    from = { pane, rate, ticks: times.ticks(frame), time: performance.now() };
    asked = frame;
    if (frame !== panes.wanted) panes.seek(frame, 'rest', pane);
    paint ||= requestAnimationFrame(tick);
  };

  const tick = (now) => {
    paint = 0;
    if (!from || store.state.playing === 0) return;
    const { pane, rate, ticks, time } = from;
    const { times } = pane.medium;
    const elapsed = Math.round(((now - time) / 1000) * times.timescale * rate);
    const place = Math.max(ticks + elapsed, 0);
    const frame = times.frameAtTicks(place);
    const isOver = place >= times.duration || (rate < 0 && place === 0);
    // One request at a time: no new request while the last frame is in transit.
    if (frame !== asked && (isOver || panes.list.every((one) => one.lane.isFinal))) {
      const skipped = Math.max(Math.abs(frame - asked) - Math.max(Math.round(Math.abs(rate)), 1), 0);
      asked = frame;
      panes.seek(frame, 'rest', pane);
      if (skipped > 0) store.set({ skipped: store.state.skipped + skipped });
    }
    if (isOver) store.set({ playing: 0 });
    else paint = requestAnimationFrame(tick);
  };

  store.on('playing', (rate) => {
    if (rate === 0) { from = null; cancelAnimationFrame(paint); paint = 0; return; }
    store.set({ skipped: 0 });
    begin();
  });

  document.addEventListener('visibilitychange', () => { if (document.hidden) store.set({ playing: 0 }); });

  return {
    toggle: () => store.set({ playing: store.state.playing === 0 ? 1 : 0 }),
    stop: () => store.set({ playing: 0 }),
    /** J and L: each press doubles, up to 8; the other way begins at 1. @param {1|-1} way */
    faster(way) {
      const now = store.state.playing;
      store.set({ playing: Math.sign(now) === way ? way * Math.min(Math.abs(now) * 2, 8) : way });
    },
  };
}
