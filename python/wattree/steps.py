"""The passes of data/h200-steps, by rule: decode steps of wide models, and what earlier training data has little of.

Steps in bf16 and fp32 over several caches, passes in TF32, passes of wide and of narrow models, and images of other sizes. No pass of a
check set is among them. `python3 -m wattree.steps` prints the plan, and `python3 -m wattree.steps odd` another: passes in fp32 of heads
that no fused attention takes, and images of large patches.
"""

from __future__ import annotations

import sys

from wattree.checks import Model, Rule, bert, changed, check_plan, crossed
from wattree.edges import llama, neox
from wattree.gaps import gpt2, named
from wattree.plan import Item, plan_line

SEED = 107


def opt(width: int, heads: int, layers: int) -> Model:
    return changed("opt-1.3b", hidden_size=width, word_embed_proj_dim=width, num_attention_heads=heads, ffn_dim=4 * width,
                   num_hidden_layers=layers)


def qwen(width: int, heads: int, groups: int, inner: int, layers: int) -> Model:
    return changed("qwen3-0.6b", hidden_size=width, num_attention_heads=heads, num_key_value_heads=groups, head_dim=128,
                   intermediate_size=inner, num_hidden_layers=layers)


def gemma(width: int, heads: int, groups: int, inner: int, layers: int) -> Model:
    return changed("gemma-2b", hidden_size=width, num_attention_heads=heads, num_key_value_heads=groups, intermediate_size=inner,
                   num_hidden_layers=layers)


WIDE = (llama(2560, 20, 4, 7168, 6), llama(3584, 28, 4, 9472, 4), llama(5120, 40, 8, 13824, 3), llama(7168, 56, 8, 20480, 2),
        neox(1536, 12, 8), neox(2560, 20, 5), neox(4096, 32, 3), opt(1280, 20, 8), opt(2560, 32, 5), gpt2(1536, 24, 6), gpt2(1152, 18, 8),
        qwen(2560, 32, 8, 9728, 4), qwen(5120, 40, 8, 17408, 2), gemma(3072, 16, 16, 12288, 3))
SINGLE = (changed("gpt2"), changed("opt-125m"), changed("pythia-160m"), changed("llama-3.2-1b"), llama(2048, 16, 4, 5632, 4), neox(1536, 12, 5),
          gpt2(1152, 18, 5), qwen(1536, 16, 8, 4608, 4))
MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=2816, num_local_experts=10, num_experts_per_tok=2, intermediate_size=6656,
            num_attention_heads=22, num_key_value_heads=11, head_dim=128),
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=3584, num_local_experts=7, num_experts_per_tok=3, intermediate_size=8192,
            num_attention_heads=28, num_key_value_heads=7, head_dim=128),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=56, num_experts_per_tok=7),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=28, num_experts_per_tok=5))
NARROW = (bert(152, 4, 608, 4), bert(200, 5, 800, 4), bert(232, 4, 928, 3), bert(280, 7, 1120, 4), bert(328, 8, 1312, 3), bert(360, 9, 1440, 4),
          bert(408, 6, 1632, 3), bert(440, 8, 1760, 3), bert(512, 16, 1900, 3), bert(560, 8, 2240, 3), bert(616, 11, 2464, 3), gpt2(224, 7, 4),
          gpt2(328, 4, 4), gpt2(416, 8, 4), gpt2(520, 8, 3), neox(320, 5, 4), neox(512, 8, 4), llama(448, 7, 1, 1200, 4))
PASSES = crossed((1, 2, 4, 6, 11, 18), (23, 45, 75, 105, 155, 230, 350), 6144)
STEPS = crossed((1, 1, 2, 3, 4, 8, 13, 24, 50, 110), (70, 190, 480, 900, 1600), 60000)

RULES: tuple[Rule, ...] = (
    ("wide_steps", WIDE, STEPS, 6, {"past": True}),
    ("fp32_steps", SINGLE, crossed((1, 1, 2, 5, 12, 30), (80, 350, 900), 12000), 4, {"past": True, "dtype": "fp32"}),
    ("mixed_steps", MIXTURES, crossed((1, 3, 6, 14, 36, 72), (150, 600), 40000), 5, {"past": True}),
    ("wide_passes", WIDE, PASSES, 3, {}),
    ("narrower", NARROW, [(1, 5), (1, 9), (1, 17), (1, 30), (2, 32), (4, 26), (1, 80), (9, 36), (16, 100)], 3, {"dtype": "fp32"}),
    ("pictures", (changed("vit-base-patch16-224", image_size=192), changed("vit-base-patch16-224", image_size=304),
                  changed("clip-vit-large-patch14", image_size=168)), [(b, 1) for b in (1, 2, 5, 9, 20)], 4, {}),
    ("tf32", named("bert-base-uncased", "gpt2", "opt-125m", "pythia-160m", "t5-base", "roberta-base", "qwen2.5-0.5b"),
     crossed((1, 2, 4, 8, 16), (24, 64, 128, 250), 3000), 3, {"dtype": "tf32"}),
)
# Heads of as many channels as are no multiple of 4: attention in fp32 is done step by step.
ODD = (bert(150, 5, 600, 4), bert(222, 6, 888, 4), bert(148, 4, 592, 3), bert(330, 10, 1320, 3), bert(420, 10, 1680, 3), bert(350, 7, 1400, 4),
       bert(504, 12, 2016, 3), bert(540, 10, 2160, 3), bert(600, 8, 2400, 3), gpt2(156, 6, 4), gpt2(270, 6, 4), gpt2(460, 10, 4))
PATCHED = (changed("vit-base-patch16-224", patch_size=32), changed("vit-base-patch16-224", patch_size=28, image_size=196),
           changed("clip-vit-large-patch14", patch_size=28, num_hidden_layers=12),
           changed("clip-vit-large-patch14", patch_size=32, num_hidden_layers=12, hidden_size=768, num_attention_heads=12, intermediate_size=3072))
ODD_RULES: tuple[Rule, ...] = (
    ("odd_heads", ODD, [(1, 4), (1, 10), (1, 18), (1, 34), (2, 28), (3, 50), (6, 26), (10, 70)], 4, {"dtype": "fp32"}),
    ("patches", PATCHED, [(b, 1) for b in (1, 3, 7, 10, 14, 24)], 4, {}),
)


def steps_plan() -> list[tuple[str, Item]]:
    return check_plan(RULES, SEED)


def odd_plan() -> list[tuple[str, Item]]:
    return check_plan(ODD_RULES, SEED + 2)


if __name__ == "__main__":
    for kind, item in odd_plan() if "odd" in sys.argv[1:] else steps_plan():
        print(plan_line(kind, item))
