// Puts the parts together: what is chosen and typed, the translation of it, and what is remembered.
import {showModel, startAbout} from './about.js';
import * as api from './api.js';
import {byId} from './dom.js';
import {applyLanguage, formatNumber, onLanguage, switchLanguage, t} from './i18n.js';
import {Languages} from './languages.js';
import {formatLink, parseLink} from './link.js';
import {Notes} from './notes.js';
import {Picker} from './picker.js';
import {endNotes, problemNote, waitingNote} from './problems.js';
import {SourcePane} from './source_pane.js';
import {lasting, session} from './store.js';
import {TargetPane} from './target_pane.js';
import {startTheme} from './theme.js';
import {Translator, untilReady} from './translator.js';

const kRecent = 5;             // languages remembered
const kCharactersAToken = 4;   // at most, roughly: the limit in characters is for orientation

// People first try their own language, so the other side is the other of the two.
const kFirstTarget = /^en\b/i.test(navigator.language) ? 'zh' : 'en';

let languages = new Languages([]);
let ready = false;      // languages and model are known
let source = 'auto';
let target = kFirstTarget;
let detected = '';      // the language of the text, while source is 'auto'
let answered = null;    // the text whose whole translation is shown

const notes = new Notes();
const sourcePane = new SourcePane({
  changed: textChanged,
  cleared: textChanged,
  example(text, code) {
    setLanguages('auto', code === target ? otherThan(code) : target);
    sourcePane.text = text;
    sourcePane.focus();
    translateNow();
  },
});
const targetPane = new TargetPane(stopByHand);
const pickers = {
  source: new Picker(byId('source-picker'), 'source', (code) =>
    choose(code, code === target ? otherThan(code, spoken()) : target)),
  target: new Picker(byId('target-picker'), 'target', (code) =>
    choose(code === source ? otherThan(code, target) : source, code)),
};
const translator = new Translator({
  begin(job) {
    notes.show([]);
    answered = null;
    targetPane.begin({code: job.target, direction: languages.direction(job.target)});
  },
  delta: (text) => targetPane.append(text),
  detected: setDetected,
  end(event, seconds, job) {
    targetPane.end(event.text ?? targetPane.text, seconds);
    answered = job.text;
    if (source === 'auto') setDetected(event.source || '');
    notes.show([...sameLanguageNote(), ...endNotes(event)]);
  },
  wait: showWaiting,
  fail(error) {
    targetPane.rest();
    if (source === 'auto') setDetected('');  // it was told of another text
    notes.show([problemNote(error, {retry: translateNow, useKey})]);
  },
});

// --- what is chosen ---

function setLanguages(newSource, newTarget) {
  source = newSource;
  target = newTarget;
  if (source !== 'auto') detected = '';
  lasting.set('languages', {source, target});
  showLanguages();
}

function setDetected(code) {
  detected = code;
  showLanguages();
}

function showLanguages() {
  pickers.source.show(source, () =>
    source !== 'auto' ? {name: languages.name(source)}
      : detected ? {lead: t('language.detected'), name: languages.name(detected)}
        : {name: t('language.auto')});
  pickers.target.show(target, () => ({name: languages.name(target)}));
  byId('swap').disabled = !ready || !spoken();
  if (source === 'auto') sourcePane.setLanguage(detected, 'auto');
  else sourcePane.setLanguage(source, languages.direction(source));
}

function choose(newSource, newTarget) {
  const recent = [newTarget, newSource, ...recentLanguages()].filter((code) => code !== 'auto');
  lasting.set('recent', [...new Set(recent)].slice(0, kRecent));
  setLanguages(newSource, newTarget);
  translateNow();
}

const recentLanguages = () =>
  lasting.get('recent', []).filter((code) => languages.supports(code));

// What the text is in, as far as we know: a code, or ''.
const spoken = () => (source === 'auto' ? detected : source);

// The first of `preferred` and then of the likely languages that can stand opposite `code`.
const otherThan = (code, ...preferred) =>
  [...preferred, ...recentLanguages(), kFirstTarget, 'en', 'zh', ...languages.codes]
    .find((other) => other !== code && languages.supports(other));

