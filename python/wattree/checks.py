"""The passes of data/h200-edges-check, by rule: a predictor is checked with them and never fitted to them.

Every kind has its models and the sizes to draw from, and chance decides which go together. Models are those that no training data
has, or changed ones of sizes that none has. `python3 -m wattree.checks` prints the plan.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from wattree.plan import EAGER_ONLY, Item, plan_line

SEED = 41
UNFUSED = EAGER_ONLY | {"gpt-neo-2.7b", "mpnet-base"}  # The framework has no fused attention for them.

LONGEST = {"gpt2-large": 1023, "phi-3-mini-4k": 4095, "olmo-2-7b": 4095}  # Tokens that a model can see.

Model = dict[str, Any]  # Of an Item: the model, its head, and overrides.
Sizes = list[tuple[int, int]]  # Batch and length, or batch and cache.
# Kind, models, sizes, how many of each model, and what all of them have.
Rule = tuple[str, tuple[Model, ...], Sizes, int, dict[str, Any]]


def changed(model: str, head: str = "", **overrides: Any) -> Model:
    return {"model": model, "head": head, "overrides": tuple(overrides.items())}


def bert(width: int, heads: int, inner: int, layers: int) -> Model:
    return changed("bert-base-uncased", hidden_size=width, num_attention_heads=heads, intermediate_size=inner, num_hidden_layers=layers)


def crossed(batches: tuple[int, ...], lengths: tuple[int, ...], most: int) -> Sizes:
    return [(b, s) for b in batches for s in lengths if b * s <= most]


UNSEEN = tuple(changed(name) for name in (
    "bert-base-cased", "mpnet-base", "pythia-1.4b", "electra-base-discriminator", "xlm-roberta-large", "opt-350m", "gpt2-large", "mt5-small",
    "bart-large", "gpt-neo-2.7b", "phi-3-mini-4k", "camembert-base"))
LARGE = (changed("llama-3-8b", num_hidden_layers=5), changed("mistral-7b-v0.1", num_hidden_layers=5), changed("qwen3-8b", num_hidden_layers=5),
         changed("olmo-2-7b", num_hidden_layers=5), changed("gemma-2-2b", num_hidden_layers=8), changed("phi-3-mini-4k", num_hidden_layers=6))
DECODERS = (changed("gpt2-large"), changed("pythia-1.4b"), changed("opt-350m"), changed("gemma-7b", num_hidden_layers=4),
            changed("llama-3-8b", num_hidden_layers=5), changed("qwen3-8b", num_hidden_layers=5), changed("olmo-2-7b", num_hidden_layers=5),
            changed("phi-3-mini-4k", num_hidden_layers=6))
MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=3072, num_local_experts=10, num_experts_per_tok=2, intermediate_size=6144),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=96, num_experts_per_tok=4),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=20, num_experts_per_tok=5),
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=2560, num_local_experts=24, num_experts_per_tok=3, intermediate_size=4096,
            num_attention_heads=20, num_key_value_heads=5, head_dim=128))
HEADS = (changed("gpt2-large", "GPT2LMHeadModel"), changed("bert-base-cased", "BertForMaskedLM"), changed("pythia-1.4b", "GPTNeoXForCausalLM"),
         changed("flan-t5-base", "T5ForConditionalGeneration"), changed("xlm-roberta-large", "XLMRobertaForSequenceClassification"),
         changed("electra-base-discriminator", "ElectraForTokenClassification"), changed("bart-large", "BartForConditionalGeneration"))
SMALL = (bert(128, 4, 500, 3), bert(224, 7, 896, 4), bert(288, 9, 1100, 5), bert(576, 9, 2304, 3), changed("pythia-70m"),
         changed("gpt2", n_embd=320, n_head=5, n_layer=4),
         changed("llama-3.2-1b", hidden_size=512, num_attention_heads=8, num_key_value_heads=2, head_dim=64, intermediate_size=1400,
                 num_hidden_layers=4))
SINGLE = tuple(changed(name) for name in ("bert-base-cased", "opt-350m", "xlm-roberta-base", "gpt2-large", "flan-t5-base", "mpnet-base"))
LAUNCHED = tuple(changed(name) for name in ("bert-base-cased", "gpt2-large", "opt-350m", "pythia-410m", "flan-t5-base", "xlm-roberta-base",
                                            "phi-3-mini-4k", "qwen3-8b", "electra-base-discriminator", "whisper-small",
                                            "clip-vit-base-patch32", "mpnet-base"))
PASSES = crossed((2, 3, 6, 10, 20, 28), (24, 48, 90, 150, 220, 300, 450), 6144)
STEPS = crossed((1, 1, 2, 3, 7, 12, 20, 48, 100, 200), (30, 90, 250, 600, 1100, 1900), 60000)

RULES: tuple[Rule, ...] = (
    ("models", UNSEEN, PASSES, 2, {}),
    ("heads", HEADS, PASSES, 2, {}),
    ("vocabularies", tuple(changed("gpt2", "GPT2LMHeadModel", vocab_size=size) for size in (50263, 50268, 40001, 36000)),
     crossed((1, 3, 12), (40, 140, 260), 4000), 2, {}),
    ("lengths", UNSEEN[:5] + LARGE[:2], [(b, s) for b in (1, 2, 5) for s in (11, 37, 43, 67, 101, 149, 211, 307, 401)], 2, {}),
    ("batches", UNSEEN[:6], crossed((36, 80, 144, 224), (6, 14, 22, 34, 70), 6000), 2, {}),
    ("long", LARGE, [(1, s) for s in (2200, 2900, 3400, 4100, 5200, 6007, 7100, 7900)], 2, {}),
    ("experts", MIXTURES, [(1, 8), (1, 45), (1, 180), (3, 90), (10, 20), (5, 250), (2, 1100), (24, 100)], 4, {}),
    ("expert_steps", MIXTURES, crossed((1, 3, 7, 20, 48, 100), (150, 900), 40000), 3, {"past": True}),
    ("steps", DECODERS, STEPS, 3, {"past": True}),
    ("windowed", (LARGE[1], changed("mistral-7b-v0.1", num_hidden_layers=4, sliding_window=1500), LARGE[4]),
     [(b, past) for b in (1, 4, 18) for past in (4700, 6300)], 2, {"past": True}),
    ("speech", (changed("whisper-small"), changed("whisper-medium"), changed("whisper-small", max_source_positions=900)),
     [(b, s) for b in (1, 2, 4, 7) for s in (6, 20, 60)], 3, {}),
    ("images", (changed("vit-large-patch16-224"), changed("vit-large-patch16-224", image_size=288), changed("clip-vit-base-patch32")),
     [(b, 1) for b in (2, 5, 11, 26)], 3, {}),
    ("small", SMALL, [(1, 6), (1, 16), (1, 30), (2, 50), (5, 26), (14, 40), (30, 120)], 3, {"dtype": "fp32"}),
    ("fp32", SINGLE, crossed((1, 2, 5, 9), (26, 70, 130, 200), 1500), 2, {"dtype": "fp32"}),
    ("tf32", SINGLE[:4], crossed((2, 5), (70, 130), 1500), 1, {"dtype": "tf32"}),
    ("eager", LAUNCHED, [(1, 20), (1, 50), (2, 77), (4, 140)], 2, {"execution": "eager"}),
    ("eager_steps", DECODERS[:6], [(1, 180), (3, 500), (10, 350)], 1, {"execution": "eager", "past": True}),
)


def possible(model: Model, sizes: Sizes) -> Sizes:
    return sorted({size for size in sizes if size[1] <= LONGEST.get(model["model"], size[1])})


def item_of(model: Model, size: tuple[int, int], fields: dict[str, Any]) -> Item:
    shared = {key: value for key, value in fields.items() if key != "past"}
    sizes: dict[str, Any] = {"batch": size[0], "length": 1, "past": size[1]} if "past" in fields else {"batch": size[0], "length": size[1]}
    if model["model"].startswith(("vit", "clip-vit")) and "execution" in fields:
        sizes["length"] = 1
    item = Item(**model, **sizes, **shared)
    return dataclasses.replace(item, attention="eager") if item.model in UNFUSED else item


def check_plan(rules: tuple[Rule, ...] = RULES, seed: int = SEED) -> list[tuple[str, Item]]:
    """One of each kind before a second of any: where time runs out, no kind is missing."""
    chance = random.Random(seed)
    streams = []
    for kind, models, sizes, count, fields in rules:
        rounds = [[(kind, item_of(model, size, fields)) for size in chance.sample(possible(model, sizes), count)] for model in models]
        streams.append([row[number] for number in range(count) for row in rounds])
    longest = max(len(stream) for stream in streams)
    return list(dict.fromkeys(stream[number] for number in range(longest) for stream in streams if number < len(stream)))


if __name__ == "__main__":
    for kind, item in check_plan():
        print(plan_line(kind, item))
