"""What the documents say is true: schemas fit the output, commands run, links lead somewhere, lists are whole."""

import csv
import io
import json
import re
import shlex
import subprocess

import jsonschema
import pytest


def run(wattree, *arguments):
    return subprocess.run([wattree, *arguments], capture_output=True, text=True)


def flatten(node):
    """Children before their parents, as in CSV."""
    for child in node["children"]:
        yield from flatten(child)
    yield node


@pytest.mark.parametrize("arguments", [
    ["bert-base-uncased", "-b", "2"],
    ["gpt2", "--past", "16", "--as", "GPT2LMHeadModel"],
    ["albert-base-v2", "--attention", "eager"],
    ["t5-small", "-s", "9", "--target-len", "5"],
    ["t5-small", "--past", "5", "--dtype", "bf16"],
    ["qwen3-30b-a3b", "--dtype", "int4", "--depth", "4"],
    ["vit-base-patch16-224", "--level", "ml"],
    ["clip-vit-base-patch32", "-s", "20"],
])
def test_tree_json_fits_its_schema(arguments, wattree, root):
    schema = json.loads((root / "docs/schemas/tree.schema.json").read_text())
    result = run(wattree, "tree", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schema)


@pytest.fixture
def predictor(root):
    return ["--predictor", str(root / "tests/data/predictors/imaginary.json")]


@pytest.mark.parametrize("arguments", [
    ["bert-base-uncased", "-b", "16", "--top", "3", "--by", "type", "--region", "US-GA", "--host-watts", "100"],
    ["gpt2", "--past", "16", "--dtype", "bf16", "--by", "op"],
    ["albert-base-v2", "--attention", "eager", "--by", "module"],
    ["t5-small", "-s", "9", "--target-len", "5", "--depth", "3"],
    ["vit-base-patch16-224", "--level", "ml", "--intensity", "300g/kWh"],
    ["bert-tiny", "-b", "8,16", "-s", "32:128:32", "--by", "module"],
])
def test_predict_json_fits_its_schema(arguments, predictor, wattree, root):
    schema = json.loads((root / "docs/schemas/predict.schema.json").read_text())
    result = run(wattree, "predict", *arguments, *predictor, "--json")
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schema)


@pytest.mark.parametrize("schema,arguments", [
    ("generate", ["predict", "gpt2", "-s", "16", "--generate", "4", "-b", "2"]),
    ("generate", ["predict", "t5-small", "--as", "T5ForConditionalGeneration", "--generate", "2"]),
    ("compare", ["compare", "bert-tiny", "t5-small", "--fail-above", "9000%"]),
    ("compare", ["compare", "gpt2", "distilgpt2", "--past", "9"]),
])
def test_json_of_several_passes_fits_its_schema(schema, arguments, predictor, wattree, root):
    schema = json.loads((root / f"docs/schemas/{schema}.schema.json").read_text())
    result = run(wattree, *arguments, *predictor, "--json")
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schema)


@pytest.mark.parametrize("node", [".", "encoder.layer.0.attention.self.query", "encoder.layer.1.attention.self:sdpa", "pooler"])
def test_explain_json_fits_its_schema(node, predictor, wattree, root):
    schema = json.loads((root / "docs/schemas/explain.schema.json").read_text())
    result = run(wattree, "predict", "bert-tiny", "-b", "16", "--explain", node, *predictor, "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, schema)
    parts = sum(part["energy_j"] for part in answer["terms"] + answer["children"])
    assert parts == pytest.approx(answer["node"]["energy_j"], rel=1e-9)


def test_predicted_csv_and_json_agree_and_add_up(predictor, wattree):
    answer = json.loads(run(wattree, "predict", "distilgpt2", *predictor, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(run(wattree, "predict", "distilgpt2", *predictor, "--csv").stdout)))
    nodes = list(flatten(answer["tree"]))
    assert [n["scope"] for n in nodes] == [r["scope"] for r in rows]
    for key in ("time_s", "energy_j", "energy_low_j", "energy_high_j", "own_energy_j", "share"):
        assert [n[key] for n in nodes] == [float(r[key]) for r in rows]
    for node in nodes:
        whole = node["own_energy_j"] + sum(child["energy_j"] for child in node["children"])
        assert whole == pytest.approx(node["energy_j"], rel=1e-9)


def test_models_json_fits_its_schema(wattree, root):
    schema = json.loads((root / "docs/schemas/models.schema.json").read_text())
    jsonschema.validate(json.loads(run(wattree, "models", "--json").stdout), schema)


def test_dataset_stats_json_fits_its_schema(wattree, root):
    schema = json.loads((root / "docs/schemas/dataset-stats.schema.json").read_text())
    result = run(wattree, "dataset", "stats", str(root / "tests/golden/expected/import_irene.jsonl"), "--json")
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schema)


