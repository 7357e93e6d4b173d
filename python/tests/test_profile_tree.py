"""The tree that Python sees is the one that `wattree tree` builds from the config: for models written here, and for the
framework's own where it is installed."""

import json
import subprocess

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from small_models import MODELS  # noqa: E402
from wattree.cost import Costs  # noqa: E402
from wattree.trace import trace  # noqa: E402
from wattree.tree import build_tree, sizes_of_inputs  # noqa: E402


def from_program(program, folder, config, *options):
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    command = [program, "tree", str(path), "-b", "2", "-s", "8", "--dtype", "fp32", "--json", *options]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tree"]


def rows_of_json(node):
    yield (node["scope"], node.get("run"), node["type"], node["level"], tuple(node["shape"]), node["params"], node["flops"],
           node["matmul_flops"], node["bytes"])
    for child in node["children"]:
        yield from rows_of_json(child)


def rows_of_trace(model, **inputs):
    torch.manual_seed(0)
    model = model.eval()
    costs = Costs()
    assert costs.problem is None
    root = build_tree(trace(model, lambda: model(**inputs)), model, costs)
    assert not costs.unknown
    return [(node.scope, node.run, node.type, node.level, node.shape, node.params, node.cost.flops, node.cost.matmul_flops,
             node.cost.bytes) for node in root.walk()]


@pytest.mark.parametrize("name", MODELS)
def test_own_modules_give_the_programs_tree(name, program, library, tmp_path):
    model_class, config = MODELS[name]
    expected = list(rows_of_json(from_program(program, tmp_path, config, "--attention", "eager")))
    assert rows_of_trace(model_class(config), input_ids=torch.randint(5, 60, (2, 8))) == expected


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("name", MODELS)
def test_the_frameworks_models_give_the_programs_tree(name, attention, program, library, tmp_path):
    transformers = pytest.importorskip("transformers", reason="Transformers is not installed here")
    config = dict(MODELS[name][1])
    expected = list(rows_of_json(from_program(program, tmp_path, config, "--attention", attention)))
    made = transformers.CONFIG_MAPPING[config.pop("model_type")].from_dict(config)
    model = transformers.MODEL_MAPPING[type(made)]._from_config(made, attn_implementation=attention, dtype=torch.float32)
    assert rows_of_trace(model, input_ids=torch.randint(5, 60, (2, 8))) == expected


class Shared(torch.nn.Module):
    """Calls one block twice, a part past its owner, and one module never."""

    def __init__(self):
        super().__init__()
        self.block = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
        self.owner = Owner()
        self.unused = torch.nn.Linear(4, 4)

    def forward(self, x):
        x = self.block(self.block(x))
        return self.owner.part(x) + 1


class Owner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = torch.nn.Linear(4, 3)


def test_repeated_skipped_and_unused_modules(library):
    model = Shared().eval()
    x = torch.randn(2, 4)
    seen = trace(model, lambda: model(x))
    root = build_tree(seen, model, Costs())
    rows = [(node.scope, node.run, node.type, node.level) for node in root.walk()]
    assert rows == [
        ("", None, "Shared", "model"),
        ("block.0", 0, "Linear", "ml"), ("block.1", 0, "ReLU", "ml"), ("block.1:relu", 0, "relu", "math"),
        ("block.0", 1, "Linear", "ml"), ("block.1", 1, "ReLU", "ml"), ("block.1:relu", 1, "relu", "math"),
        ("owner", None, "Owner", "module"), ("owner.part", None, "Linear", "ml"),
        (":add", None, "add", "math"), ("unused", None, "Linear", "ml"),
    ]
    owner = next(node for node in root.walk() if node.scope == "owner")
    # 2 rows through 4 x 3, a multiply-add being two, and 6 additions of the bias.
    assert (owner.params, owner.cost.flops, owner.cost.matmul_flops) == (15, 54, 48)
    # Four bytes for every number: bias, input, weight, output.
    assert owner.cost.bytes == 4 * (3 + 8 + 12 + 6)
    assert root.params == sum(p.numel() for p in model.parameters())


def test_sizes_come_from_the_inputs():
    class Takes(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return torch.zeros(1)

    def sizes(*args, **kwargs):
        model = Takes()
        return sizes_of_inputs(trace(model, lambda: model(*args, **kwargs)).modules[0])

    ids, states = torch.zeros(3, 7, dtype=torch.int64), torch.zeros(5, 9, 16)
    assert sizes(ids) == (3, 7)
    assert sizes(mask=torch.zeros(3, 1, 7, 7), input_ids=ids) == (3, 7)
    assert sizes(states) == (5, 9)
    assert sizes(torch.zeros(4, 3, 8, 8)) == (4, 1)
    assert sizes() == (1, 1) and sizes(torch.tensor(1.0)) == (1, 1)


def test_without_the_library_there_are_matrix_products_alone(monkeypatch):
    monkeypatch.setenv("WATTREE_LIBRARY", "/nonexistent/libwattree.so")
    costs = Costs()
    assert "make build" in costs.problem and "/nonexistent" in costs.problem
    model, x = torch.nn.Linear(4, 3).eval(), torch.randn(2, 4)
    seen = trace(model, lambda: model(x))
    root = build_tree(seen, model, costs)
    assert (root.cost.flops, root.cost.matmul_flops, root.cost.bytes) == (None, 48, None)
