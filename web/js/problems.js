// From an error to a note that says, in plain words, what happened and what to do.
import {t} from './i18n.js';

// `retry` translates again; `useKey(key)` keeps a key and translates again.
export function problemNote(error, {retry, useKey}) {
  const note = {kind: 'error', text: () => t(keyOf(error)), detail: error.message};
  const again = {label: () => t('retry'), run: retry};
  switch (error.status) {
    case 401:
      return {...note, kind: 'warning', form: {
        label: () => t('error.key.label'), button: () => t('error.key.use'), submit: useKey}};
    case 400: case 403: case 413: case 422:
      return note;  // the same request would fail again
    default:
      return {...note, action: again};
  }
}

// While the page waits before it tries again by itself.
export function waitingNote(error, seconds, retry) {
  if (error.status === 429)
    return {
      kind: 'warning',
      text: () => t('error.busy'),
      countdown: {text: () => t('error.busy.wait'), seconds},
      action: {label: () => t('retry.now'), run: retry},
    };
  return error.status === 503
    ? {kind: 'warning', text: () => t('error.loading')}
    : {kind: 'error', text: () => t('error.offline')};
}

function keyOf({status, code, field}) {
  if (code === 'broken') return 'error.broken';
  if (status === 422 && ['source', 'target'].includes(field)) return `error.unsupported.${field}`;
  return {
    0: 'error.offline', 400: 'error.invalid', 401: 'error.key', 403: 'error.forbidden',
    413: 'error.too_large', 422: 'error.unsupported', 429: 'error.busy.again',
    503: 'error.loading', 504: 'error.deadline',
  }[status] ?? 'error.internal';
}

// What the end of an answer has to tell besides its text.
export function endNotes({finish_reason, warnings = []}) {
  const notes = [];
  if (['length', 'loop', 'deadline'].includes(finish_reason))
    notes.push({kind: 'warning', text: () => t(`note.${finish_reason}`)});
  for (const warning of warnings) notes.push({kind: 'warning', text: () => String(warning)});
  return notes;
}
