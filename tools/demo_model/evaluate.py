"""Greedy BLEU of a checkpoint on held-out sentences, in the ten directions with English.

For steering a training only: the tokenization is simpler than sacreBLEU's. For figures to publish
use `hymt eval` on the exported model.
"""

import argparse
import collections
import math
import pathlib
import re

import torch

import corpus
import model
from prompts import prompt_tokens
from tokenizer import Tokenizer


@torch.no_grad()
def translate(lm: model.LanguageModel, tokenizer: Tokenizer, source: str, target: str, text: str,
              longest: int = 80) -> str:
    end = tokenizer.special_ids["<|eos|>"]
    hidden, cache = lm(torch.tensor([prompt_tokens(tokenizer, source, target, text)]))
    answer: list[int] = []
    while len(answer) < longest:
        token = int(lm.logits(hidden[0, -1]).argmax())
        if token == end:
            break
        answer.append(token)
        hidden, cache = lm(torch.tensor([[token]]), cache)
    return tokenizer.decode(answer)


def words(text: str, language: str) -> list[str]:
    if language in ("zh", "ja"):
        return [c for c in text if not c.isspace()]
    return re.findall(r"\w+|[^\w\s]", text)


def ngrams(tokens: list[str], n: int) -> collections.Counter:
    return collections.Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))


def bleu(hypotheses: list[str], references: list[str], language: str) -> float:
    matches, totals, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for hypothesis, reference in zip(hypotheses, references):
        h, r = words(hypothesis, language), words(reference, language)
        length, reference_length = length + len(h), reference_length + len(r)
        for n in range(4):
            ours = ngrams(h, n + 1)
            matches[n] += sum((ours & ngrams(r, n + 1)).values())
            totals[n] += sum(ours.values())
    if min(matches) == 0:
        return 0.0
    precision = math.exp(sum(math.log(m / t) for m, t in zip(matches, totals)) / 4)
    return 100 * precision * min(1.0, math.exp(1 - reference_length / length))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--sentences", type=int, default=100, help="a direction")
    parser.add_argument("--corpus", type=pathlib.Path, default=corpus.default_corpus())
    parser.add_argument("--tokenizer", type=pathlib.Path, default=pathlib.Path("bpe.json"))
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    tokenizer, lm = Tokenizer(arguments.tokenizer), model.load(arguments.checkpoint)
    for language in corpus.OTHERS:
        pairs = corpus.held_out_pairs(arguments.corpus, language, arguments.sentences)
        english, other = (list(side) for side in zip(*pairs))
        for source, target, sources, references in ((language, "en", other, english),
                                                    ("en", language, english, other)):
            answers = [translate(lm, tokenizer, source, target, text) for text in sources]
            print(f"{source}->{target} BLEU {bleu(answers, references, target):.1f}", flush=True)
            for text, answer, reference in list(zip(sources, answers, references))[:3]:
                print(f"    {text} => {answer} | reference: {reference}")


if __name__ == "__main__":
    main()
