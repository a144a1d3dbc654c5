"""How text is cut into words before merging (Hunyuan's 7B pattern), and the byte-level alphabet."""

import regex

PATTERN = regex.compile(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def _byte_level_alphabet() -> dict[int, str]:
    """GPT-2's: printable Latin-1 bytes stand for themselves, the others for U+0100 onwards."""
    alphabet = {b: chr(b) for b in [*range(33, 127), *range(161, 173), *range(174, 256)]}
    unprintable = (b for b in range(256) if b not in alphabet)
    return alphabet | {b: chr(256 + i) for i, b in enumerate(list(unprintable))}


BYTE_TO_CHARACTER = _byte_level_alphabet()
CHARACTER_TO_BYTE = {c: b for b, c in BYTE_TO_CHARACTER.items()}


def to_byte_level(text: str) -> list[str]:
    return [BYTE_TO_CHARACTER[b] for b in text.encode()]
