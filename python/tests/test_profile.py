"""wattree.profile from end to end: known power gives known joules, nothing is measured twice, nothing is lost."""

import dataclasses
import io
import json
import os
import signal
import statistics
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

import wattree  # noqa: E402
import wattree.kernels  # noqa: E402
from small_models import MODELS  # noqa: E402
from wattree.device import CaptureError, CpuDevice, DeviceLost, Launch  # noqa: E402
from wattree.fake import FakeGpu  # noqa: E402
from wattree.kernels import Kernels  # noqa: E402
from wattree.measure import Settings  # noqa: E402
from wattree.profiler import ProfileError, Profiler  # noqa: E402

POWER_W = 250.0
QUICK = Settings(idle_s=0.02, settle_s=0.004, window_s=0.02, capped_settle_s=0.004, capped_window_s=0.02, iterations=2,
                 relative_error=0.2, drift=1.0, limit_s=2.0)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.act, self.down = (
            torch.nn.LayerNorm(16), torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16))

    def forward(self, x, *, scale):
        return x + self.down(self.act(self.up(self.norm(x)))) * scale


class Model(torch.nn.Module):
    def __init__(self, looks=False):
        super().__init__()
        self.embed, self.looks = torch.nn.Embedding(50, 16), looks
        self.layers = torch.nn.ModuleList(Block() for _ in range(3))

    def forward(self, ids, scale=0.5):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, scale=scale)
        if self.looks and x.sum() > 1e9:
            x = x + 1
        return torch.softmax(x @ x.transpose(1, 2), dim=-1)


class GraphCpu(CpuDevice):
    """A processor that pretends to have graphs, to try the deciding out: a captured run is run again."""

    has_graphs = True

    def __init__(self, fails=None):
        super().__init__(cache_bytes=4096)
        self.captures, self._is_capturing, self._fails = 0, False, fails

    def is_capturing(self):
        return self._is_capturing

    def capture(self, run, copies):
        self.captures += 1
        if self._fails:
            raise CaptureError(self._fails)
        self._is_capturing = True
        try:
            run(0)
        finally:
            self._is_capturing = False
        return Launch(lambda: [run(i) for i in range(copies)], copies, "graph", holds=run)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def ids():
    return torch.randint(0, 50, (2, 6))


@pytest.fixture
def profiler(tmp_path, library):
    def make(**how):
        defaults = {"meter": FakeGpu(lambda time_s: POWER_W, tick_s=0.002), "cache": tmp_path / "cache", "settings": QUICK,
                    "device": CpuDevice(cache_bytes=4096)}
        return Profiler(**(defaults | how))

    return make


@pytest.fixture(scope="module")
def profiled():
    """One profile for the tests that only look at it. Longer windows than elsewhere: a busy machine reads the counter late."""
    from conftest import built

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WATTREE_LIBRARY", built("lib/libwattree.so"))
        settings = dataclasses.replace(QUICK, idle_s=0.1, window_s=0.1)
        meter = FakeGpu(lambda time_s: POWER_W, tick_s=0.002)
        torch.manual_seed(0)
        torch.set_num_threads(1)
        profiler = Profiler(meter=meter, cache=None, settings=settings, device=CpuDevice(cache_bytes=4096))
        return profiler.profile(Model().eval(), torch.randint(0, 50, (2, 6)), scale=0.1)


def measured(tree):
    return [node for node in tree.walk() if node.key is not None]


# Numbers.


def test_known_power_gives_known_joules(profiled):
    assert profiled.is_complete and profiled.counts.missing == 0
    # Power is the same whatever runs, so energy is power times time, for every node.
    powers = {node.key: node.energy_j / node.time_s for node in measured(profiled.tree)}
    assert statistics.median(powers.values()) == pytest.approx(POWER_W, rel=0.03)
    assert list(powers.values()) == pytest.approx(len(powers) * [POWER_W], rel=0.3)
    for node in measured(profiled.tree):
        assert node.idle_j == pytest.approx(POWER_W * node.time_s, rel=0.3)
    assert profiled.energy_j == profiled.tree.energy_j > 0


