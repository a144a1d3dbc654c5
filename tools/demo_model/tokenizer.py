"""Byte-level BPE as train_tokenizer.py leaves it in bpe.json: encode, decode, special ids."""

import json
import pathlib

from pretokenizer import CHARACTER_TO_BYTE, PATTERN, to_byte_level

_CACHE_ENTRIES = 2_000_000


def merge_pair(parts: list[str], left: str, right: str) -> list[str]:
    """The parts with every occurrence of left, right joined, from left to right."""
    merged, i = [], 0
    while i < len(parts):
        if i + 1 < len(parts) and parts[i] == left and parts[i + 1] == right:
            merged.append(left + right)
            i += 2
        else:
            merged.append(parts[i])
            i += 1
    return merged


class Tokenizer:
    """vocab, then the special tokens behind it; merges in order of priority."""

    def __init__(self, path: pathlib.Path):
        data = json.loads(path.read_text(encoding="utf-8"))
        self.vocab: list[str] = data["vocab"]
        self.merges: list[tuple[str, str]] = [tuple(m) for m in data["merges"]]
        self.special: list[str] = data["special"]
        self.special_ids = {text: len(self.vocab) + i for i, text in enumerate(self.special)}
        self._ids = {text: i for i, text in enumerate(self.vocab)}
        self._rank = {pair: i for i, pair in enumerate(self.merges)}
        self._bytes = [bytes(CHARACTER_TO_BYTE[c] for c in text) for text in self.vocab]
        self._words: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        return [token for word in PATTERN.findall(text) for token in self._encode_word(word)]

    def decode(self, tokens: list[int]) -> str:
        plain = (t for t in tokens if t < len(self._bytes))
        return b"".join(self._bytes[t] for t in plain).decode("utf-8", "replace")

    def _encode_word(self, word: str) -> list[int]:
        tokens = self._words.get(word)
        if tokens is None:
            parts = to_byte_level(word)
            while pair := self._best_pair(parts):
                parts = merge_pair(parts, *pair)
            tokens = [self._ids[part] for part in parts]
            if len(self._words) < _CACHE_ENTRIES:
                self._words[word] = tokens
        return tokens

    def _best_pair(self, parts: list[str]) -> tuple[str, str] | None:
        known = [pair for pair in zip(parts, parts[1:]) if pair in self._rank]
        return min(known, key=self._rank.__getitem__, default=None)
