"""Writes a Hugging Face folder: config.json, model.safetensors (bf16), tokenizer.json."""

import json
import pathlib
import struct

import numpy as np

from model import Config
from pretokenizer import PATTERN
from prompts import LANGUAGES
from tokenizer import Tokenizer

# Hunyuan-MT-7B's: [system <|extra_4|>] user <|extra_0|> answer <|eos|>.
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}"
    "{{ '<|startoftext|>' + message['content'] + '<|extra_4|>' }}"
    "{% elif message['role'] == 'user' %}"
    "{% if loop.index0 > 0 and messages[loop.index0 - 1]['role'] == 'system' %}"
    "{{ message['content'] + '<|extra_0|>' }}"
    "{% else %}"
    "{{ '<|startoftext|>' + message['content'] + '<|extra_0|>' }}"
    "{% endif %}"
    "{% else %}"
    "{{ message['content'] + '<|eos|>' }}"
    "{% endif %}"
    "{% endfor %}")


def write_folder(folder: pathlib.Path, config: Config, tokenizer: Tokenizer,
                 tensors: dict[str, np.ndarray]) -> None:
    """tensors: by their Hugging Face names, bf16 as uint16."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(_safetensors(tensors))
    special = tokenizer.special_ids
    _write_json(folder / "config.json", _model_config(config, special))
    _write_json(
        folder / "generation_config.json", {
            "do_sample": False,
            "eos_token_id": [special["<|eos|>"], special["<|endoftext|>"]],
            "pad_token_id": special["<|pad|>"],
            "bos_token_id": special["<|startoftext|>"],
        })
    _write_json(
        folder / "tokenizer_config.json", {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<|startoftext|>",
            "eos_token": "<|eos|>",
            "pad_token": "<|pad|>",
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
            "model_max_length": config.n_context,
        })
    _write_json(folder / "tokenizer.json", _tokenizer(tokenizer), indent=None)


def _write_json(path: pathlib.Path, value: dict, indent: int | None = 2) -> None:
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False), encoding="utf-8")


def _safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    header, offset = {}, 0
    for name, tensor in tensors.items():
        end = offset + tensor.nbytes
        header[name] = {"dtype": "BF16", "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    header["__metadata__"] = {"format": "pt"}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(t.tobytes() for t in tensors.values())


def _model_config(c: Config, special: dict[str, int]) -> dict:
    return {
        "architectures": ["HunYuanDenseV1ForCausalLM"],
        "model_type": "hunyuan_v1_dense",
        "attention_bias": False,
        "mlp_bias": False,
        "hidden_act": "silu",
        "hidden_size": c.d_model,
        "intermediate_size": c.d_ff,
        "num_hidden_layers": c.n_layers,
        "num_attention_heads": c.n_heads,
        "num_key_value_heads": c.n_kv_heads,
        "head_dim": c.d_head,
        "attention_head_dim": c.d_head,
        "max_position_embeddings": c.n_context,
        "rms_norm_eps": c.rms_epsilon,
        "rope_theta": c.rope_theta,
        "rope_scaling": {
            "type": "dynamic",
            "alpha": c.rope_alpha,
            "factor": 1.0,
            "beta_fast": 32,
            "beta_slow": 1,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
        },
        "use_qk_norm": True,
        "tie_word_embeddings": True,
        "vocab_size": c.n_vocab,
        "bos_token_id": special["<|startoftext|>"],
        "eos_token_id": special["<|eos|>"],
        "pad_token_id": special["<|pad|>"],
        "torch_dtype": "bfloat16",
        "hymt": {"prompts": "hunyuan-mt", "languages": LANGUAGES},
    }


def _tokenizer(tokenizer: Tokenizer) -> dict:
    added = [{
        "id": token,
        "content": text,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    } for text, token in tokenizer.special_ids.items()]
    split = {
        "type": "Split",
        "pattern": {"Regex": PATTERN.pattern},
        "behavior": "Isolated",
        "invert": False,
    }

    def byte_level(prefix_space: bool, trim: bool, use_regex: bool) -> dict:
        return {
            "type": "ByteLevel",
            "add_prefix_space": prefix_space,
            "trim_offsets": trim,
            "use_regex": use_regex,
        }

    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, byte_level(False, True, False)],
        },
        "post_processor": byte_level(True, False, False),
        "decoder": byte_level(True, True, True),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {text: token for token, text in enumerate(tokenizer.vocab)},
            "merges": [list(merge) for merge in tokenizer.merges],
        },
    }