def test_children_and_own_make_the_node(profiled):
    for node in measured(profiled.tree):
        total = node.own_energy_j + sum(child.energy_j for child in node.children)
        assert total == pytest.approx(node.energy_j, rel=1e-9), node.scope
    act = profiled.tree.find("layers.0.act")
    # One kernel: module and op are one measurement.
    assert act.own_energy_j == 0 and act.children[0].energy_j == act.energy_j


def test_overlap_is_shown_as_such(profiled, monkeypatch):
    monkeypatch.setattr(profiled.tree.find("layers.0"), "own_energy_j", -0.001)
    assert "-3.00 mJ overlap" in str(profiled)  # Three equal layers are one row.


def test_each_distinct_node_is_measured_once(profiler, ids):
    model = Model().eval()
    profile = profiler().profile(model, ids)
    # Root, layer, and the ops: embedding, norm, two Linears, gelu, mul, add, two clones or none, matmul, softmax.
    keys = {node.key for node in measured(profile.tree)}
    assert profile.counts.measured == len(keys) and profile.counts.cached == 0
    assert profile.counts.measured + profile.counts.reused == profile.counts.nodes
    assert len({node.energy_j for node in profile.tree.walk() if node.scope.endswith(".up")}) == 1
    again = profiler().profile(model, ids)
    assert (again.counts.measured, again.counts.cached) == (0, len(keys))
    assert again.energy_j == pytest.approx(profile.energy_j, rel=1e-6)
    assert f"{len(keys)} from the cache" in str(again)
    # Another size is another node; so is another protocol.
    assert profiler().profile(model, ids[:1]).counts.measured > 5
    other = Settings(**{**vars(QUICK), "settle_s": 0.005})
    assert profiler(settings=other).profile(model, ids).counts.measured == len(keys)


def test_without_a_meter_there_is_time_and_a_reason(profiler, ids):
    profile = profiler(meter=None).profile(Model().eval(), ids)
    for node in measured(profile.tree):
        assert node.energy_j is None and node.time_s > 0 and "no energy" in node.problem
    assert "no meter was given" in str(profile) and "time only eager" in str(profile)
    fields = json.loads(profile.to_json())
    assert fields["energy_j"] is None and fields["tree"]["energy_j"] is None and "basis" not in fields["tree"]
    assert 0 <= fields["tree"]["features"]["ram_percent"] <= 100


# Graph or eager.


def test_a_graph_is_replayed_where_it_can_be_captured(profiler, ids, monkeypatch):
    compared = []

    def same(runs, separate):
        compared.append(len(runs))
        return [Kernels({"gemm": 1}, 1e-6) for _ in runs]

    monkeypatch.setattr(wattree.kernels, "profile_each", same)
    profile = profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert {node.execution for node in measured(profile.tree)} == {"graph"}
    assert compared == [2 * profile.counts.measured]
    assert all(node.record["kernels_agree"] for node in measured(profile.tree))
    # What was compared is not compared again.
    profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert len(compared) == 1


def test_an_interrupted_check_is_made_up_for(profiler, ids, monkeypatch):
    def interrupted(runs, separate):
        raise KeyboardInterrupt

    monkeypatch.setattr(wattree.kernels, "profile_each", interrupted)
    profile = profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert not profile.is_complete and profile.counts.missing == 0
    monkeypatch.setattr(wattree.kernels, "profile_each", lambda runs, separate: [Kernels({}, 0.0) for _ in runs])
    again = profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert again.is_complete and again.counts.measured == 0
    assert all(node.record["kernels_agree"] for node in measured(again.tree))


def test_kernels_that_cannot_be_compared_are_told_once(profiler, ids):
    # No GPU, and so no profiler for one.
    profile = profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert any("were not compared" in note for note in profile.notes)
    assert all(node.record["why_not_compared"] for node in measured(profile.tree))
    assert profiler(device=GraphCpu()).profile(Model().eval(), ids).notes == []


def test_a_model_that_looks_at_values_is_not_captured(profiler, ids):
    profile = profiler(device=GraphCpu()).profile(Model(looks=True).eval(), ids)
    assert profile.tree.execution == "eager" and "looks at values" in profile.tree.why_eager
    assert profile.tree.find("layers.0").execution == "graph"
    assert "looks at values" in str(profile)