// The languages change places, and the translation becomes the text: if it is whole, and that of the
// text as it stands, so that nothing typed is lost to something else.
function swap() {
  const text = answered === sourcePane.text ? targetPane.text : '';
  translator.stop();
  if (text) sourcePane.text = text;
  targetPane.clear();
  choose(target, otherThan(target, spoken()));
}

// --- the translation ---

function textChanged() {
  session.set('text', sourcePane.text);
  if (isTranslatable()) translator.afterTyping(beginJob);
}

function translateNow() {
  session.set('text', sourcePane.text);
  if (isTranslatable()) translator.start(beginJob());
}

// Whether there is something to send; if not, what was on its way is given up.
function isTranslatable() {
  if (!ready) return false;  // start() comes back to it
  const excess = sourcePane.excess;
  if (sourcePane.text.trim() && !excess) return true;
  translator.stop();
  targetPane.clear();
  if (!excess) setDetected('');
  notes.show(excess ? [excessNote(excess)] : []);
  showLink();
  return false;
}

const excessNote = (excess) => ({
  kind: 'warning',
  text: () => t('error.over_limit', {count: formatNumber(excess)}),
});

function beginJob() {
  showLink();
  return {text: sourcePane.text, source, target};
}

function stopByHand() {
  if (!translator.stop()) return;
  targetPane.rest();
  notes.show([{kind: 'hint', text: () => t('note.stopped')}]);
}

function showWaiting(error, seconds) {
  if (seconds !== undefined && byId('notes').querySelector('.seconds')) return notes.count(seconds);
  if (translator.busy) targetPane.pause();
  notes.show([waitingNote(error, seconds, translateNow)]);
}

function useKey(key) {
  api.setKey(key);
  if (ready) translateNow();
  else start();
}

// A text in the target language already: offers the language used before.
function sameLanguageNote() {
  if (source !== 'auto' || detected !== target) return [];
  const other = otherThan(target);
  return [{
    kind: 'hint',
    text: () => t('note.same', {name: languages.name(target)}),
    action: other && {
      label: () => t('note.same.action', {name: languages.name(other)}),
      run: () => choose('auto', other),
    },
  }];
}

// --- links and memory ---

function showLink() {
  const text = sourcePane.text;
  history.replaceState(null, '', text ? formatLink({source, target, text})
    : location.pathname + location.search);
}

// Takes over what a link says; false if it is none of ours.
function followLink() {
  const link = parseLink(location.hash);
  if (!link) return false;
  restoreLanguages(link);
  if (link.text) sourcePane.text = link.text;
  return true;
}

// As far as this model goes.
function restoreLanguages(wanted) {
  const into = otherThan('auto', wanted.target);
  const from = wanted.source !== into && languages.supports(wanted.source) ? wanted.source : 'auto';
  setLanguages(from, into);
}

// --- start ---

async function start() {
  try {
    const [list, model] = await Promise.all([api.getLanguages(), api.getModel()]);
    languages = new Languages(list);
    sourcePane.limit = kCharactersAToken * (model.max_input_tokens ?? 4096);
    showModel(model, languages.codes.filter((code) => languages.supports(code)).length);
  } catch (error) {
    if (error.status !== 0 && error.status !== 503)
      return notes.show([problemNote(error, {retry: start, useKey})]);
    showWaiting(error);
    await untilReady(new AbortController().signal, showWaiting, error.status);
    return start();
  }
  ready = true;
  for (const picker of Object.values(pickers)) picker.setLanguages(languages, recentLanguages);
  if (!followLink()) restoreLanguages(lasting.get('languages', {source, target}));
  notes.show([]);
  translateNow();
}

startTheme();
startAbout();
onLanguage(() => {
  const button = byId('interface-language');
  button.textContent = t('interface.other');
  button.lang = t('interface.other') === 'English' ? 'en' : 'zh-Hans';
  button.title = t('interface.switch');
});
byId('interface-language').addEventListener('click', switchLanguage);
byId('swap').addEventListener('click', swap);
addEventListener('hashchange', () => ready && followLink() && translateNow());
addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) translateNow();
  else if (event.key === 'Escape' && !byId('about').open) stopByHand();
});
applyLanguage();
sourcePane.text = session.get('text', '');
showLanguages();
delete document.documentElement.dataset.starting;
start();
