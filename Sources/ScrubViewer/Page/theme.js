/** Light, dark, or as the system says. Kept for the next visit. */

const next = { auto: 'dark', dark: 'light', light: 'auto' };

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
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', changed);
  if (kept in next) store.set({ theme: kept });
  return { cycle: () => store.set({ theme: next[store.state.theme] }) };
}
