#!/usr/bin/env python3
"""Measure the dataset of data/h200, that of data/h200-kinds or the settings of a plan on this machine's GPU.

Whole models come first, then modules, ops and decode steps, of every model in turn. Every measurement is written at once to
FOLDER/windows-SESSION.jsonl, and what the folders after --resume already have is skipped. Stops by itself before the budget
ends. The work is done by another process: where that one loses the GPU, what it was at is noted as failed and the next goes on.

Usage: measure_dataset.py --budget-s 560 --out FOLDER [--resume FOLDER …]
       measure_dataset.py --classes experts,heads=40,… --out FOLDER   the kinds of wattree/kinds.py, edges.py and tiles.py, 40 heads at most
       measure_dataset.py --plan FILE --out FOLDER   the passes that a file lists, such as data/h200-kinds-check/plan.jsonl
       measure_dataset.py --smoke --out FOLDER   one of everything, and how counter, clocks and profiler behave: a minute
       measure_dataset.py --dry --out FOLDER     on the CPU, with shrunken models and made-up joules, to try the way through
"""

import argparse
import dataclasses
import itertools
import os
import pathlib
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

# Seconds kept back at the end for the last anchor and the check of the kernels.
RESERVE_S = 14
CLASSES = ("models", "modules", "ops", "decodes", "eager", "repeats", "in_place", "grid", "warm", "values", "halves")
CACHES = {"ops": "cold", "in_place": "in_place", "grid": "in_place", "warm": "warm"}
RESTARTS = 5
START_S = 25  # Less than this is not worth another process.
EXIT_LOST = 75
# Those of wattree/kinds.py, which needs PyTorch.
KINDS = ("experts", "expert_steps", "heads", "steps", "fronts", "small", "small_tf32", "lengths", "eager_passes", "grouped", "gathered",
         "head_products", "products", "skewed", "odd_batched", "single", "single_tf32", "convolutions", "attention", "step_attention",
         "losses", "expert_parts", "front_parts", "expert_ops", "launches")
EDGES = ("tiny", "long_passes", "windowed", "few_sequences", "launched", "few_rows", "long_attention")  # Those of wattree/edges.py.
TILES = ("slim", "by_kernel", "by_heads")  # Those of wattree/tiles.py.
DRY_SHRINK = {"num_hidden_layers": 1, "n_layer": 1, "n_layers": 1, "num_layers": 1, "num_decoder_layers": 1,
              "encoder_layers": 1, "decoder_layers": 1, "vocab_size": 1200, "num_local_experts": 8, "num_experts": 8,
              "intermediate_size": 256, "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64, "max_source_positions": 50,
              "pad_token_id": 0}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--resume", type=pathlib.Path, action="append", default=[], help="a folder of an earlier run")
    parser.add_argument("--budget-s", type=float, default=560)
    parser.add_argument("--classes", default=",".join(CLASSES), help="which, in this order; models=60 means 60 at most")
    parser.add_argument("--plan", type=pathlib.Path, help="passes to measure instead, one as JSON a line")
    parser.add_argument("--seed", type=int, default=1, help="of the random order")
    parser.add_argument("--retry-failures", action="store_true", help="try again what failed in the folders after --resume")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--only", default="", help="models whose name has this in it")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def size_of(item, args):
    """The item, or for trying things out a small one like it."""
    if not args.dry:
        return item
    return dataclasses.replace(item, batch=1, length=min(item.length, 8), past=min(item.past, 4))


