// Choosing a language: a button that opens a searchable list (a combobox with a listbox, as ARIA
// names the parts). The focus stays in the search field; arrows move the active option.
import {announce, element, icon} from './dom.js';
import {onLanguage, t} from './i18n.js';

const kFewLanguages = 8;  // with no more than these, a list of recent ones would only repeat them
const kPage = 8;          // options that Page Up and Page Down pass

export class Picker {
  #label = () => ({name: ''});
  #options = [];  // those that can be chosen, as shown now
  #active = -1;
  #languages = null;
  #hasAuto;
  #chosen = '';
  #recent = () => [];

  // `host` is an empty element; `kind` is 'source' or 'target'; choose(code) hears the choice.
  constructor(host, kind, choose) {
    this.host = host;
    this.kind = kind;
    this.choose = choose;
    this.#hasAuto = kind === 'source';
    this.#build();
    onLanguage(() => this.#relabel());
  }

  setLanguages(languages, recent) {
    this.#languages = languages;
    this.#recent = recent;
    this.button.disabled = false;
    this.#relabel();
  }

  // What is chosen, and what the button says about it: () => {name, lead}, where a lead is words
  // before the name that stand above it where there is little room.
  show(code, label) {
    this.#chosen = code;
    this.#label = label;
    this.#relabel();
  }

  #build() {
    const id = (part) => `${this.kind}-${part}`;
    this.button = element('button', {
      class: 'quiet pick', type: 'button', id: id('button'), disabled: true,
      'aria-haspopup': 'dialog', 'aria-expanded': 'false', 'aria-controls': id('panel'),
      onclick: (event) => (this.panel.hidden ? this.open('', event.detail > 0) : this.close()),
      onkeydown: (event) => this.#typeOnButton(event),
    }, element('span', {class: 'name'}), icon('chevron'));
    this.input = element('input', {
      type: 'text', role: 'combobox', autocomplete: 'off', autocapitalize: 'none',
      spellcheck: 'false', enterkeyhint: 'done', 'aria-autocomplete': 'list',
      'aria-expanded': 'true', 'aria-controls': id('list'),
      oninput: () => this.#fill(true), onkeydown: (event) => this.#key(event),
    });
    this.list = element('div', {role: 'listbox', id: id('list'), class: 'list', tabindex: '-1'});
    this.none = element('p', {class: 'none', hidden: true});
    const closer = element('button', {
      class: 'quiet icon closer', type: 'button', 'data-t-label': 'close',
      onclick: () => this.close(),
    }, icon('close'));
    this.panel = element('div', {
      class: 'panel', id: id('panel'), role: 'dialog', hidden: true, tabindex: '-1',
      // A press on the list must not take the focus from the search field.
      onmousedown: (event) => event.target !== this.input && event.preventDefault(),
      onkeydown: (event) => event.key === 'Escape' && this.#escape(event),
    }, element('div', {class: 'search'}, icon('search'), this.input, closer), this.list, this.none);
    this.host.append(this.button, this.panel);
    // Leaving by Tab or by a press elsewhere; the focus alone may also go nowhere (to null) when
    // the button is pressed.
    this.host.addEventListener('focusout', ({relatedTarget: next}) => {
      if (next && !this.host.contains(next)) this.close(false);
    });
    document.addEventListener('pointerdown', (event) => {
      if (!this.host.contains(event.target)) this.close(false);
    });
  }

