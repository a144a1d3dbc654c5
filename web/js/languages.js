// The languages as the server lists them, and what the page asks about them.
import {interfaceLanguage} from './i18n.js';

// Case, accents and the marks of other scripts do not matter to a search.
const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export class Languages {
  #byCode;

  // [{code, english, chinese, native, rtl, supported}]
  constructor(list) {
    this.all = list;
    this.#byCode = new Map(list.map((language) => [language.code, language]));
  }

  get codes() {
    return this.all.map(({code}) => code);
  }

  get(code) {
    return this.#byCode.get(code);
  }

  // Can the model translate it? A server that does not say supports what it lists.
  supports(code) {
    const language = this.get(code);
    return Boolean(language) && language.supported !== false;
  }

  // In the language of the interface.
  name(code) {
    const language = this.get(code);
    if (!language) return code;
    return interfaceLanguage() === 'zh' ? language.chinese : language.english;
  }

  direction(code) {
    const language = this.get(code);
    if (!language) return 'auto';
    return language.rtl ? 'rtl' : 'ltr';
  }

  // In the order of their names.
  sorted() {
    const order = new Intl.Collator(interfaceLanguage() === 'zh' ? 'zh-CN' : 'en');
    return [...this.all].sort((a, b) => order.compare(this.name(a.code), this.name(b.code)));
  }

  // Those whose English, Chinese or native name or code holds the query; first those where a
  // word begins with it.
  search(query) {
    const wanted = folded(query.trim());
    if (!wanted) return this.sorted();
    const rank = ({code, english, chinese, native}) => {
      const names = [english, chinese, native, code].map(folded);
      if (names.some((name) => name.startsWith(wanted))) return 0;
      const words = names.flatMap((name) => name.split(/[\s-]/));
      if (words.some((word) => word.startsWith(wanted))) return 1;
      return names.some((name) => name.includes(wanted)) ? 2 : 3;
    };
    return this.sorted()
      .map((language) => ({language, rank: rank(language)}))
      .filter((found) => found.rank < 3)
      .sort((a, b) => a.rank - b.rank)  // stable: names stay in order
      .map((found) => found.language);
  }
}
