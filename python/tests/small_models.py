"""A BERT, a GPT2 and a Llama written here, with the framework's classes and scopes, so that their trees can be compared
where Transformers is not installed. Eager attention; configs for `wattree tree` beside them."""

import math

import torch
from torch import nn

BERT = {"model_type": "bert", "hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 64,
        "vocab_size": 100, "max_position_embeddings": 64}
GPT2 = {"model_type": "gpt2", "n_embd": 32, "n_head": 4, "n_layer": 2, "vocab_size": 100, "n_positions": 64,
        "bos_token_id": 1, "eos_token_id": 1, "use_cache": False}
LLAMA = {"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 4,
         "num_hidden_layers": 2, "intermediate_size": 64, "vocab_size": 100, "max_position_embeddings": 64,
         "use_cache": False}


def split_heads(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def attend(query, key, value, scaling, mask=None, wide=False):
    scores = torch.matmul(query, key.transpose(2, 3)) * scaling
    if mask is not None:
        scores = scores + mask
    weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32 if wide else None)
    return torch.matmul(weights.to(query.dtype), value).transpose(1, 2).contiguous()


class GELUActivation(nn.Module):
    def forward(self, x):
        return nn.functional.gelu(x)


class NewGELUActivation(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class SiLUActivation(nn.Module):
    def forward(self, x):
        return nn.functional.silu(x)


# BERT.


class BertEmbeddings(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.word_embeddings = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.position_embeddings = nn.Embedding(c["max_position_embeddings"], c["hidden_size"])
        self.token_type_embeddings = nn.Embedding(2, c["hidden_size"])
        self.LayerNorm = nn.LayerNorm(c["hidden_size"])
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("position_ids", torch.arange(c["max_position_embeddings"]).expand((1, -1)), persistent=False)
        self.register_buffer("token_type_ids", torch.zeros_like(self.position_ids), persistent=False)

    def forward(self, ids):
        positions = self.position_ids[:, :ids.shape[1]]
        types = torch.gather(self.token_type_ids.expand(positions.shape[0], -1), dim=1, index=positions)
        types = types.expand(ids.shape[0], ids.shape[1])
        words = self.word_embeddings(ids)
        x = words + self.token_type_embeddings(types)
        x = x + self.position_embeddings(positions)
        return self.dropout(self.LayerNorm(x))


class BertSelfAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c["num_attention_heads"]
        self.query, self.key, self.value = (nn.Linear(c["hidden_size"], c["hidden_size"]) for _ in range(3))

    def forward(self, x):
        query, key, value = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        return attend(query, key, value, query.shape[-1] ** -0.5).reshape(x.shape)


class BertSelfOutput(nn.Module):
    def __init__(self, c, inner=None):
        super().__init__()
        self.dense = nn.Linear(inner or c["hidden_size"], c["hidden_size"])
        self.LayerNorm = nn.LayerNorm(c["hidden_size"])
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, residual):
        return self.LayerNorm(self.dropout(self.dense(x)) + residual)


class BertOutput(BertSelfOutput):
    def __init__(self, c):
        super().__init__(c, c["intermediate_size"])


class BertAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self, self.output = BertSelfAttention(c), BertSelfOutput(c)

    def forward(self, x):
        return self.output(self.self(x), x)


class BertIntermediate(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dense, self.intermediate_act_fn = nn.Linear(c["hidden_size"], c["intermediate_size"]), GELUActivation()

    def forward(self, x):
        return self.intermediate_act_fn(self.dense(x))


class BertLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention, self.intermediate, self.output = BertAttention(c), BertIntermediate(c), BertOutput(c)

    def forward(self, x):
        x = self.attention(x)
        return self.output(self.intermediate(x), residual=x)


class BertEncoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(c) for _ in range(c["num_hidden_layers"]))

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return x


class BertPooler(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.dense, self.activation = nn.Linear(c["hidden_size"], c["hidden_size"]), nn.Tanh()

    def forward(self, x):
        return self.activation(self.dense(x[:, 0]))


class BertModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embeddings, self.encoder, self.pooler = BertEmbeddings(c), BertEncoder(c), BertPooler(c)

    def forward(self, input_ids):
        x = self.encoder(self.embeddings(input_ids))
        return x, self.pooler(x)


# GPT2.


class Conv1D(nn.Module):
    def __init__(self, out_features, in_features):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(in_features, out_features)), nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        shape = x.size()[:-1] + (self.weight.shape[1],)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(shape)


class GPT2Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.width, self.heads = c["n_embd"], c["n_head"]
        self.c_attn, self.c_proj = Conv1D(3 * c["n_embd"], c["n_embd"]), Conv1D(c["n_embd"], c["n_embd"])
        self.resid_dropout = nn.Dropout(0.1)

    def forward(self, x, mask):
        query, key, value = (split_heads(part, self.heads) for part in self.c_attn(x).split(self.width, dim=2))
        out = attend(query, key, value, query.shape[-1] ** -0.5, mask)
        return self.resid_dropout(self.c_proj(out.reshape(x.shape)))


class GPT2MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(4 * c["n_embd"], c["n_embd"]), Conv1D(c["n_embd"], 4 * c["n_embd"])
        self.act, self.dropout = NewGELUActivation(), nn.Dropout(0.1)

    def forward(self, x):
        return self.dropout(self.c_proj(self.act(self.c_fc(x))))


class GPT2Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(c["n_embd"]), GPT2Attention(c)
        self.ln_2, self.mlp = nn.LayerNorm(c["n_embd"]), GPT2MLP(c)

    def forward(self, x, mask=None):
        x = self.attn(self.ln_1(x), mask=mask) + x
        return x + self.mlp(self.ln_2(x))


class GPT2Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(c["vocab_size"], c["n_embd"]), nn.Embedding(c["n_positions"], c["n_embd"])
        self.drop = nn.Dropout(0.1)
        self.h = nn.ModuleList(GPT2Block(c) for _ in range(c["n_layer"]))
        self.ln_f = nn.LayerNorm(c["n_embd"])

    def forward(self, input_ids):
        words = self.wte(input_ids)
        positions = (torch.arange(input_ids.shape[1]) + 0).unsqueeze(0)
        x = words + self.wpe(positions)
        mask = causal_mask(input_ids.shape[0], positions)
        for block in self.h:
            x = block(x, mask=mask)
        return self.ln_f(x)


# Llama.


class LlamaRMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + 1e-6))


class LlamaRotaryEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, dim, 2).float() / dim), persistent=False)

    def forward(self, positions):
        frequencies = self.inv_freq[None, :, None].expand(positions.shape[0], -1, 1)
        angles = (frequencies @ positions[:, None, :].float()).transpose(1, 2)
        both = torch.cat((angles, angles), dim=-1)
        return both.cos() * 1.0, both.sin() * 1.0


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


class LlamaAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c["num_attention_heads"]
        width = c["hidden_size"]
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, rotary, mask):
        query, key, value = (split_heads(layer(x), self.heads) for layer in (self.q_proj, self.k_proj, self.v_proj))
        cos, sin = (part.unsqueeze(1) for part in rotary)
        query = rotate(query, cos, sin)
        key = rotate(key, cos, sin)
        out = attend(query, key, value, query.shape[-1] ** -0.5, mask, wide=True)
        return self.o_proj(out.reshape(x.shape))


class LlamaMLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.up_proj = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.down_proj = nn.Linear(c["intermediate_size"], c["hidden_size"], bias=False)
        self.act_fn = SiLUActivation()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class LlamaDecoderLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = LlamaAttention(c), LlamaMLP(c)
        self.input_layernorm, self.post_attention_layernorm = LlamaRMSNorm(c["hidden_size"]), LlamaRMSNorm(c["hidden_size"])

    def forward(self, x, *, rotary, mask):
        x = x + self.self_attn(self.input_layernorm(x), rotary=rotary, mask=mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c["vocab_size"], c["hidden_size"])
        self.layers = nn.ModuleList(LlamaDecoderLayer(c) for _ in range(c["num_hidden_layers"]))
        self.norm = LlamaRMSNorm(c["hidden_size"])
        self.rotary_emb = LlamaRotaryEmbedding(c["hidden_size"] // c["num_attention_heads"])

    def forward(self, input_ids):
        x = self.embed_tokens(input_ids)
        positions = (torch.arange(input_ids.shape[1]) + 0).unsqueeze(0)
        mask = causal_mask(input_ids.shape[0], positions)
        rotary = self.rotary_emb(positions)
        for layer in self.layers:
            x = layer(x, rotary=rotary, mask=mask)
        return self.norm(x)


def causal_mask(batch, positions):
    """What Transformers does for eager attention without a cache and without padding: first it looks for packed sequences."""
    length = positions.shape[1]
    positions = positions.expand(batch, -1)
    steps = torch.diff(positions, prepend=positions[:, :1] - 1, dim=-1)
    if not ((steps != 1).cumsum(-1)[:, -1] == 0).all():
        raise ValueError("packed sequences")
    torch.arange(batch), torch.arange(1)
    queries = torch.arange(length) + 0
    keys = torch.arange(length) + 0
    allowed = (keys[None, None, None, :] <= queries[None, None, :, None]).expand(batch, 1, length, length)
    return torch.where(allowed, torch.tensor(0.0), torch.scalar_tensor(torch.finfo(torch.float32).min))


MODELS = {"bert": (BertModel, BERT), "gpt2": (GPT2Model, GPT2), "llama": (LlamaModel, LLAMA)}
