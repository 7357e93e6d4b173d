"""Traces and workloads, with PyTorch on the CPU where it is installed."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from wattree.device import CpuDevice, Launch  # noqa: E402
from wattree.nodes import distinct_nodes, node_of_op, op_from_record  # noqa: E402
from wattree.trace import trace  # noqa: E402
from wattree.workload import (  # noqa: E402
    ArgumentError, Workload, check_alone, count_sets, index_limit, module_workload, op_workload, prepare_launch)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.up = torch.nn.Linear(8, 32)
        self.down = torch.nn.Linear(32, 8)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(50, 8)
        self.layers = torch.nn.ModuleList(Block() for _ in range(3))

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.fixture(scope="module")
def seen():
    torch.manual_seed(0)
    model, ids = Model().eval(), torch.zeros(2, 5, dtype=torch.int64)
    return trace(model, lambda: model(ids))


def test_ops_and_flops(seen):
    names = [op.name for op in seen.ops]
    assert names == ["embedding"] + 3 * ["native_layer_norm", "addmm", "gelu", "addmm", "add"]
    # Ten tokens through 8 x 32, both ways: 2·10·8·32 each.
    assert [op.flops for op in seen.ops if op.name == "addmm"] == 6 * [5120]


def test_watching_a_model_does_not_change_its_path():
    """PyTorch 2 runs an encoder layer as one kernel unless it has hooks: the tree must be that of the plain run."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(func._schema.name.partition("::")[2])
            return func(*args, **(kwargs or {}))

    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    x, plain = torch.ones(2, 4, 16), Names()
    with torch.no_grad(), plain:
        layer(x)
    watched = [op.name for op in trace(layer, lambda: layer(x)).ops]
    assert watched and watched == [name for name in plain.seen if name in set(watched)]
    assert ("_transformer_encoder_layer_fwd" in plain.seen) == ("_transformer_encoder_layer_fwd" in watched)


def test_equal_layers_are_one_node(seen):
    modules = {node.scope: node for node in distinct_nodes(seen) if node.kind == "module"}
    assert modules["layers.0"].count == 3 and "layers.1" not in modules
    assert modules[""].level == "model" and modules["layers.0"].level == "module"
    up = next(node for node in distinct_nodes(seen) if node.scope == "layers.0.up")
    assert up.type == "Linear" and up.params == 8 * 32 + 32 and up.count == 3


def test_children_make_the_tree_again(seen):
    nodes = {node.key: node for node in distinct_nodes(seen)}
    root = next(node for node in nodes.values() if node.level == "model")

    def scopes(node, at):
        for key, name in node.children:
            below = f"{at}.{name}".strip(".") if name else at
            yield below, nodes[key].kind
            yield from scopes(nodes[key], below)

    found = list(scopes(root, ""))
    assert ("embed", "op") in found and ("layers.2.down", "op") in found and ("layers.1", "module") in found
    # Every op of the trace, once.
    assert sum(kind == "op" for _, kind in found) == len(seen.ops)


def test_every_op_runs_again_from_its_record(seen):
    device = CpuDevice(cache_bytes=1000)
    for op in seen.ops:
        again = op_from_record(node_of_op(op).record())
        for cache in ("cold", "warm", "in_place"):
            workload = op_workload(again, device, cache)
            for i in range(workload.sets + 1):
                workload.run(i)


def test_cold_needs_more_buffers_than_the_cache_holds(seen):
    device = CpuDevice(cache_bytes=100_000)
    linear = next(op for op in seen.ops if op.name == "addmm")
    cold, in_place, warm = (op_workload(linear, device, cache) for cache in ("cold", "in_place", "warm"))
    # Bias 32, input 10 x 8, weight 8 x 32, output 10 x 32, in fp32.
    assert cold.bytes_per_set == 4 * (32 + 80 + 256 + 320)
    assert in_place.bytes_per_set == 4 * (32 + 256)
    assert cold.sets * cold.bytes_per_set >= 2 * device.cache_bytes
    assert warm.sets == 1
    assert count_sets(1, CpuDevice(cache_bytes=1 << 40)) == 512


@pytest.mark.parametrize("call, limit", [
    (lambda: torch.gather(torch.zeros(3, 7), 1, torch.zeros(3, 2, dtype=torch.int64)), 7),
    (lambda: torch.zeros(9, 4)[torch.zeros(2, dtype=torch.int64)], 9),
    (lambda: torch.index_select(torch.zeros(6, 5), 1, torch.zeros(3, dtype=torch.int64)), 5),
    (lambda: torch.nn.functional.embedding(torch.zeros(4, dtype=torch.int64), torch.zeros(11, 2)), 11),
])
def test_indices_stay_in_range(call, limit):
    op = [op for op in trace(torch.nn.Module(), call).ops if op.name not in ("zeros", "arange")][-1]
    assert index_limit(op) == limit
    workload = op_workload(op, CpuDevice(cache_bytes=4096))
    for i in range(workload.sets):
        workload.run(i)  # On the CPU an index out of range raises.


