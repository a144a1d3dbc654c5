// The translation as it comes, with its time, the stop and the copy button.
import {announce, byId, icon} from './dom.js';
import {formatNumber, onLanguage, t} from './i18n.js';

const kReadOut = 500;        // longest translation that is read out whole
const kCopiedShown = 1600;   // milliseconds

export class TargetPane {
  #output = byId('output');
  #text = null;      // the text node that grows, once the first piece has come
  #language = null;  // {code, direction} of the answer awaited
  #seconds = null;

  constructor(stop) {
    byId('stop').addEventListener('click', stop);
    byId('copy').addEventListener('click', () => this.#copy());
    onLanguage(() => this.#showTime());
  }

  get text() {
    return this.#output.textContent;
  }

  // An answer is awaited; what is shown stays, dimmed, until its first piece comes.
  begin(language) {
    this.#text = null;
    this.#language = language;
    this.#output.dataset.state = 'waiting';
    this.#setBusy(true);
    this.#setSeconds(null);
  }

  append(delta) {
    if (!this.#text) this.#startText();
    this.#text.appendData(delta);
  }

  // The whole text is known: the last word on what is shown.
  end(text, seconds) {
    if (!this.#text) this.#startText();
    if (this.#text.data !== text) this.#text.data = text;
    this.rest();
    this.#setSeconds(seconds);
    const length = [...text].length;
    announce(length <= kReadOut ? text : t('ready.long', {count: formatNumber(length)}));
  }

  // Nothing more comes; what has come stays.
  rest() {
    const unfinished = this.#output.dataset.state === 'waiting';
    this.#output.dataset.state = '';
    this.#output.style.minHeight = '';
    this.#setBusy(false);
    if (unfinished) this.#output.textContent = '';  // what is shown belongs to another text
    byId('copy').disabled = this.text === '';
  }

  // More may come, after a wait.
  pause() {
    this.rest();
    this.#setBusy(true);
  }

  clear() {
    this.#output.textContent = '';
    this.rest();
    this.#setSeconds(null);
  }

  #setBusy(busy) {
    this.#output.parentElement.classList.toggle('busy', busy);
    byId('stop').hidden = !busy;
  }

  #startText() {
    // The answer before it was perhaps longer: the pane keeps its height until this one is whole.
    this.#output.style.minHeight = `${this.#output.offsetHeight}px`;
    this.#text = document.createTextNode('');
    this.#output.replaceChildren(this.#text);
    this.#output.dataset.state = 'coming';
    this.#output.lang = this.#language.code;
    this.#output.dir = this.#language.direction;
    byId('copy').disabled = false;
  }

  #setSeconds(seconds) {
    this.#seconds = seconds;
    this.#showTime();
  }

  #showTime() {
    const seconds = this.#seconds;
    const time = seconds === null ? ''
      : seconds < 1 ? t('time.milliseconds', {count: formatNumber(Math.round(1000 * seconds))})
        : t('time.seconds', {count: formatNumber(seconds, {maximumFractionDigits: 1})});
    byId('time').textContent = time && t('time', {time});
  }

  async #copy() {
    const button = byId('copy');
    const copied = await copyText(this.text, this.#output);
    announce(t(copied ? 'copied' : 'copy.failed'));
    if (!copied) return;
    const [symbol, words] = button.children;
    button.classList.add('done');
    words.textContent = t('copied');
    symbol.replaceWith(icon('check'));
    setTimeout(() => {
      button.classList.remove('done');
      words.textContent = t('copy');
      button.firstElementChild.replaceWith(icon('copy'));
    }, kCopiedShown);
  }
}

// The clipboard interface exists only on https and on this machine; elsewhere the old command
// works on a selection, which also stays to be copied by hand.
async function copyText(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(shown);
    return document.execCommand('copy');
  }
}
