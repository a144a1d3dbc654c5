"""Where the sentence pairs lie and how they are read."""

import lzma
import os
import pathlib
from collections.abc import Iterator

OTHERS = ["zh", "ja", "fr", "de", "es"]  # each paired with English


def default_corpus() -> pathlib.Path:
    return pathlib.Path(os.environ.get("HYMT_SHARED", "../shared")) / "data" / "corpus"


def training_pairs(corpus: pathlib.Path) -> Iterator[tuple[str, str, str]]:
    """(language, English, other) of train.tsv or train.tsv.xz."""
    plain, packed = corpus / "train.tsv", corpus / "train.tsv.xz"
    with (open(plain, encoding="utf-8") if plain.exists() else
          lzma.open(packed, "rt", encoding="utf-8")) as lines:
        for line in lines:
            language, english, other = line.rstrip("\n").split("\t")
            yield language, english, other


def held_out_pairs(corpus: pathlib.Path, language: str, count: int) -> list[tuple[str, str]]:
    """The first `count` (English, other) pairs that training never sees."""
    text = (corpus / f"test.en-{language}.tsv").read_text(encoding="utf-8")
    english_other = [tuple(line.split("\t")) for line in text.splitlines()]
    return english_other[:count]