def test_what_cannot_be_captured_runs_eagerly_and_says_why(profiler, ids):
    profile = profiler(device=GraphCpu(fails="no graphs today")).profile(Model().eval(), ids)
    assert {(node.execution, node.why_eager) for node in measured(profile.tree)} == {("eager", "no graphs today")}


def test_a_path_that_differs_while_capturing_is_noticed(profiler, ids):
    device = GraphCpu()

    class Sly(Model):
        def forward(self, ids):
            x = super().forward(ids)
            return x * 2 if device.is_capturing() else x

    profile = profiler(device=device).profile(Sly().eval(), ids)
    assert profile.tree.execution == "eager" and "other ops" in profile.tree.why_eager


def test_graphs_that_run_other_kernels_are_measured_eagerly(profiler, ids, monkeypatch):
    def other(runs, separate):
        return [Kernels({"gemm": 1} if i % 2 == 0 else {"gemm": 1, "copy": 2}, 1e-6) for i in range(len(runs))]

    monkeypatch.setattr(wattree.kernels, "profile_each", other)
    profile = profiler(device=GraphCpu()).profile(Model().eval(), ids)
    assert {node.execution for node in measured(profile.tree)} == {"eager"}
    assert "+2 copy" in profile.tree.why_eager


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_frameworks_masks_do_not_hinder_a_graph(profiler, attention):
    transformers = pytest.importorskip("transformers", reason="Transformers is not installed here")
    config = dict(MODELS["gpt2"][1], n_layer=1)
    made = transformers.CONFIG_MAPPING[config.pop("model_type")].from_dict(config)
    model = transformers.GPT2Model._from_config(made, attn_implementation=attention, dtype=torch.float32).eval()
    profile = profiler(device=GraphCpu()).profile(model, input_ids=torch.randint(5, 60, (2, 8)))
    assert profile.tree.execution == "graph", profile.tree.why_eager
    # Seven look for packed sequences, nine make the mask itself.
    assert profile.tree.record["left_out"] == f"{7 if attention == 'sdpa' else 16} ops that build attention masks"


# Going wrong, and going on.


