#!/usr/bin/python3
"""Writes a tiny hunyuan-dense model whose vocabulary is learnt from texts: the 1.8B family's own is
not published apart from its weights, and any vocabulary shows whether two engines agree.

  tokenizer_make_model.py OUT.gguf < words      (a JSON array of a text's words on each line)
"""
import collections
import heapq
import json
import os
import struct
import sys

import numpy as np

MERGES = 4000
SPECIALS = ['<｜hy_begin▁of▁sentence｜>', '<｜hy_end▁of▁sentence｜>', '<｜hy_pad▁｜>', '<｜hy_User｜>',
            '<｜hy_Assistant｜>', '<｜hy_place▁holder▁no▁2｜>', '<｜hy_place▁holder▁no▁3｜>',
            '<｜hy_place▁holder▁no▁8｜>']
LAYERS, D_MODEL, HEADS, KV_HEADS, D_HEAD, D_FF = 1, 32, 2, 1, 32, 32


def alphabet():
    """GPT-2's: the printable bytes of Latin-1 as themselves, the others from U+0100 on."""
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    moved = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {
        byte: chr(0x100 + i) for i, byte in enumerate(moved)}


def learn(counts, n_merges):
    """Byte-pair merges of the words, most frequent pair first, ties to the smaller pair."""
    words = [[list(word), n] for word, n in counts.items()]
    pairs = collections.Counter()
    where = collections.defaultdict(set)
    for i, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            where[pair].add(i)
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    merges = []
    while len(merges) < n_merges:
        n, best = heapq.heappop(heap)
        if pairs[best] != -n:  # counted anew since, and pushed again then
            continue
        merges.append(best)
        changed = set()
        for i in where.pop(best):
            parts, n = words[i]
            for pair in zip(parts, parts[1:]):
                pairs[pair] -= n
                changed.add(pair)
            merged, at = [], 0
            while at < len(parts):
                if tuple(parts[at:at + 2]) == best:
                    merged.append(parts[at] + parts[at + 1])
                    at += 2
                else:
                    merged.append(parts[at])
                    at += 1
            words[i][0] = merged
            for pair in zip(merged, merged[1:]):
                pairs[pair] += n
                where[pair].add(i)
                changed.add(pair)
        changed.discard(best)
        for pair in changed:
            heapq.heappush(heap, (-pairs[pair], pair))
    return merges


def text(value):
    data = value.encode()
    return struct.pack('<Q', len(data)) + data


def pair(key, value):
    out = text(key)
    if isinstance(value, str):
        return out + struct.pack('<I', 8) + text(value)
    if isinstance(value, bool):
        return out + struct.pack('<I?', 7, value)
    if isinstance(value, int):
        return out + struct.pack('<II', 4, value)
    if isinstance(value, float):
        return out + struct.pack('<If', 6, value)
    if isinstance(value[0], str):
        return out + struct.pack('<IIQ', 9, 8, len(value)) + b''.join(map(text, value))
    return out + struct.pack('<IIQ', 9, 5, len(value)) + struct.pack(f'<{len(value)}i', *value)


def write_gguf(path, metadata, tensors):
    header = b''.join(pair(key, value) for key, value in metadata.items())
    entries, data = b'', b''
    for name, array in tensors.items():
        data += bytes(-len(data) % 32)
        shape = array.shape[::-1]
        entries += text(name) + struct.pack(f'<I{len(shape)}QIQ', len(shape), *shape, 0, len(data))
        data += array.astype('<f4').tobytes()
    head = b'GGUF' + struct.pack('<IQQ', 3, len(tensors), len(metadata)) + header + entries
    with open(path + '.new', 'wb') as out:
        out.write(head + bytes(-len(head) % 32) + data)
    os.rename(path + '.new', path)


def main():
    letters = alphabet()
    counts = collections.Counter(
        ''.join(letters[byte] for byte in word.encode())
        for line in sys.stdin for word in json.loads(line))
    merges = learn(counts, MERGES)
    tokens = [letters[byte] for byte in range(256)] + [''.join(merge) for merge in merges]
    tokens = list(dict.fromkeys(tokens))  # two merges can make the same token
    specials = {name: len(tokens) + i for i, name in enumerate(SPECIALS)}
    n_vocab = len(tokens) + len(specials)

    arch = 'hunyuan-dense'
    metadata = {
        'general.architecture': arch,
        'general.name': 'tokenizer test',
        f'{arch}.context_length': 4096,
        f'{arch}.embedding_length': D_MODEL,
        f'{arch}.block_count': LAYERS,
        f'{arch}.feed_forward_length': D_FF,
        f'{arch}.attention.head_count': HEADS,
        f'{arch}.attention.head_count_kv': KV_HEADS,
        f'{arch}.attention.key_length': D_HEAD,
        f'{arch}.attention.value_length': D_HEAD,
        f'{arch}.attention.layer_norm_rms_epsilon': 1e-5,
        f'{arch}.rope.freq_base': 10000.0,
        f'{arch}.vocab_size': n_vocab,
        'tokenizer.ggml.model': 'gpt2',
        'tokenizer.ggml.pre': arch,
        'tokenizer.ggml.tokens': tokens + list(specials),
        'tokenizer.ggml.token_type': [1] * len(tokens) + [3] * len(specials),
        'tokenizer.ggml.merges': [' '.join(merge) for merge in merges],
        'tokenizer.ggml.bos_token_id': specials['<｜hy_begin▁of▁sentence｜>'],
        'tokenizer.ggml.eos_token_id': specials['<｜hy_place▁holder▁no▁2｜>'],
        'tokenizer.ggml.add_bos_token': False,
    }
    random = np.random.default_rng(1)
    tensors = {'token_embd.weight': random.normal(0, 0.02, (n_vocab, D_MODEL)),
               'output_norm.weight': np.ones(D_MODEL)}
    for layer in range(LAYERS):
        for role, shape in {
                'attn_norm': (D_MODEL,), 'ffn_norm': (D_MODEL,), 'attn_q_norm': (D_HEAD,),
                'attn_k_norm': (D_HEAD,), 'attn_q': (HEADS * D_HEAD, D_MODEL),
                'attn_k': (KV_HEADS * D_HEAD, D_MODEL), 'attn_v': (KV_HEADS * D_HEAD, D_MODEL),
                'attn_output': (D_MODEL, HEADS * D_HEAD), 'ffn_gate': (D_FF, D_MODEL),
                'ffn_up': (D_FF, D_MODEL), 'ffn_down': (D_MODEL, D_FF)}.items():
            tensors[f'blk.{layer}.{role}.weight'] = (
                np.ones(shape) if len(shape) == 1 else random.normal(0, 0.02, shape))
    write_gguf(sys.argv[1], metadata, tensors)


main()
