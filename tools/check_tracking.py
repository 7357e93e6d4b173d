#!/usr/bin/env python3
"""Checks `wattree track` around a real training on a GPU: is the energy right, does it cost nothing, is it seen live.

    tools/check_tracking.py --wattree build/release/bin/wattree [-o result.json] [--epochs 4] [--epoch-seconds 10] [--slices 8]

Needs PyTorch for the training (a small Transformer in bf16 that learns bytes of Python's own library) and nothing else.
Three runs:

1. tracked with --epoch-regex and --serve. The training reads NVML's energy counter itself at the end of
   every epoch, this script before and after the whole run; both are compared with what the journal has. A client of the
   live events notes how long after its end each epoch is seen.
2. for the cost: one training, with a tracker attached (--pid) in every second slice of time; steps per second of
   neighbouring slices are compared.
3. with --stop-above: it is to be ended, with exit code 124.

Without an NVIDIA GPU it trains on the CPU with a declared power, and the comparison with NVML is left out.
"""

import argparse
import ctypes
import http.client
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time


class Counter:
    """GPU 0's energy counter, by NVML itself."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        if self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
            raise OSError("NVML does not start")
        self.name = ctypes.create_string_buffer(96)
        self.nvml.nvmlDeviceGetName(self.device, self.name, 96)

    def joules(self):
        value = ctypes.c_ulonglong()
        code = self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(value))
        if code:
            raise OSError(f"NVML's energy counter: error {code}")
        return value.value * 1e-3


def open_counter():
    try:
        return Counter()
    except OSError:
        return None


# --- the training ---


def train(args):
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    is_small = device == "cpu"
    width, layers, length, batch = (64, 2, 64, 8) if is_small else (1024, 12, 512, 16)
    torch.manual_seed(0)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(256, width)
            self.position = torch.nn.Parameter(torch.zeros(length, width))
            layer = torch.nn.TransformerEncoderLayer(width, width // 64, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
            self.body = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
            self.head = torch.nn.Linear(width, 256)

        def forward(self, tokens):
            mask = torch.nn.Transformer.generate_square_subsequent_mask(length, device=tokens.device)
            return self.head(self.body(self.embed(tokens) + self.position, mask=mask))

    model = Model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    text = b"".join(path.read_bytes() for path in sorted(pathlib.Path(os.__file__).parent.glob("*.py"))[:60])
    data = torch.tensor(list(text), dtype=torch.long, device=device)
    counter = open_counter() if device == "cuda" else None

    def step():
        at = torch.randint(0, len(data) - length - 1, (batch,), device=device)
        window = data[at[:, None] + torch.arange(length + 1, device=device)]
        with torch.autocast(device, torch.bfloat16):
            logits = model(window[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), window[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss

    def wait():
        if device == "cuda":
            torch.cuda.synchronize()

    def tell(text, loss):
        wait()
        joules = f"{counter.joules():.3f}" if counter else "nan"
        print(f"{text} loss {loss.item():.3f} at {time.time():.6f} counter {joules}", flush=True)

    for _ in range(8):
        loss = step()
    wait()
    begun = time.perf_counter()
    for _ in range(10):
        loss = step()
    wait()
    steps = max(1, round(args.epoch_seconds * 10 / (time.perf_counter() - begun)))
    tell("ready", loss)
    if args.train == "slices":
        # So many steps, as often as it is told to; how fast they were.
        for _ in sys.stdin:
            begun, done = time.perf_counter(), 0
            while time.perf_counter() - begun < args.epoch_seconds:
                for _ in range(4):
                    step()
                done += 4
                wait()
            print(f"rate {done / (time.perf_counter() - begun):.6f}", flush=True)
        return
    for epoch in range(1, args.epochs + 1):
        for _ in range(steps):
            loss = step()
        tell(f"epoch {epoch} of {args.epochs} steps {steps}", loss)


# --- the checks ---


def records(folder):
    lines = next(pathlib.Path(folder).glob("*.journal")).read_text().splitlines()[1:]
    return [json.loads(line[9:]) for line in lines]


def watch_events(port, seen):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/api/v1/runs/current/events")
    name = None
    for line in connection.getresponse():
        line = line.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            seen.append((name, json.loads(line[6:]), time.time()))


class Checks:
    def __init__(self, args, scratch):
        self.args, self.scratch, self.counter = args, scratch, open_counter()
        self.meters = [] if self.counter else ["--assume", "cpu=65W"]
        self.period = ["--period", args.period] if args.period else []
        self.wattree = os.path.abspath(args.wattree)

    def start(self, command, **kwargs):
        # A session of its own: what hangs is ended with everything that it has started.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, **kwargs)
        return self.process

    def within(self, seconds, check):
        """What the check finds out, or that it took too long."""
        def give_up(*_):
            os.killpg(self.process.pid, signal.SIGKILL)
            raise TimeoutError(f"not done in {seconds} s")
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(seconds)
        try:
            return check()
        except Exception as error:  # The others are worth something too.
            return {"failed": f"{type(error).__name__}: {error}"}
        finally:
            signal.alarm(0)

    def training(self, kind):
        return [sys.executable, "-u", os.path.abspath(__file__), "--train", kind, "--epochs", str(self.args.epochs), "--epoch-seconds",
                str(self.args.epoch_seconds if kind == "epochs" else self.args.slice_seconds)]

    def energy_and_events(self):
        journal = os.path.join(self.scratch, "journal")
        command = [self.wattree, "track", *self.meters, "--serve", *self.period, "--epochs", str(self.args.epochs), "--epoch-regex",
                   r"^epoch (\d+)", "--journal", journal, "-o", os.path.join(self.scratch, "run.json"), "--", *self.training("epochs")]
        before = self.counter.joules() if self.counter else None
        begun = time.monotonic()
        process = self.start(command, stderr=subprocess.PIPE)
        said, seen = [], []

        def listen():
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"this run is at http://127.0.0.1:(\d+)", line):
                    threading.Thread(target=watch_events, args=(int(found[1]), seen), daemon=True).start()

        listener = threading.Thread(target=listen)
        listener.start()
        lines = process.stdout.read().splitlines()
        code = process.wait()
        listener.join()
        after = self.counter.joules() if self.counter else None
        sys.stderr.write("".join(said))
        if code:
            raise RuntimeError(f"the tracked training ended with {code}")
        told = [re.match(r"(?:ready|epoch (\d+)).* at ([\d.]+) counter ([\d.]+|nan)", line).groups() for line in lines]
        journal = records(journal)
        gpu = [i for i, meter in enumerate(journal[0]["meters"]) if meter["kind"] == ("gpu" if self.counter else "cpu")]

        def joules(record):
            return sum(row[1] for row in record["meters"] if row[0] in gpu)

        totals = [r for r in journal if r["record"] == "totals"][-1]
        out = {"seconds": time.monotonic() - begun, "journal_j": joules(totals), "meter": journal[0]["meters"][gpu[0]]["by"],
               "epochs_printed": [name for name, _, _ in told[1:]], "epochs": []}
        if self.counter:
            out["nvml_j"] = after - before
            out["difference_percent"] = 100 * (out["journal_j"] / out["nvml_j"] - 1)
        epochs = [r for r in journal if r["record"] == "epoch"]
        events = {data["name"]: at for name, data, at in seen if name == "epoch"}
        counts = [float(count) for _, _, count in told]
        for i, record in enumerate(epochs):
            row = {"name": record["name"], "seconds": (record["ended_ns"] - record["begun_ns"]) * 1e-9, "journal_j": joules(record),
                   "uncertainty_j": sum((r[3] - r[2]) / 2 for r in record["meters"] if r[0] in gpu)}
            if i > 0 and self.counter:  # The first one has the program's start in it.
                row["nvml_j"] = counts[i + 1] - counts[i]
                row["difference_percent"] = 100 * (row["journal_j"] / row["nvml_j"] - 1)
            if record["name"] in events:
                row["seen_after_s"] = events[record["name"]] - float(told[i + 1][1])
            out["epochs"].append(row)
        out["live_statuses"] = sum(name == "status" for name, _, _ in seen)
        out["live_end"] = bool(seen) and seen[-1][0] == "ended"
        return out

    def cost(self):
        process = self.start(self.training("slices"), stdin=subprocess.PIPE)
        assert process.stdout.readline().startswith("ready")
        rates = {False: [], True: []}
        share = []
        for i in range(self.args.slices):
            is_tracked = i % 4 in (1, 2)  # Alone, tracked, tracked, alone: a steady drift falls out.
            if is_tracked:
                tracker = subprocess.Popen([self.wattree, "track", *self.meters, "-q", "-o", os.devnull, *self.period, "--pid",
                                            str(process.pid)], stderr=subprocess.DEVNULL)
                time.sleep(0.4)  # Its start is not what is measured.
                clock = (~tracker.pid << 3) | 2
                before, begun = time.clock_gettime(clock), time.monotonic()
            else:
                time.sleep(0.4)
            process.stdin.write("go\n")
            process.stdin.flush()
            rates[is_tracked].append(float(process.stdout.readline().split()[1]))
            if is_tracked:
                share.append(100 * (time.clock_gettime(clock) - before) / (time.monotonic() - begun))
                memory = int(pathlib.Path(f"/proc/{tracker.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
                tracker.send_signal(signal.SIGTERM)
                tracker.wait()
        process.stdin.close()
        process.wait()
        alone, tracked = rates[False], rates[True]
        return {"steps_per_s_alone": alone, "steps_per_s_tracked": tracked,
                "slowdown_percent": 100 * (statistics.mean(alone) / statistics.mean(tracked) - 1),
                "spread_alone_percent": 100 * statistics.stdev(alone) / statistics.mean(alone),
                "tracker_cpu_percent_of_a_core": statistics.median(share), "tracker_resident_mb": memory}

    def stop(self, joules):
        begun = time.monotonic()
        process = self.start([self.wattree, "track", *self.meters, "-o", os.path.join(self.scratch, "stopped.json"), "--stop-above",
                              f"{joules:.0f}J", "--", *self.training("epochs")], stderr=subprocess.PIPE)
        said = process.communicate()[1]
        profile = json.loads(pathlib.Path(self.scratch, "stopped.json").read_text())
        taken = sum(part["energy_j"] for epoch in profile["epochs"] for part in epoch["energy"])
        return {"stop_above_j": joules, "exit_code": process.returncode, "taken_j": taken, "seconds": time.monotonic() - begun,
                "said": [line for line in said.splitlines() if "--stop-above" in line]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wattree", default="build/release/bin/wattree")
    parser.add_argument("-o", "--output", help="the result, as JSON; written after every run")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--epoch-seconds", type=float, default=10)
    parser.add_argument("--slices", type=int, default=8)
    parser.add_argument("--slice-seconds", type=float, default=4)
    parser.add_argument("--period", help="as of wattree track [its own]")
    parser.add_argument("--stop-above", type=float, help="joules [a third of what the first run took]")
    parser.add_argument("--at-most", type=int, default=120, help="seconds for each of the runs")
    parser.add_argument("--train", choices=["epochs", "slices"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.train:
        train(args)
        return 0
    result = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(XDG_RUNTIME_DIR=scratch, XDG_STATE_HOME=scratch)
        checks = Checks(args, scratch)
        result["gpu"] = checks.counter.name.value.decode() if checks.counter else None
        for name, check in [("energy", checks.energy_and_events), ("cost", checks.cost),
                            ("stop", lambda: checks.stop(args.stop_above or result["energy"].get("journal_j", 15000) / 3))]:
            result[name] = checks.within(args.at_most, check)
            text = json.dumps(result, indent=1)
            if args.output:
                pathlib.Path(args.output).write_text(text + "\n")
    print(text)
    return 1 if any("failed" in result[name] for name in ("energy", "cost", "stop")) else 0


if __name__ == "__main__":
    raise SystemExit(main())
