#!/usr/bin/python3
"""Writes vectors for the block formats: rows of weights and what GGML's definition makes of them.

Needs NumPy only. Each case is one file of little-endian bytes:
    rows.f32   weights, float32
    X.bin      the same rows stored as X (f16, bf16, q8_0, q4_0)
    X.f32      what X.bin reads back as, float32
Definitions (ggml, ggml-quants.c, the reference quantisers):
    q8_0: d = max|x| / 127; codes roundf(x / d), as x * (1 / d); f16 d, int8[32]
    q4_0: m = the first x of largest magnitude, d = m / -8; codes min(15, int(x * (1 / d) + 8.5));
          f16 d, then bytes: code i | code 16 + i << 4
All arithmetic in float32, as there.
"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32


def rows():
    rng = np.random.default_rng(20240607)
    parts = [
        rng.standard_normal(32 * 40).astype(F) * F(0.02),  # as trained weights are
        rng.standard_normal(32 * 8).astype(F) * np.repeat(F(10.0) ** np.arange(-7, 1), 32).astype(F),
        rng.uniform(-1, 1, 32 * 8).astype(F) ** 5,  # outliers
        np.zeros(32, F),
        np.full(32, F(0.3)),
        np.full(32, F(-0.3)),
        np.arange(-16, 16).astype(F),
        (np.arange(32) % 2 * 2 - 1).astype(F),  # equal magnitudes, both signs: the first counts
        (np.arange(32) * F(0.5)).astype(F),  # halves between codes
        np.full(32, F(1e-8)),  # below what binary16 holds
        np.full(32, F(3e-6)),  # a step that is a subnormal half
        np.full(32, F(60000)),
    ]
    return np.concatenate(parts)


def round_half_away(x):
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= F(0.5), np.sign(x), 0).astype(F)


def inverse(d):
    return np.divide(F(1), d, out=np.zeros_like(d), where=d != 0)


def q8_0(x):
    blocks = x.reshape(-1, 32)
    d = np.abs(blocks).max(axis=1) / F(127)
    codes = round_half_away(blocks * inverse(d)[:, None]).astype(np.int8)
    d16 = d.astype(np.float16)
    stored = np.concatenate([d16.view(np.uint8).reshape(-1, 2), codes.view(np.uint8)], axis=1)
    return stored, codes.astype(F) * d16.astype(F)[:, None]


def q4_0(x):
    blocks = x.reshape(-1, 32)
    first = np.abs(blocks).argmax(axis=1)
    d = blocks[np.arange(len(blocks)), first] / F(-8)
    codes = np.minimum(15, (blocks * inverse(d)[:, None] + F(8.5)).astype(np.int8)).astype(np.uint8)
    d16 = d.astype(np.float16)
    packed = codes[:, :16] | codes[:, 16:] << 4
    stored = np.concatenate([d16.view(np.uint8).reshape(-1, 2), packed], axis=1)
    return stored, (codes.astype(F) - 8) * d16.astype(F)[:, None]


def f16(x):
    stored = x.astype(np.float16)
    return stored, stored.astype(F)


def bf16(x):
    bits = x.view(np.uint32).astype(np.uint64)
    stored = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return stored, (stored.astype(np.uint32) << 16).view(F)


if __name__ == "__main__":
    x = rows()
    x.tofile(HERE / "rows.f32")
    for kind in (f16, bf16, q8_0, q4_0):
        stored, back = kind(x)
        stored.tofile(HERE / f"{kind.__name__}.bin")
        back.astype(F).tofile(HERE / f"{kind.__name__}.f32")
