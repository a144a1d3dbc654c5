"""Trains the byte-level BPE: corpus/train.tsv -> bpe.json.

Words are counted once and merged as a multiset; a heap with lazily corrected counts gives the most
frequent pair. Takes some minutes and 2 GB for 8192 entries.
"""

import argparse
import collections
import heapq
import json
import pathlib

import corpus
from prompts import LANGUAGES, prompt
from pretokenizer import BYTE_TO_CHARACTER, PATTERN, to_byte_level
from tokenizer import merge_pair

SPECIAL = [
    "<|endoftext|>", "<|startoftext|>", "<|bos|>", "<|eos|>", "<|pad|>", "<|extra_0|>", "<|extra_4|>",
    "<|extra_5|>"
]
# Chinese and Japanese have many characters, which Latin text would otherwise crowd out.
WEIGHT = collections.defaultdict(lambda: 1, zh=4, ja=2)
PROMPT_WEIGHT = 20_000  # every example carries a prompt: its words should be few tokens

Pair = tuple[str, str]


def count_words(pairs) -> collections.Counter[str]:
    words: collections.Counter[str] = collections.Counter()
    seen = set()
    for language, english, other in pairs:
        for word in PATTERN.findall(other):
            words[word] += WEIGHT[language]
        if english not in seen:
            seen.add(english)
            words.update(PATTERN.findall(english))
    for target in LANGUAGES:
        for source in ("zh", "en"):
            for word in PATTERN.findall(prompt(source, target, "")):
                words[word] += PROMPT_WEIGHT
    return words


class Merger:
    """The words as parts, and where each pair of neighbouring parts occurs."""

    def __init__(self, words: collections.Counter[str]):
        self.parts = [to_byte_level(word) for word in words]
        self.frequency = list(words.values())
        self.count: collections.Counter[Pair] = collections.Counter()
        self.where: dict[Pair, set[int]] = collections.defaultdict(set)
        for i, parts in enumerate(self.parts):
            for pair in zip(parts, parts[1:]):
                self.count[pair] += self.frequency[i]
                self.where[pair].add(i)
        self.heap = [(-count, pair) for pair, count in self.count.items()]
        heapq.heapify(self.heap)

    def pop_most_frequent(self) -> Pair | None:
        while self.heap:
            count, pair = heapq.heappop(self.heap)
            current = self.count.get(pair, 0)
            if current == -count and current > 0:
                return pair
            if current > 0:
                heapq.heappush(self.heap, (-current, pair))
        return None

    def merge(self, pair: Pair) -> None:
        changed = set()
        for i in self.where.pop(pair):
            old = self.parts[i]
            new = merge_pair(old, *pair)
            for p in zip(old, old[1:]):
                self.count[p] -= self.frequency[i]
                changed.add(p)
            for p in zip(new, new[1:]):
                self.count[p] += self.frequency[i]
                self.where[p].add(i)
                changed.add(p)
            self.parts[i] = new
        self.count.pop(pair, None)
        for p in changed:
            if self.count.get(p, 0) > 0:
                heapq.heappush(self.heap, (-self.count[p], p))


def train(words: collections.Counter[str], n_vocab: int) -> tuple[list[str], list[Pair]]:
    merger = Merger(words)
    vocab = list(BYTE_TO_CHARACTER[b] for b in range(256))
    known, merges = set(vocab), []
    while len(vocab) < n_vocab and (pair := merger.pop_most_frequent()):
        merges.append(pair)
        if (token := "".join(pair)) not in known:
            known.add(token)
            vocab.append(token)
        merger.merge(pair)
        if len(vocab) % 1000 == 0:
            print(f"{len(vocab)} entries, latest {token!r}", flush=True)
    return vocab, merges


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, default=corpus.default_corpus())
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bpe.json"))
    parser.add_argument("--entries", type=int, default=8192, help="special tokens included")
    parser.add_argument("--pairs", type=int, help="only the first so many sentence pairs")
    arguments = parser.parse_args()

    pairs = list(corpus.training_pairs(arguments.corpus))[:arguments.pairs]
    words = count_words(pairs)
    print(f"{len(words)} different words in {len(pairs)} pairs")
    vocab, merges = train(words, arguments.entries - len(SPECIAL))
    arguments.out.write_text(
        json.dumps({"vocab": vocab, "merges": merges, "special": SPECIAL}, ensure_ascii=False),
        encoding="utf-8")
    print(f"{arguments.out}: {len(vocab)} entries and {len(SPECIAL)} special ones, {len(merges)} merges")


if __name__ == "__main__":
    main()
