// Comparing as a part of the page: its button, its keys, its panel, its part of the link.

import { linked } from './compare-link.js';
import { comparePanel } from './compare-panel.js';
import { Comparison } from './comparison.js';
import { told } from './words.js';

/** @param {import('./app.js').Context} context */
export function compare(context) {
  const { dock, escape, keys, link, panel, panes, store } = context;
  const model = new Comparison(context);
  const say = comparePanel(context, model);

  /** What needs two films gets a second one, where there is one. */
  async function both() {
    if (model.pair) return true;
    const other = store.state.media.find((one) => one.id !== panes.active?.mediumId && one.state === 'ready');
    if (!other) {
      panel.open('compare');
      say('There is one film only. Start scrub view with two or more of them, or add this one a second time.');
      return false;
    }
    try {
      await model.add(other.id);
    } catch (error) {
      panel.open('compare');
      say(`${other.name} was not added. ${told(error, other.name)}`);
    }
    return model.pair !== null;
  }
  const see = async (view) => {
    if (await both()) model.see(model.view === view ? 'side' : view);
  };
  const group = 'Compare';
  let held = false;
  dock.add({ icon: 'compare', label: 'Compare', id: 'compare', run: () => panel.toggle('compare') });
  keys.add({ keys: ['D'], label: 'Difference of A and B', group, run: () => see('difference') });
  keys.add({ keys: ['W'], label: 'Wipe between A and B', group, run: () => see('wipe') });
  keys.add({
    keys: ['B'], label: 'Blink: B in the place of A, while held', group,
    run: async () => {
      held = true;
      // The key may be up again when the second film is there.
      if (await both() && held) model.over.blink(true);
    },
    up: () => {
      held = false;
      model.over.blink(false);
    },
  });
  keys.add({ keys: ['X'], label: 'Swap A and B', group, run: () => model.swap() });
  // One level back: from one picture of two to two pictures.
  escape.push(() => {
    if (model.view === 'side') return false;
    model.see('side');
    return true;
  });
  linked(model, link, store);
  return model;
}
