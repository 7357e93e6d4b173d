"""The passes of data/h200-fresh-check, by rule: a predictor is checked with them and never fitted to them.

As wattree/mixed_checks.py, with other models, sizes and changes, and with decode steps in fp32 and passes in TF32. `python3 -m
wattree.fresh_checks` prints the plan: what is launched from Python comes first, in two halves, because each is measured just after a
calibration of the host.
"""

from __future__ import annotations

from wattree.checks import Rule, bert, changed, check_plan, crossed
from wattree.gaps import gpt2
from wattree.plan import Item, plan_line

SEED = 113

UNSEEN = tuple(changed(name) for name in (
    "bert-base-multilingual-cased", "xlm-roberta-large", "pythia-410m", "opt-350m", "mt5-small", "bart-large", "distilroberta-base",
    "albert-large-v2", "electra-base-discriminator", "bloom-1b7", "gpt2-large", "opus-mt-en-de"))
LARGE = (changed("llama-3-8b", num_hidden_layers=3), changed("llama-2-13b", num_hidden_layers=3), changed("pythia-6.9b", num_hidden_layers=4),
         changed("gemma-2-9b", num_hidden_layers=3), changed("phi-2", num_hidden_layers=6), changed("qwen3-8b", num_hidden_layers=2))
DECODERS = (changed("pythia-1.4b"), changed("opt-350m"), changed("gpt2-large"), changed("bloom-1b7"), changed("pythia-410m"),
            changed("llama-2-13b", num_hidden_layers=3), changed("pythia-6.9b", num_hidden_layers=4), changed("olmo-2-7b", num_hidden_layers=5),
            changed("phi-2", num_hidden_layers=6), changed("opt-6.7b", num_hidden_layers=4), changed("llama-3-70b", num_hidden_layers=1))
MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=11, num_experts_per_tok=2, intermediate_size=7680),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=104, num_experts_per_tok=5),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=36, num_experts_per_tok=6),
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=3328, num_local_experts=9, num_experts_per_tok=2, intermediate_size=5888,
            num_attention_heads=26, num_key_value_heads=13, head_dim=128))
HEADS = (changed("gpt2-large", "GPT2LMHeadModel"), changed("bert-base-multilingual-cased", "BertForMaskedLM"), changed("opt-350m", "OPTForCausalLM"),
         changed("mt5-small", "MT5ForConditionalGeneration"), changed("xlm-roberta-large", "XLMRobertaForMaskedLM"),
         changed("pythia-410m", "GPTNeoXForCausalLM"))
SMALL = (bert(136, 4, 544, 4), bert(248, 8, 992, 4), bert(296, 4, 1184, 3), bert(376, 8, 1504, 4), bert(456, 12, 1824, 3), bert(584, 8, 2336, 3),
         gpt2(232, 4, 4), gpt2(432, 8, 4), changed("pythia-70m"))
SINGLE = tuple(changed(name) for name in ("bert-base-cased", "xlm-roberta-base", "pythia-410m", "opt-350m", "gpt2-large", "flan-t5-base",
                                          "bart-large", "camembert-base"))
LAUNCHED = tuple(changed(name) for name in ("bert-base-multilingual-cased", "distilroberta-base", "pythia-410m", "opt-350m", "gpt2-large",
                                            "flan-t5-base", "camembert-base", "whisper-small", "bart-large", "phi-3-mini-4k"))
PASSES = crossed((1, 2, 4, 8, 14, 21), (19, 36, 62, 95, 141, 205, 310), 6144)
STEPS = crossed((1, 1, 2, 3, 6, 11, 17, 35, 70, 140), (45, 110, 380, 750, 1400), 60000)

RULES: tuple[Rule, ...] = (
    ("models", UNSEEN, PASSES, 2, {}),
    ("heads", HEADS, PASSES, 2, {}),
    ("lengths", UNSEEN[:4] + LARGE[:2], [(b, s) for b in (1, 5) for s in (7, 19, 41, 61, 89, 139, 197, 283, 397)], 2, {}),
    ("batches", UNSEEN[:5], crossed((26, 44, 90, 160), (6, 11, 20, 31, 56), 6000), 2, {}),
    ("long", LARGE, [(1, s) for s in (1100, 1400, 1800, 2000)], 1, {}),
    ("experts", MIXTURES, [(1, 10), (1, 75), (1, 190), (2, 110), (6, 35), (3, 280), (2, 800), (18, 50)], 4, {}),
    ("expert_steps", MIXTURES, crossed((1, 2, 5, 10, 28, 56), (180, 450), 40000), 4, {"past": True}),
    ("steps", DECODERS, STEPS, 3, {"past": True}),
    ("fp32_steps", (changed("pythia-410m"), changed("opt-350m"), changed("gpt2-large"), changed("bloom-1b7")),
     crossed((1, 2, 4, 10), (65, 320), 12000), 2, {"past": True, "dtype": "fp32"}),
    ("speech", (changed("whisper-small"), changed("whisper-medium", encoder_layers=9, decoder_layers=9),
                changed("whisper-small", max_source_positions=800)), [(b, s) for b in (1, 3, 5, 7) for s in (5, 24, 90)], 3, {}),
    ("images", (changed("vit-large-patch16-224"), changed("vit-large-patch16-224", image_size=240), changed("clip-vit-base-patch32")),
     [(b, 1) for b in (9, 12, 13, 15)], 3, {}),
    ("small", SMALL, [(1, 3), (1, 8), (1, 21), (1, 39), (2, 45), (5, 34), (11, 90)], 3, {"dtype": "fp32"}),
    ("fp32", SINGLE, crossed((1, 2, 3, 5), (18, 42, 85, 135, 190), 1500), 2, {"dtype": "fp32"}),
    ("tf32", SINGLE[:6], crossed((1, 3, 6), (40, 110, 190), 1500), 1, {"dtype": "tf32"}),
)
LAUNCHES: tuple[Rule, ...] = (
    ("eager", LAUNCHED, [(1, 18), (1, 64), (2, 56), (3, 120)], 2, {"execution": "eager"}),
    ("eager_steps", DECODERS[:5] + DECODERS[8:9], [(1, 160), (2, 420), (5, 280)], 1, {"execution": "eager", "past": True}),
)


def fresh_plan() -> list[tuple[str, Item]]:
    return check_plan(LAUNCHES, SEED) + check_plan(RULES, SEED)


if __name__ == "__main__":
    for kind, item in fresh_plan():
        print(plan_line(kind, item))
