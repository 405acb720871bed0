/** Light, dark, or as the system says. Kept for the next visit. */

const light = matchMedia('(prefers-color-scheme: light)');

/** @param {{store: any, changed(): void}} place */
export function createTheme({ store, changed }) {
  const kept = localStorage.getItem('scrub.theme');
  const apply = (theme) => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    changed();
  };
  store.on('theme', (theme) => {
    localStorage.setItem('scrub.theme', theme);
    apply(theme);
  });
  light.addEventListener('change', changed);
  if (kept === 'dark' || kept === 'light') store.set({ theme: kept });
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