def run_classes(collector, args):
    """Each class of the list as far as its number goes; of a class named again, what is left of it."""
    from wattree import plan
    from wattree.device import first_line

    def chosen(items):
        return list(dict.fromkeys(size_of(item, args) for item in items if args.only in item.model))

    def measure_passes(items, at_most):
        collector.run([collector.model_job(item) for item in chosen(items)], at_most)

    def measure_modules(at_most):
        measure_parts(plan.details(), at_most, collector.module_jobs)

    def measure_ops(cache, at_most, only_grid=False):
        from wattree.grid import grid_ops
        from wattree.nodes import node_of_op

        records = {node.key: node.record() for node in map(node_of_op, [] if args.dry else grid_ops(collector.device.name))}
        if not only_grid:
            records |= {key: record for key, record in collector.earlier.nodes.items() if record["of"] == "op"}
        first = {key for item in plan.WHOLE_TREES for key in ops_of(item)}
        ordered = plan.ops_in_order(list(records.values()), first, args.seed)
        collector.run([collector.op_job(record, cache) for record in ordered], at_most)

    def measure_kind(name, at_most):
        from wattree import edges, kinds, tiles
        from wattree.nodes import node_of_op

        collector.plan = name
        passes_of = kinds.PASS_KINDS | edges.PASS_EDGES | tiles.PASS_TILES
        calls_of = kinds.OP_KINDS | edges.OP_EDGES | tiles.OP_TILES
        if name in passes_of:
            measure_passes(passes_of[name](), at_most)
        elif name in calls_of:
            found = kinds.ops_of(kinds.in_random_order(name, calls_of[name](collector.device.name)))
            jobs = (collector.op_job(node_of_op(op).record(), call.cache, dtype=call.dtype) for op, call in found)
            collector.run(list(itertools.islice((job for job in jobs if job.key not in collector.earlier.done), at_most)))
        elif name == "expert_ops":
            measure_parts(kinds.EXPERT_OPS, at_most, lambda item: collector.op_jobs_of(item, kinds.is_of_experts, "in_place"))
        elif name in kinds.PART_KINDS:
            items, wants = kinds.PART_KINDS[name]
            measure_parts(items, at_most, lambda item: collector.module_jobs(item, wants))
        collector.plan = None

    def measure_parts(items, at_most, jobs_of):
        left = at_most
        for item in chosen(items):
            if left is not None and left <= 0:
                return
            left = measure_parts_of(item, jobs_of, left)

    def measure_parts_of(item, jobs_of, left):
        try:
            jobs = jobs_of(item)
        except Exception as error:
            collector.fail(f"{item.name}/parts", first_line(error))
            collector.device.check()
            return left
        count = collector.run(jobs, left)
        return None if left is None else left - count

    def ops_of(item):
        tree = collector.earlier.trees.get(item.name, {"nodes": []})
        return [key for key, _, _ in tree["nodes"] if collector.earlier.nodes[key]["of"] == "op"]

    passes = {"models": plan.models, "eager": plan.eager_runs, "decodes": plan.decodes, "halves": plan.halves,
              "unseen": plan.unseen}
    for entry in args.classes.split(","):
        name, _, number = entry.partition("=")
        at_most = int(number) if number else None
        start_s, windows = time.monotonic(), collector.windows
        if name in passes:
            measure_passes(plan.in_rounds(passes[name](), args.seed), at_most)
        elif name == "repeats":
            # Once more what was measured some time ago.
            items = [item for item in plan.repeats() if dataclasses.replace(item, repeat=0).name in collector.earlier.done]
            measure_passes(items, at_most)
        elif name == "modules":
            measure_modules(at_most)
        elif name in CACHES:
            measure_ops(CACHES[name], at_most, only_grid=name == "grid")
        elif name == "values":
            # Three matrix products of different sizes.
            products = sorted((collector.earlier.nodes[key] for item in plan.WHOLE_TREES[:3] for key in ops_of(item)
                               if collector.earlier.nodes[key]["op"]["name"] in ("mm", "addmm")), key=lambda r: r["flops"])
            chosen_products = {r["node"]: r for r in (products[len(products) // 3], products[2 * len(products) // 3], products[-1])}.values()
            collector.run([collector.op_job(record, values=values) for record in chosen_products
                           for values in ("init", "zeros", "sparse")], at_most)
        elif name in (*KINDS, *EDGES, *TILES):
            measure_kind(name, at_most)
        else:
            raise SystemExit(f"--classes: {name} is none of {', '.join((*CLASSES, 'unseen', *KINDS, *EDGES, *TILES))}")
        collector.say(f"{entry}: {collector.windows - windows} windows in {time.monotonic() - start_s:.0f} s")


def run_plan(collector, args):
    """The passes of a file, in its order."""
    from wattree import plan

    jobs = []
    for kind, item in plan.read_plan(args.plan):
        job = collector.model_job(size_of(item, args))

        def run(kind=kind, run=job.run):
            collector.plan = kind
            run()

        jobs.append(dataclasses.replace(job, run=run))
    collector.run(jobs)


def time_launches(collector, args, at_most):
    """How long the host takes to launch passes, their modules and their ops. Nothing else may run meanwhile, so this comes before
    the counter is read."""
    from wattree import kinds
    from wattree.collect import Job

    for item in kinds.LAUNCHED[:at_most]:
        item = size_of(item, args)
        key = f"{item.name}/launches"
        if key not in collector.earlier.done:
            collector.attempt(Job(key, lambda item=item: collector.time_launches(item)))


def smoke(collector, writer, args):
    """One of everything, and what there is to know about the counter before a long run."""
    from wattree import plan
    from wattree.collect import Job
    from wattree.nodes import distinct_nodes

    def step(name, work):
        start_s = time.monotonic()
        collector.attempt(Job(name, work))
        collector.say(f"        {name}: {time.monotonic() - start_s:.2f} s in all")

    def take_apart(item, modules):
        jobs = collector.module_jobs(item)
        for job in jobs[:: max(1, len(jobs) // modules)][:modules]:
            step("module", job.run)
        nodes = distinct_nodes(collector.pass_of(item).prepare())
        ops = sorted((node for node in nodes if node.kind == "op"), key=lambda node: -node.flops)
        for node in ops[:1] + ops[-2:]:
            step(node.type, collector.op_job(node.record()).run)
        step("warm", collector.op_job(ops[-1].record(), "warm").run)

    anchor, llama = size_of(plan.ANCHOR, args), size_of(plan.Item("llama-3.2-1b"), args)
    items = [size_of(item, args) for item in plan.smoke()]
    writer.write("latency", when="idle", **latencies(collector.sampler.meter))
    collector.begin()
    step("study", lambda: study(collector, "anchor", anchor, 4.0))
    for item in items:
        step(item.name, collector.model_job(item).run)
    step("study", lambda: study(collector, "capped", llama, 6.0))
    step("modules and ops", lambda: take_apart(anchor, 2))
    step("modules and ops", lambda: take_apart(llama, 2))
    if collector.device.name == "cuda":
        step("kernels", lambda: check_kernels(collector, writer, [anchor, *items[:15]]))
        collector.anchor()  # Does the profiler, once used, slow what follows?


def latencies(meter):
    """How long the questions take, in seconds: the mean and the longest of fifty."""
    found = {}
    for name, ask in (("energy", meter.energy_j), ("power", getattr(meter, "power_w", None)), ("state", meter.state),
                      ("processes", meter.other_processes)):
        if ask is None:
            continue
        times = []
        for _ in range(50):
            start_s = time.perf_counter()
            ask()
            times.append(time.perf_counter() - start_s)
        found[f"{name}_mean_s"], found[f"{name}_max_s"] = sum(times) / len(times), max(times)
    return found


def study(collector, name, item, seconds):
    """A long load with every tick written down, to see how long settling and windows must be."""
    from wattree.measure import Settings, measure
    from wattree.workload import Workload, prepare_launch

    passed = collector.pass_of(item)
    passed.prepare()
    launch, why = prepare_launch(Workload(lambda i: passed.run(), 1, 0), collector.device)
    time.sleep(0.5)
    powers, stop = [], []

    def poll_power():
        last = None
        while not stop:
            asked_s = time.monotonic()
            power_w = collector.sampler.meter.power_w()
            if power_w != last:
                powers.append((asked_s, time.monotonic(), power_w))
                last = power_w
            time.sleep(0.001)

    import threading
    thread = threading.Thread(target=poll_power) if hasattr(collector.sampler.meter, "power_w") else None
    if thread:
        thread.start()
    start_s, readings = time.monotonic(), collector.sampler.readings
    result = measure(launch, collector.device, collector.sampler, Settings(
        settle_s=0.0, window_s=seconds, capped_settle_s=0.0, capped_window_s=seconds, limit_s=seconds + 1, drift=1.0,
        relative_error=1.0))
    stop.append(True)
    if thread:
        thread.join()
    ticks = [(tick.after_s - start_s, tick.before_s - start_s, tick.energy_j) for tick in collector.sampler.ticks
             if tick.after_s >= start_s]
    samples = [(sample.time_s - start_s, sample.gpu.power_w, sample.gpu.sm_clock_mhz, sample.gpu.temperature_c,
                sample.gpu.throttle_reasons, sample.gpu.gpu_percent) for sample in collector.sampler.samples
               if sample.time_s >= start_s]
    collector.writer.write(
        "study", name=name, item=item.name, energy_j=result.window.joules_per_iteration,
        time_s=result.window.seconds_per_iteration, power_w=result.window.power_w, is_capped=result.is_capped,
        readings_per_s=(collector.sampler.readings - readings) / result.load_s, ticks=ticks, samples=samples,
        powers=[(a - start_s, b - start_s, w) for a, b, w in powers], why_eager=why)
    gaps = [b[1] - a[1] for a, b in zip(ticks, ticks[1:])]
    collector.say(f"study {name}: {len(ticks)} ticks, {min(gaps):.3f} to {max(gaps):.3f} s apart, "
                  f"{(collector.sampler.readings - readings) / result.load_s:.0f} readings/s, "
                  f"{len(powers)} power steps, {result.window.power_w:.0f} W")
    launch.close()


def check_kernels(collector, writer, items):
    """Whether captured passes run the kernels that plain ones run, by name, number and time."""
    from wattree.kernels import differences, profile_kernels

    for item in items:
        if time.monotonic() > collector.deadline_s + RESERVE_S - 4:
            return
        passed = collector.pass_of(item)
        plain_trace = passed.prepare()
        launch, why, agrees = collector.launch_of(dataclasses.replace(item, execution="graph"), passed, plain_trace)
        if launch.execution != "graph":
            continue
        launch.close()
        single = collector.device.capture(lambda i: passed.run(), 1)
        start_s = time.monotonic()
        plain, captured = profile_kernels(passed.run_as_is), profile_kernels(single.start)
        prepared = profile_kernels(passed.run)
        single.close()
        more = differences(prepared, captured)
        writer.write("kernels", session=collector.session, key=item.name, kernels=sum(captured.counts.values()),
                     plain_kernels=sum(plain.counts.values()), captured_s=captured.seconds, plain_s=plain.seconds,
                     prepared_s=prepared.seconds, differences=more, took_s=time.monotonic() - start_s)
        collector.say(f"kernels {item.name}: {sum(plain.counts.values())} plain {1e3 * plain.seconds:.3f} ms, "
                      f"{sum(captured.counts.values())} captured {1e3 * captured.seconds:.3f} ms, "
                      f"differences {more or 'none'} ({time.monotonic() - start_s:.2f} s)")


def supervise(arguments, args):
    """Runs workers one after the other until one ends well, the budget is spent, or too many were lost."""
    begin_s = time.monotonic()
    code = 0
    for attempt in range(RESTARTS + 1):
        left_s = args.budget_s - (time.monotonic() - begin_s)
        if attempt and left_s < START_S + RESERVE_S:
            break
        # Options given twice: the last one counts.
        command = [sys.executable, __file__, *arguments, "--worker", "--budget-s", f"{left_s:.1f}"]
        if attempt:
            command += ["--resume", str(args.out)]
        code = subprocess.run(command).returncode
        note_lost_job(args.out, code)
        if code in (0, 2, 4):
            break
        print(f"the worker ended with {code}; {RESTARTS - attempt} more may be started", flush=True)
    return code


def note_lost_job(out, code):
    """A failure record for what a dead worker was measuring, so that the next one leaves it alone."""
    from wattree.records import RUNNING, RecordWriter

    running = out / RUNNING
    if not running.exists():
        return
    writer = RecordWriter(out / "windows-lost.jsonl")
    writer.write("failure", key=running.read_text(encoding="utf-8"), why=f"the process ended with {code} while this ran")
    writer.mark_running(None)
    writer.close()


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    args = parse_arguments(arguments)
    return work(args) if args.worker else supervise(arguments, args)


def work(args):
    begin_s = time.monotonic()
    warnings.filterwarnings("ignore")
    sys.setswitchinterval(0.0005)  # The thread that reads the counter must not wait long for its turn.
    import torch
    import transformers

    from wattree import plan
    from wattree.collect import BudgetSpent, Collector
    from wattree.device import CpuDevice, CudaDevice, DeviceLost
    from wattree.fake import FakeGpu
    from wattree.measure import Settings
    from wattree.nvml import Gpu
    from wattree.records import RecordWriter, read_earlier
    from wattree.sampler import Sampler

    trial = {}
    transformers.logging.set_verbosity_error()
    if args.dry:
        device, meter = CpuDevice(), FakeGpu(tick_s=0.02)
        loose = Settings(settle_s=0.1, window_s=0.3, limit_s=1.0, iterations=1, relative_error=1.0, drift=100.0)
        trial = {"shrink": DRY_SHRINK, "anchor": plan.Item("bert-tiny", batch=1, length=8), "anchor_tolerance": 100.0,
                 "settings": loose}
    else:
        if not torch.cuda.is_available():
            print("error: PyTorch sees no CUDA device here; --dry tries things out without one", file=sys.stderr)
            return 4
        device = CudaDevice()
        meter = Gpu(device.uuid)
    print(f"started in {time.monotonic() - begin_s:.1f} s", flush=True)
    writer = RecordWriter(args.out / f"windows-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}.jsonl")
    sampler = Sampler(meter)
    collector = Collector(
        device=device, sampler=sampler, writer=writer, earlier=read_earlier(args.resume, args.retry_failures),
        configs=ROOT / "data/models", budget_s=args.budget_s - RESERVE_S - (time.monotonic() - begin_s),
        say=lambda text: print(text, flush=True), **trial)
    try:
        for entry in args.classes.split(","):
            name, _, number = entry.partition("=")
            if name == "launches" and not args.plan:
                time_launches(collector, args, int(number) if number else None)
        with sampler:
            try:
                if args.smoke:
                    smoke(collector, writer, args)
                else:
                    collector.begin()
                    run_plan(collector, args) if args.plan else run_classes(collector, args)
            except BudgetSpent:
                print("the budget is spent", flush=True)
            except KeyboardInterrupt:
                print("interrupted; what was measured is kept", flush=True)
            collector.end()
    except DeviceLost as error:
        print(f"stopped: {error}", flush=True)
        # Nothing that ends in order may touch the GPU any more.
        sys.stdout.flush()
        os._exit(EXIT_LOST)
    writer.close()
    print(f"{collector.windows} windows in {time.monotonic() - begin_s:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
