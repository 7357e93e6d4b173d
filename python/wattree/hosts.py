"""The passes of data/h200-hosts: launched from Python, kernel by kernel, on a host whose speed Wattree's own executor has read.

Of models that training data may have; no pass of a check set is among them. `python3 -m wattree.hosts` prints the plan.
"""

from __future__ import annotations

import dataclasses

from wattree.plan import Item, plan_line

PASSES = (("bert-base-uncased", 1, 40), ("gpt2", 1, 24), ("llama-3.2-1b", 2, 30), ("t5-small", 1, 50), ("opt-125m", 2, 60),
          ("pythia-160m", 1, 90), ("distilbert-base-uncased", 4, 40), ("roberta-base", 1, 70), ("bart-base", 1, 30), ("qwen2.5-0.5b", 1, 60),
          ("gemma-3-1b", 1, 40), ("modernbert-base", 1, 60), ("whisper-base", 1, 10), ("albert-base-v2", 2, 50), ("gpt2-medium", 1, 80))
STEPS = (("qwen3-0.6b", 2, 300), ("gpt2", 4, 150), ("opt-1.3b", 2, 400), ("pythia-1b", 1, 200), ("llama-3.2-1b", 1, 500), ("gpt2-medium", 1, 250),
         ("tinyllama-1.1b", 3, 120))


def hosts_plan() -> list[tuple[str, Item]]:
    """Passes and decode steps in turn."""
    passes = [("hosted", Item(model, batch=batch, length=length)) for model, batch, length in PASSES]
    steps = [("hosted_steps", Item(model, batch=batch, length=1, past=past)) for model, batch, past in STEPS]
    ordered = [entry for pair in zip(passes, steps) for entry in pair] + passes[len(steps):]
    return [(kind, dataclasses.replace(item, execution="eager")) for kind, item in ordered]


if __name__ == "__main__":
    for kind, item in hosts_plan():
        print(plan_line(kind, item))
