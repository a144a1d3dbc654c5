// What the browser remembers: `lasting` over visits, `session` over a reload of this tab.
// Storage may be forbidden or full; then nothing is remembered and nothing else changes.

function store(storage) {
  return {
    get(key, otherwise) {
      try {
        return JSON.parse(storage().getItem(`hymt.${key}`)) ?? otherwise;
      } catch {
        return otherwise;
      }
    },
    // null forgets.
    set(key, value) {
      try {
        if (value === null) storage().removeItem(`hymt.${key}`);
        else storage().setItem(`hymt.${key}`, JSON.stringify(value));
      } catch {
        // forbidden or full
      }
    },
  };
}

export const lasting = store(() => localStorage);
export const session = store(() => sessionStorage);
