"""Exports a checkpoint of train.py: OUT/hf/ (Hugging Face, bf16), OUT/demo-bf16.gguf, OUT/demo-f16.gguf.

All hold the same weights: the averaged ones, rounded to bfloat16.
"""

import argparse
import pathlib

import numpy as np
import torch

import gguf
import huggingface
import model
from gguf import TensorType, Type
from prompts import LANGUAGES
from tokenizer import Tokenizer

# The part of a layer: its name in a Hugging Face checkpoint, in a GGUF file.
LAYER_NAMES = {
    "attn_norm": ("input_layernorm", "attn_norm"),
    "ffn_norm": ("post_attention_layernorm", "ffn_norm"),
    "attn.q_norm": ("self_attn.query_layernorm", "attn_q_norm"),
    "attn.k_norm": ("self_attn.key_layernorm", "attn_k_norm"),
    "attn.q": ("self_attn.q_proj", "attn_q"),
    "attn.k": ("self_attn.k_proj", "attn_k"),
    "attn.v": ("self_attn.v_proj", "attn_v"),
    "attn.o": ("self_attn.o_proj", "attn_output"),
    "gate": ("mlp.gate_proj", "ffn_gate"),
    "up": ("mlp.up_proj", "ffn_up"),
    "down": ("mlp.down_proj", "ffn_down"),
}
NORMAL, CONTROL = 1, 3  # token types
MOSTLY_BF16 = 32  # general.file_type


def names(config: model.Config) -> list[tuple[str, str, str]]:
    """(ours, Hugging Face's, GGUF's) of every tensor, in the order of the files."""
    table = [("embedding", "model.embed_tokens", "token_embd"), ("output_norm", "model.norm", "output_norm")]
    for i in range(config.n_layers):
        for ours, (hf, gg) in LAYER_NAMES.items():
            table.append((f"layers.{i}.{ours}", f"model.layers.{i}.{hf}", f"blk.{i}.{gg}"))
    return [tuple(f"{name}.weight" for name in row) for row in table]


def bf16_bits(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().to(torch.bfloat16).view(torch.int16).numpy().astype("<u2")


def as_float32(bits: np.ndarray) -> np.ndarray:
    return (bits.astype("<u4") << 16).view("<f4")


def add_metadata(writer: gguf.Writer, c: model.Config, tokenizer: Tokenizer) -> None:
    special = tokenizer.special_ids
    arch = "hunyuan-dense"
    writer.add("general.architecture", Type.STRING, arch)
    writer.add("general.name", Type.STRING, "hymt demo")
    writer.add("hymt.prompts", Type.STRING, "hunyuan-mt")
    writer.add("hymt.languages", Type.ARRAY, (Type.STRING, LANGUAGES))
    writer.add("general.file_type", Type.U32, MOSTLY_BF16)
    writer.add("general.license", Type.STRING, "cc-by-4.0")
    writer.add("general.alignment", Type.U32, gguf.ALIGNMENT)
    writer.add(f"{arch}.context_length", Type.U32, c.n_context)
    writer.add(f"{arch}.embedding_length", Type.U32, c.d_model)
    writer.add(f"{arch}.block_count", Type.U32, c.n_layers)
    writer.add(f"{arch}.feed_forward_length", Type.U32, c.d_ff)
    writer.add(f"{arch}.attention.head_count", Type.U32, c.n_heads)
    writer.add(f"{arch}.attention.head_count_kv", Type.U32, c.n_kv_heads)
    writer.add(f"{arch}.attention.key_length", Type.U32, c.d_head)
    writer.add(f"{arch}.attention.value_length", Type.U32, c.d_head)
    writer.add(f"{arch}.attention.layer_norm_rms_epsilon", Type.F32, c.rms_epsilon)
    writer.add(f"{arch}.rope.freq_base", Type.F32, c.rope_base)  # alpha is applied already
    writer.add(f"{arch}.rope.scaling.type", Type.STRING, "none")
    writer.add(f"{arch}.rope.scaling.factor", Type.F32, 1.0)
    writer.add(f"{arch}.vocab_size", Type.U32, c.n_vocab)
    kinds = [NORMAL] * len(tokenizer.vocab) + [CONTROL] * len(tokenizer.special)
    merges = [" ".join(merge) for merge in tokenizer.merges]
    writer.add("tokenizer.ggml.model", Type.STRING, "gpt2")
    writer.add("tokenizer.ggml.pre", Type.STRING, "hunyuan")
    writer.add("tokenizer.ggml.tokens", Type.ARRAY, (Type.STRING, tokenizer.vocab + tokenizer.special))
    writer.add("tokenizer.ggml.token_type", Type.ARRAY, (Type.I32, kinds))
    writer.add("tokenizer.ggml.merges", Type.ARRAY, (Type.STRING, merges))
    writer.add("tokenizer.ggml.bos_token_id", Type.U32, special["<|startoftext|>"])
    writer.add("tokenizer.ggml.eos_token_id", Type.U32, special["<|eos|>"])
    writer.add("tokenizer.ggml.padding_token_id", Type.U32, special["<|pad|>"])
    writer.add("tokenizer.ggml.add_bos_token", Type.BOOL, False)
    writer.add("tokenizer.chat_template", Type.STRING, huggingface.CHAT_TEMPLATE)


def write_gguf(path: pathlib.Path, config: model.Config, tokenizer: Tokenizer,
               tensors: dict[str, np.ndarray], matrices: TensorType) -> None:
    """tensors: by their GGUF names, bf16 bits. Norms are stored as F32, as every engine expects."""
    writer = gguf.Writer()
    add_metadata(writer, config, tokenizer)
    for name, bits in tensors.items():
        if bits.ndim == 1:
            writer.add_tensor(name, TensorType.F32, as_float32(bits))
        elif matrices == TensorType.BF16:
            writer.add_tensor(name, TensorType.BF16, bits)
        else:
            writer.add_tensor(name, TensorType.F16, as_float32(bits).astype("<f2"))
    writer.write(path)


def export(lm: model.LanguageModel, tokenizer: Tokenizer, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    weights, table = lm.state_dict(), names(lm.config)
    bits = {ours: bf16_bits(weights[ours]) for ours, _, _ in table}
    by_hf = {hf: bits[ours] for ours, hf, _ in table}
    by_gguf = {gg: bits[ours] for ours, _, gg in table}
    huggingface.write_folder(out / "hf", lm.config, tokenizer, by_hf)
    write_gguf(out / "demo-bf16.gguf", lm.config, tokenizer, by_gguf, TensorType.BF16)
    write_gguf(out / "demo-f16.gguf", lm.config, tokenizer, by_gguf, TensorType.F16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tokenizer", type=pathlib.Path, default=pathlib.Path("bpe.json"))
    arguments = parser.parse_args()

    export(model.load(arguments.checkpoint), Tokenizer(arguments.tokenizer), arguments.out)
    for file in sorted(f for f in arguments.out.rglob("*") if f.is_file()):
        print(f"{file}  {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
