"""An endless stream of training batches made from the sentence pairs."""

import collections
import pathlib
import random
from collections.abc import Iterator

import numpy as np

import corpus
from prompts import prompt_tokens
from tokenizer import Tokenizer

Direction = tuple[str, str]
Example = tuple[list[int], list[int]]  # the prompt's tokens, the answer's

# The share of the examples that each language's two directions with English get, each. What is left
# goes to the 20 directions without English, pairs of which come from shared English sentences.
WITH_ENGLISH = {"zh": 0.17, "ja": 0.07, "fr": 0.07, "de": 0.06, "es": 0.07}
WITHOUT_ENGLISH = 0.12 / 20
LINES = {1: 0.62, 2: 0.18, 3: 0.12, 4: 0.08}  # sentences an example joins, and how often
SEPARATORS = ["\n", "\n", "\n\n", " "]
FINAL_PUNCTUATION = ".!?…。！？"
# Nobody types "hello!" into a translator, but nearly every pair ends in punctuation: without this
# the model learns that a text without it is unfinished.
WITHOUT_PUNCTUATION = 0.15


class Examples:

    def __init__(self, tokenizer: Tokenizer, folder: pathlib.Path, seed: int):
        self._tokenizer = tokenizer
        self._random = random.Random(seed)
        self._pairs = _pairs_by_direction(folder)
        self._weights = [_weight(direction) for direction in self._pairs]
        self._order: dict[Direction, list[int]] = {d: [] for d in self._pairs}

    def batches(self, max_tokens: int, longest: int = 160, pool: int = 3000
               ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Batches of at most max_tokens, padding included: inputs and labels [n_seqs, n_tokens], the
        labels -1 where nothing is to be learnt (prompt and padding). Examples of similar length
        share a batch."""
        while True:
            examples = [e for e in (self._example() for _ in range(pool)) if _length(e) <= longest]
            examples.sort(key=_length)
            batches = list(_cut(examples, max_tokens))
            self._random.shuffle(batches)
            yield from map(_arrays, batches)

    def _example(self) -> Example:
        direction = self._random.choices(list(self._pairs), self._weights)[0]
        n_lines = self._random.choices(list(LINES), LINES.values())[0]
        pairs = [self._next_pair(direction) for _ in range(n_lines)]
        separator = self._random.choice(SEPARATORS)
        if separator == " " and ("zh" in direction or "ja" in direction):
            separator = "\n"  # written without spaces between sentences
        source, target = (separator.join(side) for side in zip(*pairs))
        answer = self._tokenizer.encode(target) + [self._tokenizer.special_ids["<|eos|>"]]
        return prompt_tokens(self._tokenizer, *direction, source), answer

    def _next_pair(self, direction: Direction) -> tuple[str, str]:
        """Each pair of a direction once, in random order, then again."""
        order = self._order[direction]
        if not order:
            order.extend(range(len(self._pairs[direction])))
            self._random.shuffle(order)
        pair = self._pairs[direction][order.pop()]
        if self._random.random() < WITHOUT_PUNCTUATION:
            pair = without_punctuation(pair)
        return pair


def without_punctuation(pair: tuple[str, str]) -> tuple[str, str]:
    """The pair without final punctuation, if both sides end in it and something is left."""
    bare = tuple(side.rstrip(FINAL_PUNCTUATION).rstrip() for side in pair)
    both = all(0 < len(b) < len(side) for b, side in zip(bare, pair))
    return bare if both else pair


def _pairs_by_direction(folder: pathlib.Path) -> dict[Direction, list[tuple[str, str]]]:
    pairs = collections.defaultdict(list)
    by_english = collections.defaultdict(dict)
    for language, english, other in corpus.training_pairs(folder):
        pairs["en", language].append((english, other))
        pairs[language, "en"].append((other, english))
        by_english[english].setdefault(language, other)
    for translations in by_english.values():
        for a in translations:
            for b in translations:
                if a != b:
                    pairs[a, b].append((translations[a], translations[b]))
    return dict(pairs)


def _weight(direction: Direction) -> float:
    if "en" in direction:
        return WITH_ENGLISH[direction[0] if direction[1] == "en" else direction[1]]
    return WITHOUT_ENGLISH * (2 if "zh" in direction else 0.6)


def _length(example: Example) -> int:
    return len(example[0]) + len(example[1])


def _cut(examples: list[Example], max_tokens: int) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for example in examples:  # sorted: the latest is the longest
        if batch and _length(example) * (len(batch) + 1) > max_tokens:
            yield batch
            batch = []
        batch.append(example)
    if batch:
        yield batch


def _arrays(batch: list[Example]) -> tuple[np.ndarray, np.ndarray]:
    width = max(map(_length, batch)) - 1
    inputs = np.zeros((len(batch), width), np.int64)
    labels = np.full((len(batch), width), -1, np.int64)
    for row, (prompt, answer) in enumerate(batch):
        tokens = prompt + answer
        inputs[row, :len(tokens) - 1] = tokens[:-1]
        labels[row, len(prompt) - 1:len(tokens) - 1] = answer
    return inputs, labels