@pytest.fixture
def ctrl_c():
    """Ctrl-C as in a terminal: where the tests were started in the background, Python leaves it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupt_keeps_what_is_there(profiler, ids, monkeypatch):
    calls = []
    original = wattree.session.Session.measure_op

    def interrupted(self, op, integers=None, execution=None):
        calls.append(op.name)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return original(self, op, integers, execution)

    monkeypatch.setattr(wattree.session.Session, "measure_op", interrupted)
    model = Model().eval()
    profile = profiler().profile(model, ids)
    # The whole, the layer, and two ops.
    assert profile.counts.measured == 4 and not profile.is_complete
    assert profile.energy_j > 0 and profile.counts.missing > 0
    assert "interrupted" in str(profile) and "not been measured yet" in str(profile)
    assert profile.tree.own_energy_j is None  # Some of its parts are not known.
    monkeypatch.undo()
    rest = profiler().profile(model, ids)
    assert rest.counts.cached == 4 and rest.counts.missing == 0 and rest.is_complete


def test_a_budget_ends_it_in_time(profiler, ids):
    profile = profiler(budget_s=0.0).profile(Model().eval(), ids)
    assert not profile.is_complete and profile.counts.measured == 0
    assert "time for measuring is over" in str(profile)


@pytest.mark.parametrize("error, reason", [
    (RuntimeError("bad op\nand a page more"), "RuntimeError: bad op"),
    (MemoryError("no room"), "smaller batch"),
])
def test_one_node_that_fails_costs_only_itself(profiler, ids, monkeypatch, error, reason):
    original = wattree.session.Session.measure_op

    def failing(self, op, integers=None, execution=None):
        if op.name == "gelu":
            raise error
        return original(self, op, integers, execution)

    monkeypatch.setattr(wattree.session.Session, "measure_op", failing)
    profile = profiler().profile(Model().eval(), ids)
    act = profile.tree.find("layers.0.act")
    assert act.energy_j is None and reason in act.problem
    assert profile.tree.find("layers.0.up").energy_j > 0
    assert profile.tree.find("layers.0").own_energy_j is None
    assert any("layers.0.act" in note and reason in note for note in profile.notes)


def test_a_lost_device_is_not_met_twice(profiler, ids, monkeypatch):
    original = wattree.session.Session.measure_op

    def losing(self, op, integers=None, execution=None):
        if op.name == "gelu":
            raise DeviceLost("the GPU takes no more work from this process")
        return original(self, op, integers, execution)

    monkeypatch.setattr(wattree.session.Session, "measure_op", losing)
    profile = profiler().profile(Model().eval(), ids)
    assert not profile.is_complete and "start the program again" in str(profile)
    again = profiler().profile(Model().eval(), ids)
    assert again.is_complete and "unusable" in again.tree.find("layers.0.act").problem


def test_a_meter_that_dies_ends_measuring(profiler, ids):
    class Dying(FakeGpu):
        readings = 0

        def energy_j(self):
            self.readings += 1
            if self.readings > 300:
                raise RuntimeError("fell off the bus")
            return super().energy_j()

    profile = profiler(meter=Dying(lambda time_s: POWER_W, tick_s=0.002)).profile(Model().eval(), ids)
    assert not profile.is_complete and "fell off the bus" in str(profile)


def test_a_cache_that_cannot_be_written_is_no_hindrance(profiler, ids, tmp_path):
    (tmp_path / "file").write_text("")
    profile = profiler(cache=tmp_path / "file" / "cache").profile(Model().eval(), ids)
    assert profile.counts.missing == 0 and any("not kept" in note for note in profile.notes)


def test_a_torn_line_in_the_cache_is_passed_over(profiler, ids, tmp_path):
    model = Model().eval()
    first = profiler().profile(model, ids)
    path, = (tmp_path / "cache").glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    again = profiler().profile(model, ids)
    assert (again.counts.measured, again.counts.cached) == (1, first.counts.measured - 1)
    assert profiler().profile(model, ids).counts.cached == first.counts.measured


@pytest.mark.parametrize("inputs, keywords, message", [
    ((), {}, r"needs inputs, which Wattree cannot guess \(ids\)"),
    ((torch.zeros(2, 6),), {}, "does not run with these inputs: "),
])
def test_inputs_that_do_not_fit_are_explained(profiler, inputs, keywords, message):
    with pytest.raises(ProfileError, match=message):
        profiler().profile(Model().eval(), *inputs, **keywords)


def test_what_is_no_model_is_explained(profiler):
    with pytest.raises(ProfileError, match="takes a torch.nn.Module"):
        profiler().profile(lambda x: x, torch.zeros(1))
    with pytest.raises(ProfileError, match="meta device"):
        profiler().profile(torch.nn.Linear(2, 2, device="meta"), torch.zeros(1, 2))
    with pytest.raises(ProfileError, match="choose"):
        Profiler(execution="fast")


def test_others_on_the_processors_are_told(profiler, ids, monkeypatch):
    import wattree.session
    from wattree.proc import CpuTime, Others

    # Of 100 ticks on all processors 70 were busy, 30 of them ours.
    ticks, own_s = iter([CpuTime(100, 1000), CpuTime(170, 1100)]), iter([1.0, 1.0 + 30 / os.sysconf("SC_CLK_TCK")])
    assert Others(lambda: next(ticks), lambda: next(own_s)).percent() == pytest.approx(40)
    ticks = iter([CpuTime(100, 1000), CpuTime(101, 1003)])
    assert Others(lambda: next(ticks)).percent() is None

    class Busy:
        def percent(self):
            return 40.0

    monkeypatch.setattr(wattree.session, "Others", Busy)
    assert any("other processes use 40 % of the processors" in note for note in profiler(meter=None).profile(Model().eval(), ids).notes)


def test_torchscript_is_the_programs(profiler, ids):
    with pytest.raises(ProfileError, match="wattree profile model.pt"):
        profiler().profile(torch.jit.script(torch.nn.Linear(3, 3)), torch.ones(2, 3))

    class Mixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.then = torch.nn.Linear(3, 3), torch.jit.script(torch.nn.Sequential(torch.nn.Linear(3, 5)))

        def forward(self, x):
            return self.then(self.first(x))

    tree = profiler().profile(Mixed().eval(), torch.ones(2, 3)).tree
    assert "TorchScript" in tree.find("then").problem
    # Its product is the caller's.
    assert [node.scope for node in tree.children if node.type == "Linear"] == ["first", ":addmm"]


def test_a_part_that_is_compiled_is_told(profiler):
    model = torch.nn.Sequential(torch.nn.Linear(3, 3))
    model[0]._compiled_call_impl = lambda x: x
    with pytest.raises(ProfileError, match="compiled"):
        profiler().profile(model, torch.ones(2, 3))


def test_an_op_of_another_library_is_run_by_its_module(profiler):
    """Its name is one of PyTorch's, and it is not PyTorch's."""
    library = torch.library.Library("wattree_test", "DEF")
    library.define("mul(Tensor x) -> Tensor")
    library.impl("mul", lambda x: torch.from_numpy(x.numpy() * 3), "CPU")

    class Scale(torch.nn.Module):
        def forward(self, x):
            return torch.ops.wattree_test.mul(x)

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = Scale()

        def forward(self, x):
            return torch.ops.wattree_test.mul(self.scale(x) + 1.0)

    pytest.importorskip("numpy")
    result = profiler().profile(Outer().eval(), torch.ones(4, 4))
    assert result.tree.find("scale").energy_j > 0
    assert "wattree_test_mul" in {node.type for node in result.tree.walk()}
    assert result.dtype == "fp32"


def test_a_sparse_argument_is_not_taken_for_a_dense_one(profiler):
    class Product(torch.nn.Module):
        def forward(self, left, right):
            return torch.sparse.mm(left, right)

    result = profiler().profile(Product().eval(), torch.eye(4).to_sparse(), torch.ones(4, 2))
    problems = [node.problem for node in result.tree.walk() if node.problem]
    assert len(problems) == 1 and "sparse_coo f32[4,4]" in problems[0]
    assert result.energy_j > 0


def test_the_model_stays_as_it_was(profiler):
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5)).train()
    x = torch.randn(8, 4)
    before, state = {name: value.clone() for name, value in model.state_dict().items()}, torch.get_rng_state()
    profile = profiler().profile(model, x)
    assert torch.equal(torch.get_rng_state(), state)
    after = model.state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before)
    assert not any(module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module)
                   for module in model.modules())
    assert any("training mode" in note for note in profile.notes)


# What comes out.


def test_json_fits_its_schema(profiler, ids, root):
    jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed here")
    schema = json.loads((root / "docs/schemas/profiled.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for how in ({}, {"meter": None}, {"budget_s": 0.0, "cache": None}):
        fields = json.loads(profiler(**how).profile(Model().eval(), ids).to_json())
        assert not [error.message for error in validator.iter_errors(fields)]
    broken = dict(fields, batch_size=0)
    assert list(validator.iter_errors(broken))


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def test_the_program_reads_what_is_saved(profiler, program, tmp_path):
    model, path, quick = Model().eval(), tmp_path / "data.jsonl", profiler()
    for i, (batch, length) in enumerate([(1, 4), (2, 4), (2, 8), (4, 8), (1, 16), (3, 12)]):
        profile = quick.profile(model, torch.randint(0, 50, (batch, length)))
        profile.save(path, append=i > 0, model_name=f"model-{i % 3}")  # Several, so that one can be left out.
    stats = run(program, "dataset", "stats", path, "--json")
    assert stats.returncode == 0, stats.stderr
    found = json.loads(stats.stdout)
    assert sum(model["trees"] for model in found["models"]) == 6
    trained = run(program, "train", path, "-o", tmp_path / "predictor.json")
    assert trained.returncode == 0, trained.stderr
    # Linear layers were recognised by their counts, and did not pass for activations.
    assert "gemm" in json.loads((tmp_path / "predictor.json").read_text())["kinds"]
    annotated = run(program, "annotate", path, "--predictor", tmp_path / "predictor.json", "-o", tmp_path / "out.jsonl")
    assert annotated.returncode == 0, annotated.stderr
    tree = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["frontend_tree"]
    assert tree["predicted_energy"] > 0
    evaluated = run(program, "evaluate", path, "--leave-one-model-out", "--json")
    assert evaluated.returncode == 0, evaluated.stderr
    assert len(json.loads(evaluated.stdout)["rows"]) == 3


def test_saved_energies_are_the_measured_ones(profiled, tmp_path, root):
    profile = profiled
    profile.save(tmp_path / "data.jsonl")
    line = json.loads((tmp_path / "data.jsonl").read_text())
    jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed here")
    jsonschema.validate(line, json.loads((root / "docs/schemas/dataset.schema.json").read_text()))
    assert (line["model_name"], line["batch_size"], line["seq_len"]) == ("Model", 2, 6)

    def nodes(node):
        yield node
        for child in node["child_nodes_obj"]:
            yield from nodes(child)

    by_scope = {node["scope"]: node for node in nodes(line["frontend_tree"])}
    assert by_scope["root"]["ground_truth_energy"] == pytest.approx(profile.energy_j, rel=1e-6)
    up = by_scope["root.layers.1.up"]
    # 2 x 6 rows through 16 x 32, and the bias; in millions, and in MiB of four-byte numbers. IrEne counts a product for
    # each sequence with a copy of the weight, and the bias' sum as reading twice and writing once.
    assert up["flops"] == pytest.approx((2 * 12 * 16 * 32 + 12 * 32) / 1e6, rel=1e-6)
    assert up["mem_bytes"] == pytest.approx(4 * (12 * 16 + 2 * 16 * 32 + 3 * 12 * 32) / 2**20, rel=1e-6)
    assert line["dtype"] == "fp32" and line["protocol"] == "wattree-torch-1"
    assert up["type"] == "ml" and by_scope["root.layers.1.act"]["type"] == "ml-np"
    assert up["gpu_energy_mean"] is None  # It would be the answer.
    assert {op["op"] for op in by_scope["root.layers.1"]["ops"]} == {"mul", "add"}
    # Saving again gives the same file, and nothing else beside it.
    text = (tmp_path / "data.jsonl").read_text()
    profile.save(tmp_path / "data.jsonl")
    assert (tmp_path / "data.jsonl").read_text() == text
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["data.jsonl"]


def test_a_root_of_ops_alone_can_be_saved(profiler, program, tmp_path):
    class Sum(torch.nn.Module):
        def forward(self, x):
            return x + x

    profiler().profile(Sum(), torch.randn(4, 4)).save(tmp_path / "data.jsonl")
    assert run(program, "dataset", "stats", tmp_path / "data.jsonl").returncode == 0


def test_a_model_without_kernels_is_told(profiler, tmp_path):
    profile = profiler().profile(torch.nn.Flatten(), torch.randn(2, 3))
    assert profile.energy_j is None and "runs no kernel" in str(profile)
    with pytest.raises(ValueError, match="nothing to save"):
        profile.save(tmp_path / "data.jsonl")


def test_the_bar_says_how_long_it_takes():
    from wattree.progress import Progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    now = iter([0.0, 10.0])
    terminal = Terminal()
    with Progress(4, terminal, clock=lambda: next(now)) as bar:
        bar.advance()
        assert bar.line("encoder") == "██████" + 18 * "·" + " 1/4  30 s left  encoder"
    quiet = io.StringIO()
    with Progress(4, quiet) as bar:
        bar.show("encoder")
    assert quiet.getvalue() == "" and terminal.getvalue().endswith("\r\x1b[K")


def test_the_package_loads_without_pytorch():
    code = ("import sys; sys.path.insert(0, sys.argv[1]); sys.modules['torch'] = None\n"
            "import wattree\nassert callable(wattree.profile) and wattree.track\n"
            "with wattree.track() as run:\n    with run.epoch(): pass\n")
    subprocess.run([sys.executable, "-c", code, str(wattree.__path__[0]) + "/.."], check=True)
