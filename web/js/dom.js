// The little that is needed to build elements without markup in strings.

export const byId = (id) => document.getElementById(id);

// element('button', {class: 'quiet', onclick: f}, 'text', child): functions become listeners;
// false, null and undefined leave an attribute out.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

// One of the symbols at the top of index.html.
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
}

// Says a text to screen readers. Emptied later, so that nobody finds it while reading the page.
let emptying = 0;
export function announce(text) {
  const announcer = byId('announcer');
  announcer.textContent = text;
  clearTimeout(emptying);
  emptying = setTimeout(() => (announcer.textContent = ''), 8000);
}

// Ends after so many milliseconds, or when the window hears the event `wake`; rejects at once when
// `signal` aborts.
export function pause(milliseconds, signal, wake = null) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(() => finish(resolve), milliseconds);
    const woken = () => finish(resolve);
    const stopped = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', stopped);
    if (wake) window.addEventListener(wake, woken);
    function finish(how) {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
      if (wake) window.removeEventListener(wake, woken);
      how();
    }
  });
}
