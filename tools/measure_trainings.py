#!/usr/bin/env python3
"""Energy of training against the predicted energy of the forward pass, for a few models on one GPU.

    tools/measure_trainings.py measure -o data/h200-trainings [--wattree build/release/bin/wattree] [--seconds 6]
    tools/measure_trainings.py table data/h200-trainings [--wattree …]     the factors, as Markdown

`measure` needs PyTorch, Transformers and a GPU with an energy counter. Each model is made from its bundled config with
random weights and trained on random inputs by AdamW, in the precision of the plan, launched from Python as most trainings
are. `wattree track` measures it: after warm-up, two epochs of --seconds each. Its profile is kept as it is, with one line of
trainings.jsonl that says what was trained. `table` predicts the forward pass of the same batch and divides.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# name, Transformers' class for it, batch, length, precision
PLAN = [
    ("bert-base-uncased", "BertForMaskedLM", 32, 128, "bf16"),
    ("gpt2", "GPT2LMHeadModel", 8, 512, "bf16"),
    ("llama-3.2-1b", "LlamaForCausalLM", 4, 512, "bf16"),
    ("vit-base-patch16-224", "ViTForImageClassification", 32, 1, "bf16"),
    ("bert-base-uncased", "BertForMaskedLM", 32, 128, "fp32"),
]


def name_of(entry):
    model, _, batch, length, dtype = entry
    return f"{model}-{dtype}-{batch}x{length}"


def train(entry, seconds):
    """In a process of its own, tracked from outside. Prints a line at the end of each epoch, and the steps in it."""
    import torch
    import transformers

    model_name, class_name, batch, length, dtype = entry
    config = transformers.AutoConfig.for_model(**json.loads((ROOT / f"data/models/{model_name}.json").read_text()))
    torch.set_default_dtype({"bf16": torch.bfloat16, "fp32": torch.float32}[dtype])
    with torch.device("cuda"):
        model = getattr(transformers, class_name)(config)
        if hasattr(config, "image_size"):
            images = torch.randn(batch, config.num_channels, config.image_size, config.image_size)
            inputs = {"pixel_values": images, "labels": torch.zeros(batch, dtype=torch.long)}
        else:
            ids = torch.randint(0, config.vocab_size, (batch, length))
            inputs = {"input_ids": ids, "labels": ids}
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)

    def steps_for(duration):
        count, end = 0, time.monotonic() + duration
        while time.monotonic() < end:
            for _ in range(10):
                optimizer.zero_grad(set_to_none=True)
                model(**inputs).loss.backward()
                optimizer.step()
            count += 10
            torch.cuda.synchronize()
        return count

    steps_for(2)
    print("begin", flush=True)
    for epoch in range(2):
        count = steps_for(seconds)
        print(f"epoch {epoch + 1} of {count} steps", flush=True)


def measure(arguments):
    out = pathlib.Path(arguments.output).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for number, entry in enumerate(PLAN):
        name = name_of(entry)
        profile = out / f"{name}.json"
        # The first line ends "epoch" 0, the start: it is left out below.
        tracked = subprocess.run(
            [str(pathlib.Path(arguments.wattree).resolve()), "track", "--name", name, "--epoch-regex", r"^(begin|epoch \d+)", "-o", profile, "--",
             "python3", "tools/measure_trainings.py", "train", str(number), str(arguments.seconds)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if tracked.returncode != 0:
            print(f"{name}: exit code {tracked.returncode}", file=sys.stderr)
            continue
        steps = [int(line.split()[3]) for line in tracked.stdout.splitlines() if line.startswith("epoch ")]
        model, class_name, batch, length, dtype = entry
        line = {"profile": profile.name, "model": model, "as": class_name, "batch_size": batch, "seq_len": length,
                "dtype": dtype, "optimizer": "AdamW", "steps": steps}
        with (out / "trainings.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)


def step_energy(folder, line):
    """Joules of one step, by the GPU's counter: the mean of the epochs."""
    profile = json.loads((folder / line["profile"]).read_text())
    epochs = profile["epochs"][-len(line["steps"]):]
    joules = [sum(part["energy_j"] for part in epoch["energy"] if part["kind"] == "gpu") for epoch in epochs]
    return statistics.mean(energy / steps for energy, steps in zip(joules, line["steps"], strict=True))


def table(arguments):
    folder = pathlib.Path(arguments.folder)
    print("| training | measured, J per step | forward pass, predicted, J | factor |\n|---|---:|---:|---:|")
    for text in (folder / "trainings.jsonl").read_text().splitlines():
        line = json.loads(text)
        command = [arguments.wattree, "predict", line["model"], "--as", line["as"], "-b", str(line["batch_size"]),
                   "-s", str(line["seq_len"]), "--dtype", line["dtype"], "--on", "h200", "--json"]
        predicted = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        forward, measured = predicted["tree"]["energy_j"], step_energy(folder, line)
        what = f"{line['model']} ({line['as']}), {line['dtype']}, {line['batch_size']} × {line['seq_len']}"
        print(f"| {what} | {measured:.3f} | {forward:.3f} | {measured / forward:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("-o", "--output", required=True)
    one.add_argument("--seconds", type=float, default=6)
    two = commands.add_parser("table")
    two.add_argument("folder")
    for each in (one, two):
        each.add_argument("--wattree", default=str(ROOT / "build/release/bin/wattree"))
    child = commands.add_parser("train")
    child.add_argument("number", type=int)
    child.add_argument("seconds", type=float)
    arguments = parser.parse_args()
    if arguments.command == "train":
        train(PLAN[arguments.number], arguments.seconds)
    elif arguments.command == "measure":
        measure(arguments)
    else:
        table(arguments)


if __name__ == "__main__":
    main()
