#!/usr/bin/python3
"""The graph of Hunyuan's dense models in float64, as plainly as possible.

    hunyuan_dense.py MODEL.gguf 1,2,3 OUT_DIR

Reads a GGUF file with its own small reader, computes all tokens as one sequence, and writes every
intermediate value as raw float64 (row-major, a row a token) to OUT_DIR/NAME.LAYER. It shares no code
with the engine: what both say is what the publisher's model says, or both misread it in the same way.

The one thing it takes over from the engine is that K and V are cached as float16.
"""
import os
import struct
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small
import numpy as np

# --- GGUF, as its specification has it: header, metadata, tensor infos, aligned data -------------

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def scalar(self, code):
        value, = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        n = self.scalar("Q")
        self.at += n
        return self.data[self.at - n:self.at].decode("utf-8", "replace")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            inner, n = self.scalar("I"), self.scalar("Q")
            return [self.value(inner) for _ in range(n)]
        return self.scalar(SCALARS[kind])


def dequantize(kind, raw, shape):
    """Numbers of one tensor. 0 F32, 1 F16, 2 Q4_0, 8 Q8_0, 30 BF16."""
    if kind == 0:
        numbers = raw.view("<f4").astype(np.float64)
    elif kind == 1:
        numbers = raw.view("<f2").astype(np.float64)
    elif kind == 30:
        numbers = (raw.view("<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    elif kind == 8:  # f16 scale, 32 signed bytes
        blocks = raw.reshape(-1, 34)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float64)
        numbers = scale * blocks[:, 2:].view(np.int8)
    elif kind == 2:  # f16 scale, 16 bytes: low halves, then high halves, minus 8
        blocks = raw.reshape(-1, 18)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float64)
        codes = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)
        numbers = scale * (codes.astype(np.float64) - 8)
    else:
        raise ValueError(f"tensor type {kind}")
    return numbers.reshape(shape)


def stored_bytes(kind, n):
    return {0: 4 * n, 1: 2 * n, 30: 2 * n, 8: n // 32 * 34, 2: n // 32 * 18}[kind]


def read_gguf(path):
    data = np.fromfile(path, dtype=np.uint8).tobytes()
    r = Reader(data)
    assert data[:4] == b"GGUF"
    r.at = 4
    r.scalar("I")
    n_tensors, n_metadata = r.scalar("Q"), r.scalar("Q")
    metadata = {}
    for _ in range(n_metadata):
        key = r.string()
        metadata[key] = r.value(r.scalar("I"))
    infos = []
    for _ in range(n_tensors):
        name = r.string()
        shape = [r.scalar("Q") for _ in range(r.scalar("I"))][::-1]
        infos.append((name, shape, r.scalar("I"), r.scalar("Q")))
    align = metadata.get("general.alignment", 32)
    start = (r.at + align - 1) // align * align
    tensors = {}
    for name, shape, kind, offset in infos:
        size = stored_bytes(kind, int(np.prod(shape)))
        raw = np.frombuffer(data, np.uint8, size, start + offset)
        tensors[name] = dequantize(kind, raw.copy(), shape)
    return metadata, tensors


# --- The model -----------------------------------------------------------------------------------


def rms_norm(x, weight, epsilon):
    return weight * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon)


def rope_base(meta, d_head):
    base = meta("rope.freq_base")
    alpha = meta("rope.scaling.alpha", 0)
    return base * alpha ** (d_head / (d_head - 2)) if alpha > 0 else base


def rotate(x, base):
    """x [n_tokens, n_heads, d_head]: pairs (i, i + d/2) turn by position * base^(-2i/d)."""
    n_tokens, _, d = x.shape
    angles = np.arange(n_tokens)[:, None] * base ** (-2.0 * np.arange(d // 2) / d)[None, :]
    cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    a, b = x[..., :d // 2], x[..., d // 2:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def cached(x):
    return x.astype(np.float16).astype(np.float64)


def attend(q, k, v):
    """q [n, heads, d], k and v [n, kv_heads, d]: query head h reads K/V head h // (heads / kv_heads)."""
    n, heads, d = q.shape
    group = heads // k.shape[1]
    mask = np.triu(np.full((n, n), -np.inf), 1)
    out = np.empty_like(q)
    for h in range(heads):
        scores = q[:, h] @ k[:, h // group].T / np.sqrt(d) + mask
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[:, h] = weights / weights.sum(axis=1, keepdims=True) @ v[:, h // group]
    return out


def forward(metadata, tensors, tokens, dump):
    def meta(key, default=None):
        return metadata.get("hunyuan-dense." + key, default)

    n = len(tokens)
    heads, kv_heads = meta("attention.head_count"), meta("attention.head_count_kv")
    d = meta("attention.key_length")
    epsilon = meta("attention.layer_norm_rms_epsilon")
    base = rope_base(meta, d)
    embedding = tensors["token_embd.weight"]
    x = embedding[tokens]
    for layer in range(meta("block_count")):
        w = {role: tensors[f"blk.{layer}.{role}.weight"]
             for role in ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_q_norm", "attn_k_norm",
                          "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")}
        h = rms_norm(x, w["attn_norm"], epsilon)
        q = (h @ w["attn_q"].T).reshape(n, heads, d)
        k = (h @ w["attn_k"].T).reshape(n, kv_heads, d)
        v = (h @ w["attn_v"].T).reshape(n, kv_heads, d)
        dump("q_projected", layer, q)
        dump("k_projected", layer, k)
        dump("v_projected", layer, v)
        q, k = rotate(q, base), rotate(k, base)  # first the rotation ...
        dump("q_rotated", layer, q)
        dump("k_rotated", layer, k)
        q = rms_norm(q, w["attn_q_norm"], epsilon)  # ... then the norm of each head
        k = rms_norm(k, w["attn_k_norm"], epsilon)
        dump("q", layer, q)
        dump("k", layer, k)
        out = attend(q, cached(k), cached(v)).reshape(n, heads * d)
        dump("attended", layer, out)
        x = x + out @ w["attn_output"].T
        dump("after_attention", layer, x)
        h = rms_norm(x, w["ffn_norm"], epsilon)
        gate = h @ w["ffn_gate"].T
        hidden = gate / (1 + np.exp(-gate)) * (h @ w["ffn_up"].T)
        dump("hidden", layer, hidden)
        x = x + hidden @ w["ffn_down"].T
        dump("after_layer", layer, x)
    x = rms_norm(x, tensors["output_norm.weight"], epsilon)
    dump("logits", 0, x @ tensors.get("output.weight", embedding).T)


def main():
    path, tokens, folder = sys.argv[1:]
    metadata, tensors = read_gguf(path)

    def dump(name, layer, value):
        np.ascontiguousarray(value, dtype=np.float64).tofile(f"{folder}/{name}.{layer}")

    forward(metadata, tensors, [int(token) for token in tokens.split(",")], dump)


if __name__ == "__main__":
    main()
