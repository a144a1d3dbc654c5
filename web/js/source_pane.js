// The text to translate: an area that grows with it, its counter, and examples while it is empty.
import {byId, element} from './dom.js';
import {formatNumber, onLanguage, t, translateKeys} from './i18n.js';

// Sentences to begin with; all are in the reach of the demo model.
const kExamples = [
  {code: 'zh', text: '我想喝咖啡。'},
  {code: 'fr', text: 'Merci beaucoup !'},
  {code: 'en', text: 'Where is the train station?'},
];

export class SourcePane {
  #area = byId('source');
  #limit = Infinity;

  // changed() after typing, example(text, code) when one is chosen, cleared().
  constructor({changed, example, cleared}) {
    this.#area.addEventListener('input', (event) => {
      this.#show();
      // Half-typed pinyin or kana is no text yet; compositionend follows.
      if (!event.isComposing) changed();
    });
    this.#area.addEventListener('compositionend', changed);
    byId('clear').addEventListener('click', () => {
      this.text = '';
      this.#area.focus();
      cleared();
    });
    byId('examples').append(...kExamples.map(({code, text}) => element('button', {
      class: 'chip', type: 'button', lang: code, onclick: () => example(text, code),
    }, text)));
    onLanguage(() => {
      byId('shortcut').textContent = t('shortcut', {keys: translateKeys});
      this.#show();
    });
  }

  get text() {
    return this.#area.value;
  }

  set text(text) {
    this.#area.value = text;
    this.#show();
  }

  // In characters; more are marked, never cut.
  set limit(characters) {
    this.#limit = characters;
    this.#show();
  }

  // How many characters too long it is.
  get excess() {
    return Math.max(0, this.#length() - this.#limit);
  }

  // `code` is '' while the language is not known.
  setLanguage(code, direction) {
    this.#area.dir = direction;
    this.#area.lang = code;
    byId('source-grow').dir = direction;
    byId('source-grow').lang = code;
  }

  focus() {
    this.#area.focus();
  }

  #length() {
    let length = 0;
    for (const _ of this.#area.value) ++length;  // characters, not UTF-16 units
    return length;
  }

  #show() {
    const empty = this.#area.value === '';
    byId('source-grow').dataset.text = this.#area.value;  // CSS gives the area this text's height
    byId('clear').hidden = empty;
    byId('examples').hidden = !empty;
    const count = byId('count');
    const words = {count: formatNumber(this.#length()), limit: formatNumber(this.#limit)};
    count.textContent = Number.isFinite(this.#limit) ? t('count', words) : words.count;
    count.classList.toggle('over', this.excess > 0);
  }
}
