/** What the page says. Short, the same words everywhere, and always what can be done. */

const verdicts = {
  exact: 'exact', damaged: 'damaged', concealed: 'damaged', nearest: 'nearest', failed: 'failed',
};

export const words = {
  /** The state of what is shown, as a word: never a colour alone. */
  verdict(state) {
    if (state.failure) return state.failure.network ? 'waiting' : 'failed';
    if (!state.shown) return 'loading';
    if (state.shown.stage !== 'exact' || state.want?.frame !== state.shown.frame) return 'nearest';
    return verdicts[state.shown.verdict] ?? state.shown.verdict;
  },

  /** What the slider says. */
  sliderText(state, medium) {
    const frame = (state.failure ? state.failure.frame : state.shown?.frame) ?? state.want?.frame ?? 0;
    const last = frame === medium.times.count - 1 ? ', the last' : '';
    return `frame ${frame}${last} of ${medium.times.count}, ${medium.times.decimalText(frame)} seconds, ${words.verdict(state)}`;
  },

  /** What the server says of a file or a frame, without their names, which the page already shows. @param {string} text @param {...string} names */
  reason: (text, ...names) => names.reduce((rest, name) => (rest.startsWith(`${name}: `) ? rest.slice(name.length + 2) : rest), text),

  /** With a full stop. @param {string} text */
  ended: (text) => (text === '' || /[.!?…]$/.test(text) ? text : `${text}.`),

  /** With a capital letter and a full stop. @param {string} text not one that begins with a name */
  sentence: (text) => (text === '' ? '' : words.ended(`${text[0].toUpperCase()}${text.slice(1)}`)),

  pictures: (count) => `${count} ${count === 1 ? 'picture' : 'pictures'} decoded`,
  bytes(count) {
    if (count < 1024) return `${count} B`;
    if (count < 1 << 20) return `${(count / 1024).toFixed(0)} KiB`;
    return count < 1 << 30 ? `${(count / (1 << 20)).toFixed(1)} MiB` : `${(count / (1 << 30)).toFixed(2)} GiB`;
  },
};

/** An error and what to do about it, as sentences. @param {{message: string, hint?: string}} error @param {...string} names which precede it already */
export const told = (error, ...names) => `${words.sentence(words.reason(error.message, ...names))} ${words.sentence(error.hint ?? '')}`.trim();
