/** Light, dark, or as the system says. Kept for the next visit. */

import { kept } from './store.js';

const light = matchMedia('(prefers-color-scheme: light)');

/** @param {{store: any, changed(): void}} place */
export function createTheme({ store, changed }) {
  const before = kept.get('theme');
  const apply = (theme) => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    changed();
  };
  store.on('theme', (theme) => {
    kept.set('theme', theme);
    apply(theme);
  });
  light.addEventListener('change', changed);
  if (before === 'dark' || before === 'light') store.set({ theme: before });
  return {
    /** The other one; where that is what the system says, the system decides again. */
    cycle() {
      const system = light.matches ? 'light' : 'dark';
      const seen = store.state.theme === 'auto' ? system : store.state.theme;
      const other = seen === 'light' ? 'dark' : 'light';
      store.set({ theme: other === system ? 'auto' : other });
    },
  };
}
