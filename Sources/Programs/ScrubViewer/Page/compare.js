// The comparison feature: its button, keys, panel and part of the link.

import { linked } from './compare-link.js';
import { comparePanel } from './compare-panel.js';
import { Comparison } from './comparison.js';
import { told } from './words.js';

/** @param {import('./app.js').Context} context */
export function compare(context) {
  const { dock, escape, keys, link, panel, panes, store } = context;
  const model = new Comparison(context);
  const say = comparePanel(context, model);

  /** Adds a second film for what needs two, if there is one. */
  async function both() {
    if (model.pair) return true;
    const other = store.state.media.find((one) => one.id !== panes.active?.mediumId && one.state === 'ready');
    if (!other) {
      panel.open('compare');
      say('There is only one film. Start scrub view with two or more, or add this one a second time.');
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
    keys: ['B'], label: 'Blink: B in place of A while held', group,
    run: async () => {
      held = true;
      // The key may have been released before the second film is ready.
      if (await both() && held) model.over.blink(true);
    },
    up: () => {
      held = false;
      model.over.blink(false);
    },
  });
  keys.add({ keys: ['X'], label: 'Swap A and B', group, run: () => model.swap() });
  // Back one level: from one combined picture to two pictures.
  escape.push(() => {
    if (model.view === 'side') return false;
    model.see('side');
    return true;
  });
  linked(model, link, store);
  return model;
}
