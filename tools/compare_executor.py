#!/usr/bin/env python3
"""Measure whole models run by Wattree's executor and by the framework itself, both replayed as CUDA graphs, in turn.

Needs a GPU, PyTorch, Transformers, the plugin (tools/build_torch_plugin) and the executor_shim target of the build. Writes a
line of JSON for each measurement to OUT and a table to standard output; the last lines compare the kernels that ran.

Usage: compare_executor.py --plugin libwattree-torch.so --shim libexecutor_shim.so --out FILE [--models a,b] [--dry]
"""

import argparse
import ctypes
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
MODELS = "bert-base-uncased,gpt2,llama-3.2-1b"


def load_shim(path, plugin, device):
    shim = ctypes.CDLL(str(path))
    for name in ("shim_error", "shim_device", "shim_uuid", "shim_pci", "shim_why_eager"):
        getattr(shim, name).restype = ctypes.c_char_p
    shim.shim_prepare.restype = ctypes.c_void_p
    shim.shim_prepare.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_long, ctypes.c_char_p, ctypes.c_char_p,
                                  ctypes.c_char_p, ctypes.c_int]
    for name in ("start", "copies", "sets", "unlinked", "is_graph", "why_eager", "release"):
        getattr(shim, f"shim_{name}").argtypes = [ctypes.c_void_p]
    if shim.shim_open(str(plugin).encode(), device.encode()):
        raise RuntimeError(shim.shim_error().decode())
    return shim


def executor_launch(shim, config, args, facts):
    from wattree.device import Launch

    handle = shim.shim_prepare(str(config).encode(), args.batch, args.length, args.dtype.encode(), args.attention.encode(), b"", 0)
    if not handle:
        raise RuntimeError(shim.shim_error().decode())
    facts |= {"unlinked": shim.shim_unlinked(handle), "copies": shim.shim_copies(handle),
              "why_eager": shim.shim_why_eager(handle).decode()}

    def start():
        if shim.shim_start(handle):
            raise RuntimeError(shim.shim_error().decode())

    return Launch(start, shim.shim_copies(handle), "graph" if shim.shim_is_graph(handle) else "eager",
                  lambda: shim.shim_release(handle))


def framework_launch(config, args, device, facts):
    from wattree.models import Pass, build_model, read_config
    from wattree.workload import Workload, prepare_launch

    model = build_model(read_config(config), args.dtype, args.attention, device.name)
    passed = Pass(model, args.batch, args.length)
    passed.prepare()
    launch, why = prepare_launch(Workload(lambda i: passed.run(), 1, 0), device)
    facts |= {"copies": launch.iterations, "why_eager": why or "", "masks": passed._masks.kinds}
    return launch, passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", type=pathlib.Path, required=True)
    parser.add_argument("--shim", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--attention", default="sdpa")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="on the CPU, without energy: to try the way through")
    args = parser.parse_args()

    import torch

    from wattree.device import CpuDevice, CudaDevice

    device = CpuDevice() if args.dry else CudaDevice()
    shim = load_shim(args.shim.resolve(), args.plugin.resolve(), device.name)
    out = args.out.open("a")

    def write(**record):
        out.write(json.dumps(record) + "\n")
        out.flush()
        print(json.dumps(record), flush=True)

    write(kind="header", device=shim.shim_device().decode(), uuid=shim.shim_uuid().decode(), pci=shim.shim_pci().decode(),
          torch=torch.__version__, batch=args.batch, length=args.length, dtype=args.dtype, attention=args.attention)

    def both(measure_one):
        for name in args.models.split(","):
            config = ROOT / "data/models" / f"{name}.json"
            facts = {"framework": {}, "executor": {}}
            started_s = time.monotonic()
            launch, _ = framework_launch(config, args, device, facts["framework"])
            launches = {"framework": launch, "executor": executor_launch(shim, config, args, facts["executor"])}
            try:
                measure_one(name, launches, facts, time.monotonic() - started_s)
            finally:
                for launch in launches.values():
                    launch.close()
                device.release()

    def time_only(name, launches, facts, prepare_s):
        for by, launch in launches.items():
            start_s = time.monotonic()
            launch.start()
            write(kind="time", model=name, by=by, seconds=(time.monotonic() - start_s) / launch.iterations,
                  prepare_s=prepare_s, **facts[by])

    if args.dry:
        both(time_only)
        return 0

    from wattree.kernels import profile_kernels
    from wattree.measure import measure
    from wattree.nvml import Gpu
    from wattree.sampler import Sampler

    failures = 0
    with Sampler(Gpu()) as sampler:
        def measure_both(name, launches, facts, prepare_s):
            nonlocal failures
            found = {by: [] for by in launches}
            for _ in range(args.rounds):
                for by, launch in launches.items():
                    result = measure(launch, device, sampler)
                    window = result.window
                    found[by].append((window.joules_per_iteration, window.seconds_per_iteration))
                    write(kind="window", model=name, by=by, execution=launch.execution, energy_j=window.joules_per_iteration,
                          time_s=window.seconds_per_iteration, power_w=window.power_w, is_capped=result.is_capped,
                          is_settled=result.is_settled, prepare_s=prepare_s, **facts[by])
            mean = {by: [sum(column) / len(column) for column in zip(*pairs)] for by, pairs in found.items()}
            energy, seconds = (mean["executor"][i] / mean["framework"][i] - 1 for i in (0, 1))
            failures += abs(energy) > 0.05 or abs(seconds) > 0.05
            write(kind="comparison", model=name, energy_off=energy, time_off=seconds)

        both(measure_both)

    def compare_kernels(name, launches, facts, prepare_s):
        seen = {by: profile_kernels(launch.start) for by, launch in launches.items()}
        per_pass = {by: {kernel: count / launches[by].iterations for kernel, count in kernels.counts.items()}
                    for by, kernels in seen.items()}
        names = per_pass["framework"].keys() | per_pass["executor"].keys()
        other = {kernel[:160]: round(per_pass["executor"].get(kernel, 0) - per_pass["framework"].get(kernel, 0), 3)
                 for kernel in sorted(names)
                 if abs(per_pass["executor"].get(kernel, 0) - per_pass["framework"].get(kernel, 0)) > 1e-9}
        write(kind="kernels", model=name, framework=sum(per_pass["framework"].values()),
              executor=sum(per_pass["executor"].values()), other=other,
              seconds={by: kernels.seconds / launches[by].iterations for by, kernels in seen.items()})

    both(compare_kernels)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
