"""HunYuanDenseV1 in small: pre-norm blocks, RoPE before the q/k norm, grouped heads, SwiGLU, tied
embedding. Shapes use n_seqs, n_tokens, d_model, n_heads, n_kv_heads, d_head, d_ff, n_vocab."""

import dataclasses

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Cache = list[tuple[Tensor, Tensor]]  # per layer: K and V [n_seqs, n_kv_heads, n_past, d_head]


@dataclasses.dataclass(frozen=True)
class Config:
    d_model: int = 256
    n_layers: int = 6
    n_heads: int = 4
    n_kv_heads: int = 2
    d_head: int = 64
    d_ff: int = 1024
    n_vocab: int = 8192
    n_context: int = 2048
    rms_epsilon: float = 1e-5
    rope_theta: float = 10000.0
    rope_alpha: float = 1000.0

    @property
    def rope_base(self) -> float:
        """Hunyuan's static scaling of the base."""
        return self.rope_theta * self.rope_alpha**(self.d_head / (self.d_head - 2))


class RmsNorm(nn.Module):

    def __init__(self, size: int, epsilon: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        x32 = x.float()  # statistics in fp32
        scale = torch.rsqrt(x32.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (x32 * scale * self.weight).to(x.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """RoPE in the "rotate half" arrangement. x [..., n_tokens, d_head]; cos, sin [n_tokens, d_head/2]"""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Attention(nn.Module):

    def __init__(self, c: Config):
        super().__init__()
        self.config = c
        self.q = nn.Linear(c.d_model, c.n_heads * c.d_head, bias=False)
        self.k = nn.Linear(c.d_model, c.n_kv_heads * c.d_head, bias=False)
        self.v = nn.Linear(c.d_model, c.n_kv_heads * c.d_head, bias=False)
        self.o = nn.Linear(c.n_heads * c.d_head, c.d_model, bias=False)
        self.q_norm = RmsNorm(c.d_head, c.rms_epsilon)
        self.k_norm = RmsNorm(c.d_head, c.rms_epsilon)

    def forward(self, x, cos, sin, mask, past):
        """x [n_seqs, n_tokens, d_model] -> the same shape, and K and V including the past."""
        q, k, v = (self._heads(f(x)) for f in (self.q, self.k, self.v))
        q = self.q_norm(rotate(q, cos, sin))
        k = self.k_norm(rotate(k, cos, sin))
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        group = self.config.n_heads // self.config.n_kv_heads
        scores = q @ k.repeat_interleave(group, 1).transpose(-1, -2) * self.config.d_head**-0.5
        if mask is not None:
            scores = scores + mask
        y = torch.softmax(scores.float(), -1).to(v.dtype) @ v.repeat_interleave(group, 1)
        return self.o(y.transpose(1, 2).flatten(2)), (k, v)

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.config.d_head)).transpose(1, 2)


class Layer(nn.Module):

    def __init__(self, c: Config):
        super().__init__()
        self.attn_norm = RmsNorm(c.d_model, c.rms_epsilon)
        self.attn = Attention(c)
        self.ffn_norm = RmsNorm(c.d_model, c.rms_epsilon)
        self.gate = nn.Linear(c.d_model, c.d_ff, bias=False)
        self.up = nn.Linear(c.d_model, c.d_ff, bias=False)
        self.down = nn.Linear(c.d_ff, c.d_model, bias=False)

    def forward(self, x, cos, sin, mask, past):
        y, cache = self.attn(self.attn_norm(x), cos, sin, mask, past)
        x = x + y
        h = self.ffn_norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), cache


class LanguageModel(nn.Module):

    def __init__(self, config: Config = Config()):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.n_vocab, config.d_model)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.n_layers))
        self.output_norm = RmsNorm(config.d_model, config.rms_epsilon)
        self._initialise()
        inv_freq = config.rope_base**-(torch.arange(0, config.d_head, 2).float() / config.d_head)
        angles = torch.arange(config.n_context).float()[:, None] * inv_freq
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def _initialise(self) -> None:
        """What is added to the residual stream starts smaller the more layers add to it."""
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                to_residual = name.endswith(("attn.o.weight", "down.weight"))
                std = 0.02 / (2 * self.config.n_layers)**0.5 if to_residual else 0.02
                nn.init.normal_(parameter, std=std)

    def forward(self, tokens: Tensor, past: Cache | None = None) -> tuple[Tensor, Cache]:
        """tokens [n_seqs, n_tokens] after `past` -> hidden [n_seqs, n_tokens, d_model], the cache."""
        n_tokens = tokens.shape[1]
        start = past[0][0].shape[2] if past else 0
        x = self.embedding(tokens)
        cos, sin = (t[start:start + n_tokens].to(x.dtype) for t in (self.cos, self.sin))
        mask = None
        if n_tokens > 1:
            assert start == 0, "several tokens at once only at the beginning"
            mask = torch.full((n_tokens, n_tokens), float("-inf")).triu(1)
        cache = []
        for i, layer in enumerate(self.layers):
            x, kv = layer(x, cos, sin, mask, past[i] if past else None)
            cache.append(kv)
        return self.output_norm(x), cache

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embedding.weight)


def load(path: str, config: Config = Config()) -> LanguageModel:
    """The averaged weights of a checkpoint that train.py wrote."""
    model = LanguageModel(config)
    model.load_state_dict(torch.load(path, map_location="cpu")["average"])
    return model.eval()
