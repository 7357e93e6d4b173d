"""A real training run: a small Transformer in PyTorch on the CPU, tracked by its own output and followed live.

Needs PyTorch for this Python, as in Debian's python3-torch (tools/install_dependencies test), or for the one that
WATTREE_TORCH_PYTHON names."""

import os
import re
import subprocess
import sys

import pytest

from test_live import Live, events
from tracked_machine import Lateness, Machine

EPOCHS = 4
# Learns which byte follows which in a text. Says when an epoch is over, and shows that it learns.
TRAINING = f"""
import time
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
text = torch.tensor(list(b"the quick brown fox jumps over the lazy dog. " * 40))
width, length = 32, 32
embed = torch.nn.Embedding(128, width)
body = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True), 2)
head = torch.nn.Linear(width, 128)
parameters = [*embed.parameters(), *body.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=3e-3)
mask = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
print("parameters", sum(p.numel() for p in parameters), flush=True)
for epoch in range(1, {EPOCHS} + 1):
    begun, total, steps = time.monotonic(), 0.0, 0
    while steps < 12 or time.monotonic() - begun < 0.6:
        at = torch.randint(0, len(text) - length - 1, (8,))
        window = torch.stack([text[i:i + length + 1] for i in at])
        logits = head(body(embed(window[:, :-1]), mask=mask))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, steps = total + loss.item(), steps + 1
    print(f"epoch {{epoch}}/{EPOCHS} loss {{total / steps:.3f}} seconds {{time.monotonic() - begun:.3f}} at {{time.time():.3f}}", flush=True)
"""


@pytest.fixture(scope="session")
def python():
    for candidate in [os.environ.get("WATTREE_TORCH_PYTHON"), sys.executable]:
        if candidate and subprocess.run([candidate, "-c", "import torch"], capture_output=True).returncode == 0:
            return candidate
    pytest.skip("PyTorch is not installed: apt-get install python3-torch, or name a Python that has it in WATTREE_TORCH_PYTHON")


def test_a_transformer_is_followed_epoch_by_epoch(tmp_path, wattree, python):
    machine = Machine(tmp_path, wattree)
    machine.counter.parent.rename(tmp_path / "no counters")
    output = tmp_path / "output"
    options = ["--serve", "--assume", "cpu=100W", "--epochs", str(EPOCHS), "--region", "US-GA", "--epoch-regex", r"^epoch (\d+)/",
               "--journal", str(tmp_path / "j")]
    with Lateness() as machines, Live(machine, *options, command=[python, "-c", TRAINING], stdout=output.open("wb")) as live:
        seen = list(events(live.ports[0]))
        assert live.process.wait(60) == 0
    printed = re.findall(r"^epoch (\d+)/\d+ loss ([\d.]+) seconds ([\d.]+) at ([\d.]+)$", output.read_text(), re.M)
    assert [int(number) for number, *_ in printed] == list(range(1, EPOCHS + 1))
    losses = [float(loss) for _, loss, _, _ in printed]
    assert losses[-1] < 0.7 * losses[0]  # It was a training.

    epochs = [(data, at) for name, data, at in seen if name == "epoch"]
    assert [data["name"] for data, _ in epochs] == [number for number, *_ in printed]
    for (data, at), (_, _, duration, then) in zip(epochs, printed):
        # From the line to the event there are the relay, the tracker and this test, each woken once.
        assert at - float(then) < 1.0 + 3 * machines.worst
        if data["name"] != "1":  # The first has the program's start in it.
            assert data["duration_s"] == pytest.approx(float(duration), abs=0.3 + 2 * machines.worst)
    assert seen[-1][0] == "ended" and seen[-1][1]["exit_code"] == 0
    profile = machine.profile()
    assert len(profile["epochs"]) == EPOCHS
    for epoch, (data, _) in zip(profile["epochs"], epochs):
        cpu = next(part for part in epoch["energy"] if part["component"] == "cpu.assumed")
        assert cpu["energy_j"] == pytest.approx(100 * epoch["duration_s"], rel=1e-6)
        assert epoch["duration_s"] == pytest.approx(data["duration_s"], rel=1e-9)
