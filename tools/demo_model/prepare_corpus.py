"""Builds the corpus from the Tatoeba exports of manythings.org/anki (CC BY 2.0 FR).

Reads PAIRS/{cmn,jpn,fra,deu,spa}*.txt (English<TAB>other<TAB>credit), converts Chinese to simplified
characters with opencc, drops duplicates and long lines, and holds sentences out: a pair is in train,
dev or test by the hash of its normalised English side, so an English sentence is on one side only in
all languages at once; a pair whose other side is held out too is left out of train.
"""

import argparse
import hashlib
import pathlib
import random
import re
import subprocess
import unicodedata

PREFIXES = {"zh": "cmn", "ja": "jpn", "fr": "fra", "de": "deu", "es": "spa"}
LONGEST_ENGLISH, LONGEST_OTHER = 140, 160  # characters
TEST_SHARE, DEV_SHARE = 12, 6  # of 1000 English sentences
TEST_PAIRS, DEV_PAIRS = 300, 200  # kept, a language
NARROW_SPACE, HARD_SPACE = "\u202f", "\xa0"

Pair = tuple[str, str]


def read_pairs(path: pathlib.Path) -> list[Pair]:
    columns = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return [(clean(c[0]), clean(c[1])) for c in columns if len(c) >= 2]


def clean(text: str) -> str:
    text = unicodedata.normalize("NFC", text.strip())
    return text.replace(NARROW_SPACE, " ").replace(HARD_SPACE, " ")


def simplified(lines: list[str]) -> list[str]:
    done = subprocess.run(["opencc", "-c", "t2s.json"], input="\n".join(lines), text=True,
                          capture_output=True, check=True)
    return done.stdout.split("\n")[:len(lines)]


def key(text: str) -> str:
    """What two sentences share that differ in case, spaces or punctuation only."""
    return re.sub(r"[\W_]+", "", text.lower())


def bucket(english: str) -> int:
    return int(hashlib.sha1(key(english).encode()).hexdigest(), 16) % 1000


def split(pairs: list[Pair]) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """train, dev, test."""
    seen, train, dev, test = set(), [], [], []
    for english, other in pairs:
        if not english or not other or len(english) > LONGEST_ENGLISH or len(other) > LONGEST_OTHER:
            continue
        if (key(english), key(other)) in seen:
            continue
        seen.add((key(english), key(other)))
        b = bucket(english)
        part = test if b < TEST_SHARE else dev if b < TEST_SHARE + DEV_SHARE else train
        part.append((english, other))
    held_out = {key(other) for _, other in dev + test}
    return [pair for pair in train if key(pair[1]) not in held_out], dev, test


def distinct(pairs: list[Pair], count: int) -> list[Pair]:
    """The first `count` pairs that repeat neither an English sentence nor its translation."""
    seen, kept = set(), []
    for pair in pairs:
        if not seen.intersection(pair):
            seen.update(pair)
            kept.append(pair)
    return kept[:count]


def write(path: pathlib.Path, rows: list[tuple[str, ...]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=pathlib.Path, help="the folder with the exports")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("corpus"))
    arguments = parser.parse_args()

    shuffle = random.Random(7).shuffle
    arguments.out.mkdir(parents=True, exist_ok=True)
    training = []
    for language, prefix in PREFIXES.items():
        files = sorted(arguments.pairs.glob(f"{prefix}*.txt"))
        if not files:
            parser.error(f"no {prefix}*.txt in {arguments.pairs}")
        pairs = [pair for file in files for pair in read_pairs(file)]
        if language == "zh":
            english, chinese = zip(*pairs)
            pairs = list(zip(english, simplified(list(chinese))))
        train, dev, test = split(pairs)
        shuffle(dev)
        shuffle(test)
        training += [(language, *pair) for pair in train]
        write(arguments.out / f"dev.en-{language}.tsv", distinct(dev, DEV_PAIRS))
        write(arguments.out / f"test.en-{language}.tsv", distinct(test, TEST_PAIRS))
        print(f"{language}: {len(train)} pairs to train on, {len(dev)} dev, {len(test)} test")
    write(arguments.out / "train.tsv", training)


if __name__ == "__main__":
    main()
