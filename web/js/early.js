// Runs before the first paint, so that no page flashes in the wrong colours or language.
// A plain script, not a module: modules wait until the document has been read.
(function () {
  function remembered(key) {
    try {
      return JSON.parse(localStorage.getItem('hymt.' + key));
    } catch (forbidden) {
      return null;
    }
  }
  var root = document.documentElement;
  var dark = matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = remembered('theme') || (dark ? 'dark' : 'light');
  root.dataset.starting = '';  // main.js takes it away once the words are in place
})();
