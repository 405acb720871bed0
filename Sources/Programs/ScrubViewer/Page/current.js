// The current film and frame, as the features need them.

/** @param {import('./app.js').Context} context */
export function current({ store, panes, transport }) {
  const pane = () => (panes.active && store.pane(panes.active.id)) ?? null;
  const medium = () => panes.active?.medium ?? null;
  return {
    pane,
    medium,

    /** The film as exports take it; null before its times are known. */
    film() {
      const here = medium();
      return here && described(here);
    },

    /** What is on screen, if it is the frame's own picture: number and verdict. */
    shown() {
      const shown = pane()?.shown;
      return shown && shown.stage !== 'tile' ? { frame: shown.frame, verdict: shown.verdict, stage: shown.stage } : null;
    },

    /** Goes to a frame and stays there. @param {number} frame */
    go: (frame) => transport.go(frame),

    /** A frame's time as people read it. @param {number} frame */
    clock: (frame) => medium()?.times.secondsText(frame) ?? '',

    /** Reports 'film' when another film is shown, 'shown' when another frame is. @param {(what: 'film'|'shown') => void} tell */
    watch(tell) {
      let id = null, frame = null;
      const look = () => {
        const here = medium(), shown = pane()?.shown?.frame ?? null;
        const film = here ? `${here.id} ${here.version}` : null;
        if (film !== id) {
          [id, frame] = [film, shown];
          tell('film');
        } else if (shown !== frame) {
          frame = shown;
          tell('shown');
        }
      };
      store.on('panes', look);
      store.on('activePane', look);
      look();
    },
  };
}

/** A medium's names, times and fingerprint in the form of exports.js. @param {import('./library.js').Medium} medium */
export function described(medium) {
  const { times } = medium;
  const runs = times.runs.map((run, index) => [(times.runs[index + 1]?.frame ?? times.count) - run.frame, run.step]);
  return {
    id: medium.id, name: medium.name, fingerprint: medium.version || medium.id, frameCount: medium.frameCount,
    list: { timescale: times.timescale, start: 0, runs, end: times.duration }, timeOf: (frame) => times.timeOf(frame),
  };
}
