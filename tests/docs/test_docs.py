"""What the documents say is true: schemas fit the output, commands run, links lead somewhere, lists are whole."""

import csv
import html
import io
import json
import pathlib
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


NOT_RUN = "<!-- not run by tests: "


def blocks_of(text):
    """The shell blocks of a document, each with why it is not run: None where it is."""
    for marker, block in re.findall(r"^(<!-- .*? -->\n)?```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield block, marker[len(NOT_RUN):].removesuffix(" -->\n") if marker.startswith(NOT_RUN) else None


@pytest.fixture
def clone(wattree, root, tmp_path):
    """A folder like a clone in which `make run` was typed. What commands write there does not reach the real one."""
    folder = tmp_path / "clone"
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/bin").symlink_to(pathlib.Path(wattree).resolve().parent)
    for entry in root.iterdir():
        if entry.name not in {"build", ".git"}:
            (folder / entry.name).symlink_to(entry)
    return folder


def test_readme_commands_run_as_typed(clone, tmp_path):
    runnable = [block for block, why_not in blocks_of((clone / "README.md").read_text()) if why_not is None]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "LANG": "C.UTF-8"}
    # One shell for all, as a reader has: a later block may need what an earlier one exports or writes.
    result = subprocess.run(["bash", "-eux", "-o", "pipefail", "-c", "".join(runnable)], capture_output=True, text=True,
                            cwd=clone, env=environment, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stderr.count("+ wattree ") >= 15


def test_few_readme_commands_are_not_run(root):
    """A block that is not run has a reason, and there is no fourth."""
    text = (root / "README.md").read_text()
    assert not re.search(r"^```(?!sh$|python$|$)", text, re.MULTILINE), "commands stand in blocks of sh"
    reasons = [why_not for _, why_not in blocks_of(text) if why_not is not None]
    assert reasons == ["installs packages and builds", "there is no train.py", "needs PyTorch and an energy counter"]


def documents(root):
    """What readers read, written by hand or by a command."""
    return [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md", root / "python/README.md",
            *sorted((root / "docs").rglob("*.md")), *sorted((root / "data").glob("*/README.md"))]


def test_flags_in_documents_exist(wattree, root):
    """Also those of commands that are not run."""
    helps = {}
    for document in documents(root):
        for block, _ in blocks_of(document.read_text()):
            for line in block.replace("\\\n", "").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] != ["wattree"]:
                    continue
                words = words[1:words.index("--")] if "--" in words else words[1:]
                command = tuple(words[:2 if words[0] in {"profiles", "dataset", "import"} else 1])
                if command not in helps:
                    helps[command] = run(wattree, *command, "--help").stdout
                for flag in [word for word in words if word.startswith("-")]:
                    assert re.search(rf"(^|[ ,]){re.escape(flag)}([ ,]|$)", helps[command], re.MULTILINE), f"{line}: {flag}"


def test_lines_fit_in_100_columns(root):
    """But for tables, code and lines that are one long word."""
    long = []
    for document in documents(root):
        text = re.sub(r"^ *```.*?^ *```$", lambda m: "\n" * m[0].count("\n"), document.read_text(), flags=re.MULTILINE | re.DOTALL)
        long += [f"{document.relative_to(root)}:{number}" for number, line in enumerate(text.splitlines(), 1)
                 if len(line) > 100 and " " in line.strip(" -") and not line.lstrip().startswith(("|", "!["))]
    assert not long, long


def test_the_glossary_has_each_term_once(root):
    text = (root / "docs/glossary.md").read_text().split("## Words that look alike")[0]
    terms = re.findall(r"^- \*\*(.+?)\*\*(?: \((.*?)\))?", text, re.MULTILINE)
    assert len(terms) > 50
    assert len(terms) == len(set(terms))


def test_pictures_do_not_rely_on_white_space(root):
    """Browsers collapse it: columns of a table need positions of their own."""
    for picture in sorted((root / "docs/images").glob("*.svg")):
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text())
        assert texts, picture
        assert not [text for text in texts if "  " in text or text != text.strip()], picture


def test_shown_output_is_what_the_program_prints(wattree, root):
    """tools/terminal_svg makes the pictures anew."""
    command = ["predict", "bert-base-uncased", "-b", "16", "-s", "128", "--dtype", "bf16"]
    printed = run(wattree, *command, "--on", "h200").stdout
    shown = re.search(r"begins with:\n\n```\n(.*?)```", (root / "docs/predicting.md").read_text(), re.DOTALL).group(1)
    assert printed.startswith(shown)
    for picture, given in [("predict.svg", command), ("tree.svg", ["tree", "llama-3.2-1b", "-b", "8", "-s", "512"])]:
        drawn = (root / "docs/images" / picture).read_text()
        assert " ".join(given) in drawn
        for word in run(wattree, *given).stdout.replace("█", " ").split():
            assert html.escape(word, quote=False) in drawn or not word.isascii(), f"{picture} lacks {word}"


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


def anchors_in(document):
    """As GitHub makes them: small letters, no punctuation, dashes for blanks."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ +(.*?)\s*$", text, re.MULTILINE)}


def test_links_between_documents_lead_somewhere(root):
    broken = []
    for document in documents(root):
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^):]*))?\)", document.read_text()):
            leads_to = document.parent / target if target else document
            if not leads_to.exists() or (anchor and anchor not in anchors_in(leads_to)):
                broken.append(f"{document.relative_to(root)}: {target}#{anchor}")
    assert not broken, broken