def test_indices_of_a_run_are_kept_for_the_ops_alone():
    bag = torch.nn.EmbeddingBag(10, 4).eval()
    ids, offsets = torch.tensor([7, 9, 3, 1]), torch.tensor([0, 3])
    seen = trace(bag, lambda: bag(ids, offsets), keeps_integers=True)
    op = next(op for op in seen.ops if "embedding_bag" in op.name)
    ids.fill_(-1)  # What was kept is a copy.
    workload = op_workload(op, CpuDevice(cache_bytes=4096), integers=seen.integers[op.key])
    for i in range(workload.sets):
        workload.run(i)  # Offsets that are made up would be refused: they must begin with 0 and rise.
    kept, _ = seen.integers[op.key]
    assert kept[0] is None and kept[1].tolist() == [7, 9, 3, 1] and kept[2].tolist() == [0, 3]


def test_ops_that_are_not_pytorchs_are_told():
    op = dataclasses.replace(trace(torch.nn.Module(), lambda: torch.zeros(2) + 1).ops[-1], name="my_own_op")
    with pytest.raises(ArgumentError, match="my_own_op is no op of PyTorch's own"):
        op_workload(op, CpuDevice())


def test_a_module_runs_on_copies_with_equal_results():
    torch.manual_seed(0)
    block, x = Block().eval(), torch.randn(2, 5, 8)
    workload = module_workload(block, (x,), {}, CpuDevice(cache_bytes=4096))
    assert workload.sets > 1
    for i in range(workload.sets):
        assert torch.equal(workload.run(i), block(x))


def test_keys_do_not_depend_on_values():
    model = Model().eval()
    first, second = (trace(model, lambda ids=ids: model(ids)) for ids in (
        torch.zeros(2, 5, dtype=torch.int64), torch.ones(2, 5, dtype=torch.int64)))
    assert [op.key for op in first.ops] == [op.key for op in second.ops]
    more = torch.zeros(2, 6, dtype=torch.int64)
    longer = trace(model, lambda: model(more))
    assert {op.key for op in longer.ops}.isdisjoint(op.key for op in first.ops)


class Layer:
    def __init__(self):
        self.keys = self.values = None


class Cache:
    """As Transformers' own: every run of a layer appends to it."""

    def __init__(self):
        self.layers = [Layer()]

    def update(self, keys):
        layer = self.layers[0]
        layer.keys = keys if layer.keys is None else torch.cat([layer.keys, keys])
        return layer.keys


class Attention(torch.nn.Module):
    def forward(self, x, cache):
        return x @ cache.update(x).T


@pytest.mark.parametrize("how", ["positional", "keyword"])
def test_a_cache_does_not_grow_from_run_to_run(how):
    x, cache, layer = torch.randn(3, 8), Cache(), Attention()
    cache.update(torch.randn(2, 8))
    args, kwargs = ((x, cache), {}) if how == "positional" else ((x,), {"cache": cache})
    workload = module_workload(layer, args, kwargs, CpuDevice(cache_bytes=4096))
    assert [workload.run(i).shape for i in range(2 * workload.sets)] == 2 * workload.sets * [(3, 5)]
    kept = trace(layer, lambda: layer(*args, **kwargs), lambda scope, module: True).modules[0].kept
    assert cache.layers[0].keys.shape == (5, 8)  # The trace itself is a run.
    assert module_workload(layer, *kept, CpuDevice(cache_bytes=4096)).run(0).shape == (3, 5)


@pytest.mark.parametrize("seconds, sets, copies", [(1e-3, 1, 20), (1e-3, 8, 24), (0.042, 512, 23), (1, 2, 1), (30e-6, 512, 1024)])
def test_a_launch_has_whole_turns_of_its_sets_but_never_takes_long(seconds, sets, copies):
    """As of src/measure/runner/copies_test.cc."""
    class Slow(CpuDevice):
        def warm_up(self, run, times):
            return seconds

    launch, _ = prepare_launch(Workload(lambda i: None, sets, 1), Slow(cache_bytes=4096), "eager")
    assert launch.iterations == copies


class CapturingDevice(CpuDevice):
    """A CPU that says of itself that it captures, as a GPU does."""

    is_busy = False

    def capture(self, run, copies):
        self.is_busy = True
        for i in range(copies):
            run(i)
        self.is_busy = False
        return Launch(lambda: None, copies, "graph")


@pytest.mark.parametrize("is_shy", [False, True])
def test_a_module_that_takes_another_path_while_captured_is_refused(is_shy):
    device = CapturingDevice(cache_bytes=4096)

    class Shy(Block):
        def forward(self, x):
            return super().forward(x * 1 if is_shy and device.is_busy else x)

    module, x = Shy().eval(), torch.randn(2, 5, 8)
    within = trace(module, lambda: module(x)).ops
    workload = module_workload(module, (x,), {}, device)
    if not is_shy:
        check_alone(module, workload, within, device)
        return
    with pytest.raises(ValueError, match="other ops than within its model"):
        check_alone(module, workload, within, device)
