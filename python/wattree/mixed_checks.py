"""The passes of data/h200-mixed-check, by rule: a predictor is checked with them and never fitted to them.

As wattree/wide_checks.py, with other sizes of the models that no training data has, and other changed models. Small models have
widths that no training data has. `python3 -m wattree.mixed_checks` prints the plan: what is launched from Python comes first, in
two halves, because each is measured just after a calibration of the host. `python3 -m wattree.mixed_checks launches` prints more of those.
"""

from __future__ import annotations

import sys

from wattree.checks import Rule, bert, changed, check_plan, crossed
from wattree.gaps import gpt2
from wattree.plan import Item, plan_line

SEED = 89


UNSEEN = tuple(changed(name) for name in (
    "bert-base-cased", "xlm-roberta-base", "pythia-410m", "opt-350m", "mt5-small", "bart-large", "camembert-base", "albert-large-v2",
    "electra-base-discriminator", "bloom-1b7", "gpt2-large", "flan-t5-base"))
LARGE = (changed("llama-3-8b", num_hidden_layers=4), changed("olmo-2-7b", num_hidden_layers=3), changed("falcon-7b", num_hidden_layers=3),
         changed("gemma-7b", num_hidden_layers=4), changed("phi-3-mini-4k", num_hidden_layers=7), changed("bloom-7b1", num_hidden_layers=4))
DECODERS = (changed("pythia-1.4b"), changed("opt-350m"), changed("gpt2-large"), changed("bloom-1b7"), changed("pythia-410m"),
            changed("llama-3-8b", num_hidden_layers=4), changed("gemma-2-2b", num_hidden_layers=7), changed("olmo-2-7b", num_hidden_layers=3),
            changed("qwen3-8b", num_hidden_layers=3), changed("llama-2-70b", num_hidden_layers=2))
MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=14, num_experts_per_tok=2, intermediate_size=5632),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=72, num_experts_per_tok=6),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=32, num_experts_per_tok=4),
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=2304, num_local_experts=9, num_experts_per_tok=3, intermediate_size=6400,
            num_attention_heads=18, num_key_value_heads=6, head_dim=128))
HEADS = (changed("gpt2-large", "GPT2LMHeadModel"), changed("bert-base-cased", "BertForMaskedLM"), changed("opt-350m", "OPTForCausalLM"),
         changed("bart-large", "BartForConditionalGeneration"), changed("xlm-roberta-base", "XLMRobertaForMaskedLM"),
         changed("bloom-1b7", "BloomForCausalLM"))
SMALL = (bert(312, 12, 1200, 4), bert(384, 12, 1536, 6), bert(168, 4, 672, 4), bert(264, 8, 1056, 3), bert(368, 8, 1472, 4), bert(528, 8, 2112, 3),
         gpt2(272, 4, 4), gpt2(400, 8, 4), changed("pythia-70m"))
SINGLE = tuple(changed(name) for name in ("bert-base-cased", "xlm-roberta-base", "pythia-410m", "opt-350m", "gpt2-large", "flan-t5-base",
                                          "bart-large", "distilroberta-base"))
LAUNCHED = tuple(changed(name) for name in ("bert-base-cased", "distilroberta-base", "pythia-410m", "opt-350m", "gpt2-large", "flan-t5-base",
                                            "xlm-roberta-base", "whisper-small", "bart-large", "olmo-2-7b"))
PASSES = crossed((1, 3, 5, 9, 16, 25), (21, 40, 64, 100, 144, 190, 320), 6144)
STEPS = crossed((1, 1, 2, 3, 5, 10, 18, 40, 80, 150), (60, 160, 420, 700, 1500), 60000)

RULES: tuple[Rule, ...] = (
    ("models", UNSEEN, PASSES, 2, {}),
    ("heads", HEADS, PASSES, 2, {}),
    ("lengths", UNSEEN[:4] + LARGE[:2], [(b, s) for b in (1, 4) for s in (9, 17, 31, 59, 97, 127, 193, 277, 431)], 2, {}),
    ("batches", UNSEEN[:5], crossed((28, 50, 96, 170), (7, 10, 18, 30, 52), 6000), 2, {}),
    ("long", LARGE, [(1, s) for s in (1200, 1900, 2700, 3600, 4900, 6400)], 2, {}),
    ("experts", MIXTURES, [(1, 16), (1, 90), (1, 220), (3, 60), (7, 30), (3, 350), (2, 700), (16, 64)], 4, {}),
    ("expert_steps", MIXTURES, crossed((1, 4, 9, 16, 40, 64), (120, 500), 40000), 4, {"past": True}),
    ("steps", DECODERS, STEPS, 3, {"past": True}),
    ("windowed", (changed("mistral-7b-v0.1", num_hidden_layers=3, sliding_window=1300), changed("gemma-2-2b", num_hidden_layers=7)),
     [(b, past) for b in (1, 3, 12) for past in (1900, 4400)], 3, {"past": True}),
    ("speech", (changed("whisper-small"), changed("whisper-medium", encoder_layers=10, decoder_layers=10),
                changed("whisper-small", max_source_positions=700)), [(b, s) for b in (1, 2, 6, 8) for s in (4, 32, 100)], 4, {}),
    ("images", (changed("vit-large-patch16-224"), changed("vit-large-patch16-224", image_size=320), changed("clip-vit-base-patch32")),
     [(b, 1) for b in (1, 4, 8, 18)], 3, {}),
    ("small", SMALL, [(1, 4), (1, 11), (1, 24), (1, 44), (2, 36), (6, 32), (12, 110)], 3, {"dtype": "fp32"}),
    ("fp32", SINGLE, crossed((1, 2, 3, 6), (16, 36, 75, 120, 210), 1500), 2, {"dtype": "fp32"}),
)
LAUNCHES: tuple[Rule, ...] = (
    ("eager", LAUNCHED, [(1, 22), (1, 70), (2, 48), (3, 110)], 2, {"execution": "eager"}),
    ("eager_steps", DECODERS[:6], [(1, 140), (3, 450), (6, 300)], 1, {"execution": "eager", "past": True}),
)


def mixed_plan() -> list[tuple[str, Item]]:
    return check_plan(LAUNCHES, SEED) + check_plan(RULES, SEED)


def launches_plan() -> list[tuple[str, Item]]:
    """Those of data/h200-launches-check: others that are launched from Python, by the same rules."""
    before = set(mixed_plan())
    return [entry for entry in check_plan(LAUNCHES, SEED + 1) if entry not in before]


if __name__ == "__main__":
    for kind, item in launches_plan() if "launches" in sys.argv[1:] else mixed_plan():
        print(plan_line(kind, item))
