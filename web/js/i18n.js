// The words of the interface, in English or Chinese.
//
// Elements name their words: data-t (their text), data-t-label (aria-label and title),
// data-t-placeholder, data-t-empty (what CSS shows while they are empty).
import en from './strings/en.js';
import zh from './strings/zh.js';
import {lasting} from './store.js';

const tables = {en, zh};
const listeners = [];
let current = lasting.get('interface') ?? (/^zh\b/i.test(navigator.language) ? 'zh' : 'en');
if (!tables[current]) current = 'en';

// What this keyboard calls the keys that translate at once.
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
export const translateKeys = isApple ? '⌘ ↵' : 'Ctrl + ↵';

export const interfaceLanguage = () => current;

// The words of `key`. An entry is a text, or a function of `values` that gives one.
export function t(key, values = {}) {
  const entry = tables[current][key] ?? en[key];
  return typeof entry === 'function' ? entry(values) : entry;
}

export const formatNumber = (number, options) =>
  new Intl.NumberFormat(current === 'zh' ? 'zh-CN' : 'en', options).format(number);

// Calls back now and after each change of the language.
export function onLanguage(listener) {
  listeners.push(listener);
  listener();
}

export function switchLanguage() {
  current = current === 'en' ? 'zh' : 'en';
  lasting.set('interface', current);
  applyLanguage();
}

export function applyLanguage() {
  document.documentElement.lang = current === 'zh' ? 'zh-Hans' : 'en';
  document.title = t('title');
  for (const item of document.querySelectorAll('[data-t]')) item.textContent = t(item.dataset.t);
  for (const item of document.querySelectorAll('[data-t-label]')) {
    const label = t(item.dataset.tLabel);
    item.setAttribute('aria-label', label);
    if (item.tagName === 'BUTTON') item.title = label;
  }
  for (const item of document.querySelectorAll('[data-t-placeholder]'))
    item.placeholder = t(item.dataset.tPlaceholder);
  for (const item of document.querySelectorAll('[data-t-empty]'))
    item.dataset.empty = t(item.dataset.tEmpty);
  for (const listener of listeners) listener();
}
