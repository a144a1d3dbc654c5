"""Trains the demo model: corpus and bpe.json -> ckpt.pt. Resumes from ckpt.pt if it is there.

5600 steps of 6144 tokens take about 80 minutes on two quiet cores with AVX-512 BF16.
"""

import argparse
import math
import os
import pathlib
import time

import torch
import torch.nn.functional as F

import corpus
from examples import Examples
from model import LanguageModel
from tokenizer import Tokenizer

BATCH_TOKENS = 6144
PEAK_RATE = 2.0e-3
WARM_UP = 300  # steps
WEIGHT_DECAY = 0.05
LABEL_SMOOTHING = 0.1
SAVE_EVERY = 500


def learning_rate(step: int, n_steps: int) -> float:
    """Linear warm-up, then half a cosine down to a twentieth of the peak."""
    warm = min(1.0, (step + 1) / WARM_UP)
    cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, step / n_steps)))
    return PEAK_RATE * warm * (0.05 + 0.95 * cosine)


def make_optimizer(model: LanguageModel) -> torch.optim.Optimizer:
    matrices = [p for p in model.parameters() if p.dim() == 2]
    norms = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": norms, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=PEAK_RATE, betas=(0.9, 0.98), eps=1e-8)


class Training:
    """The model, its optimizer, and a running average of the weights, which is what is exported."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.model = LanguageModel()
        self.optimizer = make_optimizer(self.model)
        self.average = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.step = 0
        if path.exists():
            saved = torch.load(path)
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.average, self.step = saved["average"], saved["step"]

    def take_step(self, inputs: torch.Tensor, labels: torch.Tensor, rate: float) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden, _ = self.model(inputs)
            learnt = labels >= 0
            logits = self.model.logits(hidden[learnt])
        loss = F.cross_entropy(logits.float(), labels[learnt], label_smoothing=LABEL_SMOOTHING)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        self._update_average()
        return loss.item()

    @torch.no_grad()
    def _update_average(self) -> None:
        keep = min(0.999, self.step / (self.step + 20))
        for name, value in self.model.state_dict().items():
            self.average[name].mul_(keep).add_(value, alpha=1 - keep)

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average,
            "step": self.step,
        }
        unfinished = self.path.with_suffix(".tmp")
        torch.save(state, unfinished)
        os.replace(unfinished, self.path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", type=int, help="the schedule's length (5600 made the shipped model)")
    parser.add_argument("--corpus", type=pathlib.Path, default=corpus.default_corpus())
    parser.add_argument("--tokenizer", type=pathlib.Path, default=pathlib.Path("bpe.json"))
    parser.add_argument("--checkpoint", type=pathlib.Path, default=pathlib.Path("ckpt.pt"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--report-every", type=int, default=50)
    arguments = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(arguments.threads)
    training = Training(arguments.checkpoint)
    # A resumed run draws other examples than the ones it has seen.
    examples = Examples(Tokenizer(arguments.tokenizer), arguments.corpus, seed=1 + training.step)
    started, n_tokens, smooth_loss = time.time(), 0, 0.0
    for inputs, labels in examples.batches(BATCH_TOKENS):
        if training.step >= arguments.steps:
            break
        rate = learning_rate(training.step, arguments.steps)
        loss = training.take_step(torch.from_numpy(inputs), torch.from_numpy(labels), rate)
        smooth_loss = 0.98 * smooth_loss + 0.02 * loss if smooth_loss else loss
        n_tokens += inputs.size
        if training.step % arguments.report_every == 0:
            seconds = time.time() - started
            print(f"step {training.step} loss {smooth_loss:.3f} rate {rate:.2e} "
                  f"{n_tokens / seconds:.0f} tokens/s {seconds:.0f} s", flush=True)
        if training.step % SAVE_EVERY == 0:
            training.save()
    training.save()


if __name__ == "__main__":
    main()
