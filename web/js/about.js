// The window that says what this is, which model works, and whom to thank; and the line under the
// panes that tells a visitor of the demo model what to expect.
import {byId} from './dom.js';
import {formatNumber, onLanguage, t, translateKeys} from './i18n.js';

export function startAbout() {
  const about = byId('about');
  const open = () => about.showModal();
  byId('about-open').addEventListener('click', open);
  byId('demo-more').addEventListener('click', open);
  byId('about-close').addEventListener('click', () => about.close());
  // A click beside the window, on its backdrop, reaches the dialog element itself.
  about.addEventListener('click', (event) => {
    if (event.target === about) about.close();
  });
  byId('key-translate').textContent = translateKeys;
}

// `model` as the server tells it, and how many languages it translates.
export function showModel(model, count) {
  const name = model.name || model.id || 'hymt';
  const demo = /\bdemo\b/i.test(`${model.name ?? ''} ${model.id ?? ''}`);
  for (const id of ['demo', 'about-demo', 'about-credit']) byId(id).hidden = !demo;
  onLanguage(() => {
    byId('model').textContent = t('model.name', {name});
    byId('about-model-text').textContent =
      t('about.model.text', {name, count: formatNumber(count)});
  });
}
