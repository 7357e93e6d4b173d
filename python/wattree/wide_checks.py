"""The passes of data/h200-wide-check, by rule: a predictor is checked with them and never fitted to them.

As wattree/checks.py, with other models, or other sizes of the few that earlier checks have too. `python3 -m wattree.wide_checks`
prints the plan: what is launched from Python comes first, because it is measured between two calibrations of the host.
"""

from __future__ import annotations

from wattree.checks import Rule, bert, changed, check_plan, crossed
from wattree.plan import Item, plan_line

SEED = 71

UNSEEN = tuple(changed(name) for name in (
    "bert-base-multilingual-cased", "distilroberta-base", "albert-large-v2", "opus-mt-en-de", "pythia-410m", "gpt-neo-1.3b", "flan-t5-base",
    "opt-350m", "bloom-1b7", "gpt2-large"))
LARGE = (changed("llama-3-70b", num_hidden_layers=2), changed("llama-2-70b", num_hidden_layers=2), changed("falcon-7b", num_hidden_layers=4),
         changed("gemma-2-9b", num_hidden_layers=4), changed("mistral-7b-v0.1", num_hidden_layers=3), changed("qwen3-8b", num_hidden_layers=4))
DECODERS = (changed("pythia-410m"), changed("pythia-1.4b"), changed("opt-350m"), changed("gpt2-large"), changed("bloom-1b7"),
            changed("llama-3-70b", num_hidden_layers=2), changed("falcon-7b", num_hidden_layers=4), changed("phi-3-mini-4k", num_hidden_layers=5),
            changed("qwen3-8b", num_hidden_layers=4), changed("olmo-2-7b", num_hidden_layers=4))
MIXTURES = (
    changed("mixtral-8x7b", num_hidden_layers=2, hidden_size=2048, num_local_experts=12, num_experts_per_tok=3, intermediate_size=7168,
            num_attention_heads=16, num_key_value_heads=4, head_dim=128),
    changed("qwen3-30b-a3b", num_hidden_layers=3, num_experts=80, num_experts_per_tok=5),
    changed("qwen1.5-moe-a2.7b", num_hidden_layers=3, num_experts=40, num_experts_per_tok=3),
    changed("mixtral-8x7b", num_hidden_layers=2, num_local_experts=6, num_experts_per_tok=2, intermediate_size=9216))
HEADS = (changed("opt-350m", "OPTForCausalLM"), changed("pythia-410m", "GPTNeoXForCausalLM"), changed("flan-t5-base", "T5ForConditionalGeneration"),
         changed("bert-base-multilingual-cased", "BertForMaskedLM"), changed("distilroberta-base", "RobertaForMaskedLM"),
         changed("camembert-base", "CamembertForMaskedLM"))
SMALL = (bert(112, 4, 450, 4), bert(208, 4, 832, 3), bert(304, 8, 1216, 4), bert(464, 8, 1856, 3), bert(672, 12, 2700, 3),
         changed("gpt2", n_embd=240, n_head=6, n_layer=4), changed("gpt2", n_embd=480, n_head=8, n_layer=4),
         changed("pythia-70m"))
SINGLE = tuple(changed(name) for name in ("bert-base-multilingual-cased", "distilroberta-base", "pythia-410m", "opt-350m", "gpt-neo-1.3b",
                                          "electra-base-discriminator", "flan-t5-base", "camembert-base"))
LAUNCHED = tuple(changed(name) for name in ("bert-base-multilingual-cased", "distilroberta-base", "pythia-410m", "opt-350m", "gpt2-large",
                                            "flan-t5-base", "electra-base-discriminator", "whisper-small", "camembert-base", "phi-3-mini-4k"))
PASSES = crossed((1, 2, 4, 7, 13, 22), (18, 33, 70, 110, 170, 260, 390), 6144)
STEPS = crossed((1, 1, 2, 4, 6, 9, 15, 28, 60, 120), (50, 130, 330, 800, 1300), 60000)

RULES: tuple[Rule, ...] = (
    ("models", UNSEEN, PASSES, 2, {}),
    ("heads", HEADS, PASSES, 2, {}),
    ("lengths", UNSEEN[:4] + LARGE[:2], [(b, s) for b in (1, 3) for s in (13, 29, 53, 83, 113, 179, 239, 353, 467)], 2, {}),
    ("batches", UNSEEN[:5], crossed((30, 60, 110, 190), (5, 12, 25, 42, 60), 6000), 2, {}),
    ("long", LARGE, [(1, s) for s in (1700, 2500, 3300, 4500, 5600, 7000)], 2, {}),
    ("experts", MIXTURES, [(1, 12), (1, 70), (1, 260), (2, 130), (9, 25), (4, 300), (2, 900), (20, 80)], 4, {}),
    ("expert_steps", MIXTURES, crossed((1, 2, 5, 12, 30, 80), (200, 700), 40000), 4, {"past": True}),
    ("steps", DECODERS, STEPS, 3, {"past": True}),
    ("windowed", (changed("mistral-7b-v0.1", num_hidden_layers=3, sliding_window=1800), changed("gemma-2-9b", num_hidden_layers=4)),
     [(b, past) for b in (1, 2, 8) for past in (2300, 5000)], 3, {"past": True}),
    ("speech", (changed("whisper-small"), changed("whisper-medium", encoder_layers=12, decoder_layers=12),
                changed("whisper-small", max_source_positions=1100), changed("whisper-large-v3", encoder_layers=4, decoder_layers=4)),
     [(b, s) for b in (1, 3, 5, 9) for s in (5, 26, 81)], 4, {}),
    ("images", (changed("vit-large-patch16-224"), changed("vit-large-patch16-224", image_size=256), changed("clip-vit-base-patch32")),
     [(b, 1) for b in (3, 7, 10, 17)], 3, {}),
    ("small", SMALL, [(1, 5), (1, 12), (1, 28), (1, 60), (3, 30), (8, 45), (20, 100)], 3, {"dtype": "fp32"}),
    ("fp32", SINGLE, crossed((1, 2, 4, 8), (22, 55, 100, 160, 230), 1500), 2, {"dtype": "fp32"}),
)
LAUNCHES: tuple[Rule, ...] = (
    ("eager", LAUNCHED, [(1, 26), (1, 60), (2, 90), (3, 150)], 2, {"execution": "eager"}),
    ("eager_steps", DECODERS[:4] + DECODERS[7:9], [(1, 220), (2, 600), (8, 400)], 1, {"execution": "eager", "past": True}),
)


def wide_plan() -> list[tuple[str, Item]]:
    return check_plan(LAUNCHES, SEED) + check_plan(RULES, SEED)


if __name__ == "__main__":
    for kind, item in wide_plan():
        print(plan_line(kind, item))
