"""train, evaluate and annotate as a user runs them: figures that can be recomputed, files that fit their schemas, and data
that is degenerate in every way we could think of. No output may ever hold a NaN."""

import copy
import json
import math
import re
import subprocess

import jsonschema
import pytest


@pytest.fixture(scope="module")
def toy(root):
    return root / "tests/data/learn/toy.jsonl"


def run(wattree, *arguments):
    result = subprocess.run([wattree, *map(str, arguments)], capture_output=True, text=True)
    for text in (result.stdout, result.stderr):
        words = text.lower().replace(",", " ").replace(":", " ").split()
        assert not {"nan", "inf", "-nan", "-inf"} & set(words), text
    return result


def loads(text):
    def refuse(constant):
        raise ValueError(f"{constant} in JSON")
    return json.loads(text, parse_constant=refuse)


def evaluated(wattree, *arguments):
    result = run(wattree, "evaluate", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    return loads(result.stdout)


METHODS = [[], ["--known", "leaves"], ["--known", "children"], ["--known", "node"], ["--known", "root"], ["--no-twins"],
           ["--leave-one-family-out"], ["--aggregate", "sum"], ["--aggregate", "end2end", "--seeds", "2"],
           ["--aggregate", "stepwise", "--seeds", "1"], ["--aggregate", "unstructured", "--seeds", "1"],
           ["--aggregate", "end2end", "--features", "model", "--seeds", "1"]]


@pytest.mark.parametrize("method", METHODS, ids=" ".join)
def test_evaluate_fits_its_schema_and_can_be_recomputed(method, wattree, root, toy, tmp_path):
    file = tmp_path / "predictions.jsonl"
    answer = evaluated(wattree, toy, *method, "--predictions", file)
    jsonschema.validate(answer, json.loads((root / "docs/schemas/evaluate.schema.json").read_text()))
    rows = [loads(line) for line in file.read_text().splitlines()]
    nodes = 560 * answer.get("seeds", 1)
    assert len(rows) == nodes

    def mean(values):
        return math.fsum(values) / len(values)

    for row in rows:
        assert row["error_percent"] == pytest.approx(100 * abs(row["predicted_j"] - row["measured_j"]) / row["measured_j"])
    for level in ("ml", "module", "model"):
        of_level = [r for r in rows if r["level"] == level]
        assert answer["overall"][level] == pytest.approx(mean([r["error_percent"] for r in of_level]), rel=1e-9)
        for fold in answer["rows"]:
            errors = [r["error_percent"] for r in of_level if r["left_out"] == fold["left_out"]]
            assert fold[level] == pytest.approx(mean(errors), rel=1e-9)
        if answer["aggregate"] == "reconciled":
            inside = [100.0 * (r["low_j"] <= r["measured_j"] <= r["high_j"]) for r in of_level]
            assert answer["interval_coverage"][level] == pytest.approx(mean(inside))
        else:
            assert answer["interval_coverage"][level] is None


def test_what_is_measured_of_the_new_model_helps(wattree, toy):
    nothing = evaluated(wattree, toy)["overall"]
    node = evaluated(wattree, toy, "--known", "node")["overall"]
    assert all(node[level] < nothing[level] < 10 for level in nothing)


def test_same_input_same_bytes(wattree, toy, tmp_path):
    for method in (["reconciled"], ["end2end", "--seed", "3"]):
        files = [tmp_path / f"{i}.json" for i in range(2)]
        for file in files:
            assert run(wattree, "train", toy, "-o", file, "--name", "p", "--aggregate", *method).returncode == 0
        assert files[0].read_bytes() == files[1].read_bytes()


def test_the_schema_knows_every_kind_and_the_shipped_predictor(root):
    schema = json.loads((root / "docs/schemas/predictor.schema.json").read_text())
    kinds = re.findall(r'^WATTREE_WORK_KIND\(\w+, "(\w+)"', (root / "src/predict/predictor/work_kinds.inc").read_text(), re.MULTILINE)
    assert schema["$defs"]["reconciled"]["properties"]["kinds"]["propertyNames"]["enum"] == kinds
    shipped = loads((root / "data/predictors/h200.json").read_text())
    jsonschema.validate(shipped, schema)
    assert shipped["anchor"]["energy_j"] == pytest.approx(0.745, abs=0.001)


@pytest.mark.parametrize("aggregate", ["reconciled", "end2end", "stepwise", "sum", "unstructured"])
def test_predictors_fit_their_schema_and_annotate(aggregate, wattree, root, toy, tmp_path):
    predictor, output = tmp_path / "p.json", tmp_path / "out.jsonl"
    result = run(wattree, "train", toy, "-o", predictor, "--aggregate", aggregate, "--hardware", "invented",
                 "--meter", "none", "--boundary", "host", "--dtypes", "fp32,bf16")
    assert result.returncode == 0, result.stderr
    content = loads(predictor.read_text())
    jsonschema.validate(content, json.loads((root / "docs/schemas/predictor.schema.json").read_text()))
    assert content["hardware"] == "invented" and content["boundary"] == "host" and content["dtypes"] == ["fp32", "bf16"]
    result = run(wattree, "annotate", toy, "--predictor", predictor, "-o", output)
    assert result.returncode == 0, result.stderr

    def check(node):
        children = node["child_nodes_obj"]
        total = sum(check(child) for child in children) + node["predicted_own_j"]
        assert node["predicted_energy"] == pytest.approx(total, rel=1e-9)
        if aggregate == "reconciled":
            assert 0 <= node["predicted_low_j"] <= node["predicted_energy"] <= node["predicted_high_j"]
            assert node["predicted_energy"] == pytest.approx(node["ground_truth_energy"], rel=0.03)
        return node["predicted_energy"]

    before = [loads(line) for line in toy.read_text().splitlines()]
    after = [loads(line) for line in output.read_text().splitlines()]
    assert [(t["model_name"], t["batch_size"], t["seq_len"]) for t in before] == \
           [(t["model_name"], t["batch_size"], t["seq_len"]) for t in after]
    for tree in after:
        check(tree["frontend_tree"])


def test_annotate_writes_all_or_nothing(wattree, toy, tmp_path):
    predictor = tmp_path / "p.json"
    run(wattree, "train", toy, "-o", predictor)
    bad, output = tmp_path / "bad.jsonl", tmp_path / "out.jsonl"
    bad.write_text(toy.read_text() + "{}\n")
    output.write_text("mine")
    result = run(wattree, "annotate", bad, "--predictor", predictor, "-o", output)
    assert result.returncode == 3 and "bad.jsonl:21" in result.stderr
    assert output.read_text() == "mine"
    result = run(wattree, "annotate", toy, "--predictor", toy, "-o", output)
    assert result.returncode == 3 and "toy.jsonl" in result.stderr
    predictor.write_text(predictor.read_text().replace('"version": 1', '"version": 9'))
    result = run(wattree, "annotate", toy, "--predictor", predictor, "-o", output)
    assert result.returncode == 4 and "version 9" in result.stderr and "hint" in result.stderr


@pytest.mark.parametrize("arguments,says", [
    (["--known", "leaves", "--aggregate", "sum"], "--known"),
    (["--features", "model"], "--features"),
    (["--seeds", "3"], "--seeds"),
    (["--no-twins", "--aggregate", "end2end"], "--no-twins"),
    (["--leave-one-model-out", "--leave-one-family-out"], "exclude"),
    (["--known", "everything"], "everything"),
])
def test_flags_that_make_no_sense_together(arguments, says, wattree, toy):
    result = run(wattree, "evaluate", toy, *arguments)
    assert result.returncode == 2 and says in result.stderr


# Degenerate data: each changes the trees of the toy dataset, and says what must come of it. "error" is exit code 3 with a
# message that holds the text; "fit" succeeds, with the text among the warnings.

def nodes_of(tree):
    stack = [tree["frontend_tree"]]
    while stack:
        node = stack.pop()
        yield node
        stack += node["child_nodes_obj"]


def every_node(change):
    def changed(trees):
        for index, tree in enumerate(trees):
            for node in nodes_of(tree):
                change(node, index)
        return trees
    return changed


def only(name):
    return lambda trees: [t for t in trees if t["model_name"] == name]


def without_energy(node, _):
    node["ground_truth_energy"] = None


def no_leaf_energy(node, _):
    if not node["child_nodes_obj"]:
        node["ground_truth_energy"] = None


def some_without_energy(node, index):
    if (index + len(node["scope"])) % 3 == 0:
        node["ground_truth_energy"] = None


def some_zero(node, index):
    if (index + len(node["scope"])) % 3 == 0:
        node["ground_truth_energy"] = 0


def negative(node, index):
    if index == 3 and not node["child_nodes_obj"]:
        node["ground_truth_energy"] = -1


def no_readings(node, _):
    for field in ("cpu", "mem", "gpu", "gpu_mem", "gpu_clk", "gpu_mem_clk", "times_mean", "gpu_energy_mean"):
        node[field] = None


def constant(node, _):
    for field in ("flops", "mem_bytes", "cpu", "gpu", "times_mean", "gpu_energy_mean", "num_parameters"):
        node[field] = 1
    node["ground_truth_energy"] = 2


def zero_features(node, _):
    for field in ("flops", "mem_bytes", "cpu", "gpu", "times_mean", "gpu_energy_mean", "num_parameters"):
        node[field] = 0


def some_absurd(node, index):
    if index % 4 == 0:
        node["ground_truth_energy"] *= 1e200 if index % 8 == 0 else 1e-200


def absurd(node, index):
    node["ground_truth_energy"] *= 1e200 if index % 2 else 1e-200


def absurd_times(node, _):
    node["times_mean"] *= 1e200
    node["gpu_energy_mean"] *= 1e250


def one_op(trees):
    for tree in trees:
        def keep(node):
            kept = [keep(c) for c in node["child_nodes_obj"] if c["child_nodes_obj"] or c["instance_type"] == "Softmax"]
            node["child_nodes_obj"] = [c for c in kept if c["child_nodes_obj"] or c["type"].startswith("ml")]
            node["child_nodes"] = [c["scope"] for c in node["child_nodes_obj"]]
            return node
        keep(tree["frontend_tree"])
    return trees


def copies(trees):
    first = [t for t in trees if t["model_name"] == "toy-bert-a"][0]
    out = []
    for name in ("a", "b"):
        for k in range(3):
            tree = copy.deepcopy(first)
            tree["model_name"] = name
            for node in nodes_of(tree):
                node["id"] += f"/{name}{k}"
            out.append(tree)
    return out


DEGENERATE = {
    "one model only": (only("toy-gpt"), "error", "two models"),
    "one family only": (lambda trees: [t for t in trees if "bert" in t["model_name"]], "fit", ""),
    "one op only": (one_op, "fit", ""),
    "copies of one tree": (copies, "fit", ""),
    "no energy at all": (every_node(without_energy), "error", "energy"),
    "no energy of leaves": (every_node(no_leaf_energy), "error", "energy"),
    "no energy of some nodes": (every_node(some_without_energy), "fit", ""),
    "some energies are zero": (every_node(some_zero), "fit", "zero or less"),
    "a negative energy": (every_node(negative), "error", "negative"),
    "no readings": (every_node(no_readings), "fit", ""),
    "constant features": (every_node(constant), "fit", ""),
    "features that are all zero": (every_node(zero_features), "fit", ""),
    "some energies are absurd": (every_node(some_absurd), "fit", "beyond any machine"),
    "all energies are absurd": (every_node(absurd), "error", "energy"),
    "times are absurd": (every_node(absurd_times), "fit", ""),
    "an empty file": (lambda trees: [], "error", "no trees"),
}


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("method", [[], ["--known", "node"], ["--aggregate", "sum"],
                                    ["--aggregate", "end2end", "--seeds", "1"]], ids=lambda m: " ".join(m) or "reconciled")
def test_degenerate_data(case, method, wattree, toy, tmp_path):
    change, outcome, says = DEGENERATE[case]
    data, predictions = tmp_path / "data.jsonl", tmp_path / "p.jsonl"
    trees = change([loads(line) for line in toy.read_text().splitlines()])
    data.write_text("".join(json.dumps(tree) + "\n" for tree in trees))
    result = run(wattree, "evaluate", data, *method, "--json", "--predictions", predictions)
    if outcome == "error" or (result.returncode == 3 and "--aggregate" in method):
        # IrEne's method needs every feature of some leaves, and says so.
        assert result.returncode == 3, result.stdout
        error = loads(result.stderr)["error"]
        assert outcome != "error" or says in error["message"] or "too large" in error["message"] or \
            "range of numbers" in error["message"], error
        assert error["hint"] or any(what in error["message"] for what in ("no trees", "data.jsonl", "column"))
        assert result.stdout == "" and not predictions.exists()
    else:
        assert result.returncode == 0, result.stderr
        answer = loads(result.stdout)
        assert not says or any(says in w for w in answer["warnings"]), answer["warnings"]
        for line in predictions.read_text().splitlines():
            loads(line)
        assert run(wattree, "evaluate", data, *method).returncode == 0


@pytest.mark.parametrize("case", DEGENERATE)
def test_training_on_degenerate_data(case, wattree, toy, tmp_path):
    change, outcome, says = DEGENERATE[case]
    data, predictor = tmp_path / "data.jsonl", tmp_path / "p.json"
    trees = change([loads(line) for line in toy.read_text().splitlines()])
    data.write_text("".join(json.dumps(tree) + "\n" for tree in trees))
    for aggregate in ("reconciled", "sum", "end2end"):
        result = run(wattree, "train", data, "-o", predictor, "--aggregate", aggregate)
        assert result.returncode in (0, 3), result.stderr
        if result.returncode == 0:
            loads(predictor.read_text())
            assert run(wattree, "annotate", data, "--predictor", predictor, "-o", tmp_path / "a.jsonl").returncode == 0
        if aggregate == "reconciled":
            expected = 0 if outcome == "fit" or case == "one model only" else 3
            assert result.returncode == expected, result.stderr
            if case == "one model only":
                assert "only one model" in result.stderr


def test_one_counter_is_said(wattree, toy, tmp_path):
    trees = [loads(line) for line in toy.read_text().splitlines()]
    for tree in trees:
        for node in nodes_of(tree):
            node["gpu_energy_mean"] = node["ground_truth_energy"]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(tree) + "\n" for tree in trees))
    assert evaluated(wattree, data)["notes"] == []
    assert "repeatability" in evaluated(wattree, data, "--known", "node")["notes"][0]
    assert evaluated(wattree, toy, "--known", "node")["notes"] == []