  #relabel() {
    const {lead, name} = this.#label();
    this.button.querySelector('.name').replaceChildren(
      ...(lead ? [element('small', {}, lead)] : []), name);
    this.button.title = (lead ?? '') + name;
    this.button.setAttribute('aria-label', t(`picker.${this.kind}`, {name: this.button.title}));
    const title = t(`picker.${this.kind}.title`);
    this.panel.setAttribute('aria-label', title);
    this.list.setAttribute('aria-label', title);
    this.input.placeholder = t('picker.search');
    this.input.setAttribute('aria-label', t('picker.search'));
    if (!this.panel.hidden) this.#fill(false);
  }

  // `pointed`: opened by a pointer. On a touch screen the keyboard would then cover half the list,
  // so it comes only once the search field is touched.
  open(query = '', pointed = false) {
    if (!this.#languages) return;
    this.panel.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    this.input.value = query;
    this.#fill(query !== '');
    const touch = pointed && matchMedia('(pointer: coarse)').matches;
    (touch ? this.panel : this.input).focus({preventScroll: true});
    this.#scrollToActive('center');
  }

  close(refocus = true) {
    if (this.panel.hidden) return;
    this.panel.hidden = true;  // first: hiding what has the focus moves it, which comes back here
    this.button.setAttribute('aria-expanded', 'false');
    if (refocus) this.button.focus();
  }

  #fill(searching) {
    const query = this.input.value;
    const found = this.#languages.search(query);
    const usable = found.filter(({code}) => this.#languages.supports(code));
    const others = found.filter(({code}) => !this.#languages.supports(code));
    this.#options = [];
    const groups = [];
    if (!query.trim()) {
      if (this.#hasAuto) groups.push(this.#option('auto'));
      if (usable.length > kFewLanguages)
        groups.push(this.#group('picker.recent', this.#recent(), 'recent'));
      groups.push(this.#group('picker.all', usable.map(({code}) => code), 'all'));
    } else {
      groups.push(this.#group('picker.all', usable.map(({code}) => code), 'found'));
    }
    groups.push(this.#group('picker.unsupported', others.map(({code}) => code), 'others'));
    this.list.replaceChildren(...groups.filter(Boolean));
    this.list.scrollTop = 0;
    this.none.hidden = found.length > 0;
    this.none.textContent = found.length ? '' : t('picker.none', {query: query.trim()});
    const chosen = this.#options.findIndex(({dataset}) => dataset.code === this.#chosen);
    this.#activate(searching ? 0 : Math.max(chosen, 0));
    if (!searching) return;
    announce(found.length ? t('picker.found', {count: usable.length}) : this.none.textContent);
  }

  #group(title, codes, name) {
    if (codes.length === 0) return null;
    const id = `${this.kind}-group-${name}`;
    return element('div', {role: 'group', class: `group ${name}`, 'aria-labelledby': id},
                   element('div', {class: 'group-title', id, role: 'presentation'}, t(title)),
                   element('div', {class: 'columns', role: 'presentation'},
                           ...codes.map((code) => this.#option(code, name))));
  }

  #option(code, group = 'auto') {
    const language = this.#languages.get(code);
    const name = language ? this.#languages.name(code) : t('language.auto');
    const usable = !language || this.#languages.supports(code);
    const option = element('div', {
      role: 'option', class: 'option', id: `${this.kind}-${group}-${code}`, 'data-code': code,
      'aria-selected': String(code === this.#chosen), 'aria-disabled': !usable && 'true',
      onclick: usable && (() => this.#take(code)),
    }, element('span', {class: 'name'}, name));
    if (language && language.native !== name)
      option.append(element('span', {class: 'native', lang: code, dir: 'auto'}, language.native));
    if (code === this.#chosen) option.append(icon('check'));
    if (usable) this.#options.push(option);
    return option;
  }

  #activate(index) {
    this.#options[this.#active]?.classList.remove('active');
    this.#active = Math.min(Math.max(index, 0), this.#options.length - 1);  // -1: there is none
    const option = this.#options[this.#active];
    option?.classList.add('active');
    if (option) this.input.setAttribute('aria-activedescendant', option.id);
    else this.input.removeAttribute('aria-activedescendant');
    this.#scrollToActive('nearest');
  }

  #scrollToActive(block) {
    this.#options[this.#active]?.scrollIntoView({block});
  }

  #take(code) {
    this.close();
    this.choose(code);
  }

  #key(event) {
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: kPage, PageUp: -kPage};
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in moves) this.#activate(this.#active + moves[event.key]);
    else if (event.key === 'Home' && !this.input.value) this.#activate(0);
    else if (event.key === 'End' && !this.input.value) this.#activate(this.#options.length - 1);
    else if (event.key === 'Enter') this.#options[this.#active]?.click();
    else return;
    event.preventDefault();
  }

  #escape(event) {
    event.stopPropagation();  // the page's own Escape stops a translation
    this.close();
  }

  // Arrows open the list; a letter opens it and begins a search.
  #typeOnButton(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.panel.hidden) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') this.open();
    else if (/^[\p{L}\p{N}]$/u.test(event.key)) this.open(event.key);
    else return;
    event.preventDefault();
  }
}
