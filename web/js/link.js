// Links to a translation: #source/target/text, as #auto/en/%E4%BD%A0%E5%A5%BD

const kLongest = 2000;  // encoded characters; longer texts would make links that programs cut

// {source, target, text} of a location's hash, or null. An absent text is ''.
export function parseLink(hash) {
  const parts = /^#([\w-]+)\/([\w-]+)(?:\/(.*))?$/s.exec(hash);
  if (!parts) return null;
  try {
    return {source: parts[1], target: parts[2], text: decodeURIComponent(parts[3] ?? '')};
  } catch {
    return null;  // half an escape: not one of ours
  }
}

export function formatLink({source, target, text}) {
  const encoded = encodeURIComponent(text.toWellFormed?.() ?? text);
  return `#${source}/${target}/${encoded.length <= kLongest ? encoded : ''}`;
}