@pytest.mark.parametrize("arguments", [
    [],
    ["--assume", "cpu=65W"],
    *[["--sys-root", f"tests/data/machines/{m}/sys", "--proc-root", f"tests/data/machines/{m}/proc"]
      for m in ("server", "laptop", "vm")],
])
def test_meters_json_fits_its_schema(arguments, wattree, root):
    schema = json.loads((root / "docs/schemas/meters.schema.json").read_text())
    result = subprocess.run([wattree, "meters", "--json", *arguments], capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schema)


def test_imported_trees_fit_the_schema_of_datasets(wattree, root):
    schema = json.loads((root / "docs/schemas/dataset.schema.json").read_text())
    lines = run(wattree, "import", "irene", str(root / "tests/data/irene-tiny")).stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        jsonschema.validate(json.loads(line), schema)
    tree = json.loads(lines[0])
    tree["frontend_tree"]["child_nodes_obj"][0]["flops"] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, schema)


def test_schema_refuses_what_is_wrong(wattree, root):
    schema = json.loads((root / "docs/schemas/tree.schema.json").read_text())
    answer = json.loads(run(wattree, "tree", "gpt2", "--depth", "1", "--json").stdout)
    answer["tree"]["children"][0]["flops"] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer, schema)


def test_csv_and_json_agree(wattree):
    answer = json.loads(run(wattree, "tree", "distilgpt2", "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(run(wattree, "tree", "distilgpt2", "--csv").stdout)))
    nodes = list(flatten(answer["tree"]))
    assert [n["scope"] for n in nodes] == [r["scope"] for r in rows]
    for key in ("params", "flops", "matmul_flops", "bytes"):
        assert [n[key] for n in nodes] == [int(r[key]) for r in rows]


def test_readme_commands_run(wattree, root):
    text = (root / "README.md").read_text()
    commands = re.findall(r"^build/release/bin/wattree (.*)$", text, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        result = run(wattree, *shlex.split(command))
        assert result.returncode == 0, f"{command}: {result.stderr}"


def test_readme_lists_every_family(wattree, root):
    text = (root / "README.md").read_text()
    listed = set(re.search(r"The families: (.*?)\.\n\n", text, re.DOTALL).group(1).replace("\n", " ").split(", "))
    listed = {name.strip() for name in listed}
    known = {f["model_type"] for f in json.loads(run(wattree, "models", "--json").stdout)["families"]}
    # The two halves of CLIP are model types of their own.
    assert listed == known - {"clip_text_model", "clip_vision_model"}


def test_every_data_file_has_a_source(root):
    sources = (root / "data/SOURCES.md").read_text()
    missing = [p.name for p in sorted((root / "data").rglob("*.*")) if p.name != "SOURCES.md" and p.name not in sources]
    assert not missing, f"data/SOURCES.md does not name {missing}"


def test_links_between_documents_lead_somewhere(root):
    broken = []
    for document in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            if not (document.parent / target).exists():
                broken.append(f"{document.relative_to(root)}: {target}")
    assert not broken, broken
