"""The passes of data/h200-gaps, by rule: where predictions were found to be weak, of models that training data may have.

Passes of middling size in fp32, models of odd widths, speech, images, decode steps of any batch, and prompts longer than a sliding
window. No pass of a check set is among them. `python3 -m wattree.gaps` prints the plan.
"""

from __future__ import annotations

from wattree.checks import Model, Rule, bert, changed, check_plan, crossed
from wattree.plan import Item, plan_line

SEED = 61


def gpt2(width: int, heads: int, layers: int) -> Model:
    return changed("gpt2", n_embd=width, n_head=heads, n_layer=layers)


def mistral(window: int, width: int, heads: int, groups: int) -> Model:
    return changed("mistral-7b-v0.1", sliding_window=window, hidden_size=width, num_attention_heads=heads, num_key_value_heads=groups,
                   intermediate_size=3 * width, head_dim=width // heads, num_hidden_layers=4)


def named(*names: str) -> tuple[Model, ...]:
    return tuple(changed(name) for name in names)


SINGLE = named("bert-base-uncased", "roberta-base", "distilbert-base-uncased", "gpt2", "gpt2-medium", "t5-base", "opt-125m", "pythia-160m",
               "bart-base", "albert-base-v2", "qwen2.5-0.5b", "llama-3.2-1b", "bert-large-uncased", "modernbert-base",
               "electra-small-discriminator", "t5-small")
NARROW = (bert(144, 6, 600, 3), bert(176, 4, 704, 4), bert(240, 5, 1000, 4), bert(272, 8, 1100, 3), bert(336, 7, 1300, 4), bert(416, 8, 1700, 3),
          bert(544, 8, 2200, 3), bert(704, 11, 2800, 3), gpt2(208, 4, 4), gpt2(352, 8, 4), gpt2(608, 8, 3), gpt2(896, 14, 3))
SPEECH = (changed("whisper-tiny"), changed("whisper-base"), changed("whisper-large-v3", encoder_layers=8, decoder_layers=8),
          changed("whisper-base", max_source_positions=1200), changed("whisper-tiny", max_source_positions=600),
          changed("whisper-large-v3", encoder_layers=8, decoder_layers=8, max_source_positions=450))
IMAGES = (changed("vit-base-patch16-224"), changed("vit-base-patch16-224", image_size=272), changed("vit-base-patch16-224", image_size=336),
          changed("clip-vit-large-patch14"))
DECODERS = (changed("gpt2"), changed("gpt2-medium"), changed("opt-125m"), changed("opt-1.3b"), changed("pythia-160m"), changed("pythia-1b"),
            changed("tinyllama-1.1b"), changed("qwen3-0.6b"), changed("gemma-2b", num_hidden_layers=6), changed("llama-2-7b", num_hidden_layers=4),
            changed("llama-3.2-3b", num_hidden_layers=6), changed("phi-1"))
WINDOWED = (mistral(1000, 2048, 16, 4), mistral(2200, 3072, 24, 8), mistral(3600, 4096, 32, 8), changed("gemma-3-1b"))

RULES: tuple[Rule, ...] = (
    ("middling", SINGLE, crossed((1, 2, 3, 4, 6, 8, 12), (12, 20, 40, 60, 90, 120, 180, 250, 350), 1600), 4, {"dtype": "fp32"}),
    ("narrow", NARROW, [(1, 7), (1, 14), (1, 22), (1, 35), (2, 40), (5, 20), (2, 90), (10, 50), (24, 90)], 3, {"dtype": "fp32"}),
    ("heard", SPEECH, crossed((1, 2, 3, 5, 9), (5, 16, 70), 500), 4, {}),
    ("seen", IMAGES, [(b, 1) for b in (1, 3, 6, 14, 30)], 3, {}),
    ("decoding", DECODERS, crossed((1, 1, 2, 3, 6, 10, 20, 40, 90, 180), (40, 100, 280, 650, 1000), 60000), 4, {"past": True}),
    ("beyond", WINDOWED, [(b, past) for b in (1, 3, 10, 24) for past in (1400, 2600, 4300, 5800)], 4, {"past": True}),
    ("windows", WINDOWED, [(1, s) for s in (1300, 2300, 3100, 4500, 6300)], 2, {}),
)


def gaps_plan() -> list[tuple[str, Item]]:
    return check_plan(RULES, SEED)


if __name__ == "__main__":
    for kind, item in gaps_plan():
        print(plan_line(kind, item))
