// What the page has to say about a translation: errors, warnings, hints, each with what to do.
import {byId, element} from './dom.js';
import {onLanguage} from './i18n.js';

// A note: {kind: 'error' | 'warning' | 'hint',
//          text: () => words,             called again when the interface changes its language
//          detail: words of the server,   shown small
//          countdown: seconds left,
//          action: {label: () => words, run},
//          form: {label: () => words, button: () => words, submit(value)}}
export class Notes {
  #list = [];

  constructor() {
    onLanguage(() => this.#render());
  }

  show(list) {
    if (list.length === 0 && this.#list.length === 0) return;
    this.#list = list;
    this.#render();
  }

  // Only the number changes, and silently: the text has been read out once.
  count(seconds) {
    const shown = byId('notes').querySelector('.seconds');
    if (shown) shown.textContent = String(seconds);
  }

  #render() {
    byId('notes').replaceChildren(...this.#list.map(noteElement));
  }
}

function noteElement({kind, text, detail, countdown, action, form}) {
  const note = element('div', {class: `note ${kind}`, role: kind === 'error' && 'alert'});
  const words = element('p', {}, text());
  if (countdown) {
    const seconds = element('span', {class: 'seconds'}, String(countdown.seconds));
    const hidden = {'aria-hidden': 'true'};  // the live region would read every second
    words.append(' ', element('span', hidden, countdown.text(), ' ', seconds, ' s'));
  }
  note.append(words);
  if (detail) note.append(element('p', {class: 'detail', lang: 'en', dir: 'auto'}, detail));
  if (action)
    note.append(element('button', {class: 'button', type: 'button', onclick: action.run},
                        action.label()));
  if (form) note.append(formElement(form));
  return note;
}

function formElement({label, button, submit}) {
  const input = element('input', {type: 'password', autocomplete: 'off', 'aria-label': label(),
                                  placeholder: label(), required: true});
  return element('form', {onsubmit: (event) => {
    event.preventDefault();
    submit(input.value.trim());
  }}, input, element('button', {class: 'button'}, button()));
}
