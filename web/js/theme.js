// Light or dark: as the system says, until the reader chooses otherwise. Choosing what the system
// says anyway goes back to following it.
import {byId} from './dom.js';
import {onLanguage, t} from './i18n.js';
import {lasting} from './store.js';

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = () => (systemDark.matches ? 'dark' : 'light');

export function startTheme() {
  const button = byId('theme');
  const show = () => {
    const theme = lasting.get('theme', systemTheme());
    const other = theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    const page = getComputedStyle(document.documentElement).getPropertyValue('--page');
    document.querySelector('meta[name="theme-color"]').content = page.trim();
    button.title = t(`theme.${other}`);
    button.setAttribute('aria-label', button.title);
    button.querySelector('use').setAttribute('href', other === 'dark' ? '#icon-moon' : '#icon-sun');
  };
  button.addEventListener('click', () => {
    const chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    lasting.set('theme', chosen === systemTheme() ? null : chosen);
    show();
  });
  systemDark.addEventListener('change', show);
  onLanguage(show);
}