def test_models_can_be_chosen(wattree, toy):
    answer = evaluated(wattree, toy, "--exclude", "toy-t5")
    assert answer["models_left_out"] == ["toy-t5"] and len(answer["rows"]) == 3
    result = run(wattree, "evaluate", toy, "--include", "toy-x")
    assert result.returncode == 3 and "toy-bert-a" in result.stderr


def test_the_report_is_one_file_without_requests(wattree, toy, tmp_path):
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    for file in (page, text):
        assert run(wattree, "evaluate", toy, "--report", file, "--seeds", "1").returncode == 0
    html = page.read_text()
    for outside in ("http://", "https://", "src=", "url(", "<script", "<link"):
        assert outside not in html, outside
    assert "prefers-color-scheme: dark" in html and "<svg" in html and "p99" in html
    answer = evaluated(wattree, toy, "--known", "leaves")
    for content in (html, text.read_text()):
        assert f"{answer['overall']['model']:.2f}" in content
        assert "5.52" in content  # The paper's.
        assert "nan" not in content.lower().split()
    assert "| nothing |" in text.read_text()


def test_bad_lines_are_left_out_only_when_told(wattree, toy, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(toy.read_text() + '{"model_name": 3}\n')
    predictor = tmp_path / "p.json"
    for command in (["train", bad, "-o", predictor], ["evaluate", bad],
                    ["annotate", bad, "--predictor", predictor, "-o", tmp_path / "out.jsonl"]):
        refused = run(wattree, *command)
        assert refused.returncode == 3
        assert "model_name" in refused.stderr or "p.json" in refused.stderr
        skipped = run(wattree, *command, "--skip-bad")
        assert skipped.returncode == 0, skipped.stderr
        assert "1 bad line was left out" in skipped.stderr + skipped.stdout
