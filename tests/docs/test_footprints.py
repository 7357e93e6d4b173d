"""Profiles, carbon, what-if and reports through the program: schemas, golden values, pages that stand alone."""

import copy
import html.parser
import json
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = str(ROOT / "tests/data/profiles/energyvis_sample.json")
LB = 453.59237


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "profiles")


def run(wattree, *arguments, code=0):
    result = subprocess.run([wattree, *arguments], capture_output=True, text=True)
    assert result.returncode == code, result.stderr
    return result


def schema(name):
    """A schema with what it takes from footprint.schema.json and of an entry of the list in it."""
    def read(part):
        text = (ROOT / f"docs/schemas/{part}.schema.json").read_text()
        return json.loads(text.replace("footprint.schema.json#", "#").replace("profile_entry.schema.json\"}", "#/$defs/entry\"}"))

    loaded, entry = read(name), read("profile_entry")
    del entry["$id"]  # Its references are to the whole document.
    loaded["$defs"] = {**read("footprint")["$defs"], "entry": entry, **loaded.get("$defs", {})}
    return loaded


def asked(wattree, name, *arguments):
    answer = json.loads(run(wattree, *arguments).stdout)
    jsonschema.validate(answer, schema(name))
    return answer


@pytest.mark.parametrize("name,arguments", [
    ("regions", ["regions", "--json"]),
    ("regions", ["regions", "frankfurt", "--json"]),
    ("hardware", ["hardware", "--json"]),
    ("footprint", ["carbon", "2.5kWh", "--region", "DE", "--json"]),
    ("footprint", ["carbon", "bert-base-v100", "--epochs", "3", "--json"]),
    ("whatif", ["whatif", SAMPLE, "--region", "US-WY", "--hardware", "4xT4", "--epochs", "9", "--json"]),
    ("whatif", ["whatif", "transformer-big-p100", "--json"]),
    ("compare_profiles", ["compare", SAMPLE, "bert-base-v100", "--json"]),
    ("profile", ["profiles", "show", SAMPLE, "--json"]),
    ("profile", ["profiles", "show", "bert-base-v100", "--json"]),
])
def test_json_fits_its_schema(name, arguments, wattree):
    asked(wattree, name, *arguments)


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "data/profiles").glob("*.json")))
def test_bundled_profiles_fit_the_schema(name):
    jsonschema.validate(json.loads((ROOT / "data/profiles" / name).read_text()), schema("profile"))


@pytest.mark.parametrize("break_it", [
    lambda p: p.pop("name"),
    lambda p: p.update(version=2),
    lambda p: p.update(colour="red"),
    lambda p: p["pue"].update(value=0.9),
    lambda p: p["hardware"][0].update(count=0),
    lambda p: p["epochs"][0].update(duration=1),
    lambda p: p["epochs"][0].update(duration_s=-1),
    lambda p: p["epochs"][0].update(start="yesterday"),
    lambda p: p["epochs"][0]["energy"][0].pop("basis"),
    lambda p: p["epochs"][0]["energy"][0].update(energy_j="1"),
    lambda p: p["epochs"][0]["energy"][0]["basis"].update(kind="guessed"),
])
def test_program_and_schema_refuse_the_same(break_it, wattree, tmp_path):
    profile = json.loads((ROOT / "data/profiles/bert-base-v100.json").read_text())
    good = copy.deepcopy(profile)
    break_it(profile)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(profile, schema("profile"))
    jsonschema.validate(good, schema("profile"))
    file = tmp_path / "p.json"
    file.write_text(json.dumps(profile))
    assert "p.json: " in run(wattree, "profiles", "show", str(file), code=3).stderr


def test_golden_values_of_energyvis(wattree, tmp_path):
    """The published program's figures, with its own intensities and hardware typed in."""
    own = tmp_path / "own.csv"
    own.write_text("name,kind,tdp_w,fp32_gflops\nGeForce GTX 1080 Ti,gpu,250,11340\nT4,gpu,70,8141\n")
    answer = asked(wattree, "whatif", "whatif", SAMPLE, "--baseline-intensity", "0.6484905lb/kWh", "--intensity",
                   "1.516599lb/kWh", "--epochs", "16", "--json")
    pounds = [p["carbon_gco2e"] / LB for p in answer["baseline"]["curve"]["points"]]
    assert pounds[0] == pytest.approx(0.10311, abs=5e-6)
    assert pounds[5] == pytest.approx(0.61866, abs=5e-6)
    assert pounds[15] == pytest.approx(1.64976, abs=5e-6)
    assert answer["alternative"]["curve"]["points"][5]["carbon_gco2e"] / LB == pytest.approx(1.446835, abs=5e-7)
    hardware = asked(wattree, "whatif", "whatif", SAMPLE, "--hardware", "4xT4", "--hardware-file", str(own), "--formula",
                     "energyvis", "--json")
    assert hardware["hardware_changes"][0]["energy_per_work"] == pytest.approx(0.390026, abs=5e-7)


def test_other_gpus_are_compared_as_predictions_compare_them(wattree, tmp_path):
    """Any two of the table: the ratio of a what-if and that of a large pass predicted on each of them. Both are by data
    sheets; a measured predictor stands in for the H200."""
    profile = tmp_path / "a100.json"
    epoch = {"duration_s": 60, "energy": [{"component": "gpu", "kind": "gpu", "energy_j": 1000,
                                           "basis": {"kind": "measured", "by": "NVML", "boundary": "gpu"}}]}
    profile.write_text(json.dumps({"format": "wattree-profile", "version": 1, "name": "a100", "precision": "bf16",
                                   "hardware": [{"kind": "gpu", "name": "A100 SXM4 80GB", "count": 1}],
                                   "epochs": [epoch]}))
    devices = json.loads(run(wattree, "hardware", "--json").stdout)["hardware"]
    ratios = {}
    for device in devices:
        if device["kind"] != "gpu" or not {"tdp_w", "memory_gb_per_s"} <= device.keys():
            continue
        predicted = subprocess.run([wattree, "predict", "llama-3-8b", "-b", "4", "-s", "2048", "--dtype", "bf16", "--depth",
                                    "0", "--on", device["name"], "--json"], capture_output=True, text=True)
        if predicted.returncode:
            continue  # The table lacks a figure that it needs.
        changed = asked(wattree, "whatif", "whatif", str(profile), "--hardware", device["name"], "--json")
        change = changed["hardware_changes"][0]
        if change["by"] == "TDP/FP32":
            continue  # Nobody says its 16-bit rate; a note says so.
        ratios[device["name"]] = change["energy_per_work"] / json.loads(predicted.stdout)["tree"]["energy_j"]
    assert len(ratios) > 90
    assert max(ratios.values()) / min(ratios.values()) < 1.6, sorted(ratios.items(), key=lambda pair: pair[1])


def test_every_curve_says_basis_and_boundary(wattree):
    answer = asked(wattree, "footprint", "carbon", SAMPLE, "--json")
    assert answer["curve"]["basis"]["carbon"]["boundary"] == "facility"
    assert "eGRID2023" in answer["curve"]["basis"]["carbon"]["by"]


def test_a_folder_of_profiles(wattree, folder):
    assert run(wattree, "profiles", "import", SAMPLE, "--folder", folder).stdout.startswith("sample-profile: ")
    first = asked(wattree, "profiles", "profiles", "list", "--folder", folder, "--json")["profiles"]
    assert [p["id"] for p in first] == ["sample-profile", "bert-base-v100", "transformer-big-p100"]
    (pathlib.Path(folder) / "broken.json").write_text("{")
    listed = asked(wattree, "profiles", "profiles", "list", "--folder", folder, "--json")["profiles"]
    assert "not valid JSON" in listed[0]["error"]
    run(wattree, "carbon", "sample-profile", "--folder", folder)
    run(wattree, "profiles", "delete", "sample-profile", "--folder", folder)
    run(wattree, "profiles", "delete", "sample-profile", "--folder", folder, code=3)


def test_energyvis_goes_out_as_it_came_in(wattree):
    exported = run(wattree, "profiles", "export", SAMPLE, "--format", "energyvis").stdout
    assert json.loads(exported) == json.loads(pathlib.Path(SAMPLE).read_text())


class Requests(html.parser.HTMLParser):
    """Collects whatever would make a browser ask for something or run something."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag == "script" and names.get("type") != "application/json":
            self.found.append(tag)
        if tag in {"link", "img", "iframe", "object", "embed", "base", "form"}:
            self.found.append(tag)
        self.found += [name for name in names if name in {"src", "href", "srcset"} or name.startswith("on")]


@pytest.mark.parametrize("profile", [SAMPLE, "bert-base-v100"])
def test_a_page_stands_alone_and_imports_again(profile, wattree, folder, tmp_path):
    page = tmp_path / "page.html"
    run(wattree, "report", profile, "--html", "--epochs", "9", "-o", str(page))
    text = page.read_text()
    requests = Requests()
    requests.feed(text)
    assert requests.found == []
    assert "url(" not in text and "@import" not in text
    run(wattree, "profiles", "import", str(page), "--id", "again", "--folder", folder)
    before = run(wattree, "profiles", "show", profile, "--json").stdout
    assert run(wattree, "profiles", "show", "again", "--folder", folder, "--json").stdout == before


def test_names_cannot_break_out_of_a_page(wattree, tmp_path):
    profile = json.loads((ROOT / "data/profiles/bert-base-v100.json").read_text())
    profile["name"] = "</script><img src=x onerror=alert(1)>"
    file = tmp_path / "p.json"
    file.write_text(json.dumps(profile))
    page = run(wattree, "report", str(file), "--html").stdout
    requests = Requests()
    requests.feed(page)
    assert requests.found == []
    (tmp_path / "p.html").write_text(page)
    shown = json.loads(run(wattree, "profiles", "show", str(tmp_path / "p.html"), "--json").stdout)
    assert shown["name"] == profile["name"]


def test_an_energy_gate(wattree):
    run(wattree, "compare", "transformer-big-p100", "bert-base-v100", "--fail-above", "3%", code=1)
    run(wattree, "compare", "bert-base-v100", "transformer-big-p100", "--fail-above", "3%")
    run(wattree, "compare", "bert-base-v100", "bert-base-v100", "--fail-above", "0")
    run(wattree, "compare", "bert-base-v100", "bert-base-v100", "--fail-above", "much", code=2)


@pytest.mark.parametrize("arguments,says", [
    (["carbon", "2.5kWh"], "the region is not given"),
    (["carbon", "2.5kWh", "--region", "Georgia"], "US-GA (Georgia) or GEO (Georgia)"),
    (["carbon", "2.5kWh", "--region", "US-GA", "--pue", "0.99"], "a PUE of 0.99 is not possible"),
    (["whatif", SAMPLE, "--hardware", "4xGTX 1090"], "did you mean"),
    (["whatif", SAMPLE, "--hardware", "0xT4"], "must be between 1 and"),
    (["whatif", SAMPLE, "--epochs", "0"], "must be between 1 and"),
    (["whatif", SAMPLE, "--intensity-file", "/nonexistent"], "/nonexistent"),
    (["profiles", "export", "bert-base-v100", "--format", "energyvis"], "US states only"),
    (["hardware", "GTX 1090"], "did you mean"),
    (["regions", "atlantis"], "is not known"),
])
def test_errors_say_what_to_do(arguments, says, wattree):
    assert says in run(wattree, *arguments, code=3).stderr


def small_run(tmp_path):
    """Three epochs of 8 kJ, 2 kJ outside of them, and steps."""
    basis = {"kind": "measured", "by": "NVML energy counter", "boundary": "gpu"}
    window = {"duration_s": 20, "energy": [{"component": "gpu", "kind": "gpu", "energy_j": 8000, "basis": basis}]}
    outside = {"duration_s": 5, "energy": [{"component": "gpu", "kind": "gpu", "energy_j": 2000, "basis": basis}]}
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"format": "wattree-profile", "version": 1, "name": "small", "region": "US-GA",
                                "hardware": [{"kind": "gpu", "name": "H200", "count": 1}], "epochs": [window] * 3,
                                "outside_epochs": outside, "steps": [{"name": "forward", "count": 3, "duration_s": 9}]}))
    return str(path)


def test_what_is_outside_the_epochs_counts_once_and_is_named(wattree, tmp_path):
    path = small_run(tmp_path)
    jsonschema.validate(json.loads(pathlib.Path(path).read_text()), schema("profile"))
    answer = asked(wattree, "footprint", "carbon", path, "--epochs", "10", "--price", "0.3", "--json")
    assert answer["curve"]["outside_epochs"]["device_energy_j"] == 2000
    assert answer["curve"]["points"][-1]["device_energy_j"] == pytest.approx(82_000)
    assert answer["curve"]["points"][-1]["elapsed_s"] == pytest.approx(205)
    assert answer["cost_usd"] == pytest.approx(82_000 / 3.6e6 * 0.3)
    assert answer["setting"]["price_basis"]["kind"] == "assumed"
    headline = run(wattree, "carbon", path, "--epochs", "10").stdout.splitlines()[0]
    assert headline == "small: 3 epochs on 1 × H200, 1 min 5 s; extrapolated to 10 epochs, 3 min 25 s"
    report = run(wattree, "report", path, "--price", "0.3").stdout
    assert "used 26 kJ of electricity" in report and "| cost | 0.002167 USD | assumed |" in report
    assert "| of it, outside epochs | 2 kJ |" in report and "| outside | 2 kJ |" in report
    table = run(wattree, "compare", path, "951kWh", "--price", "0.3").stdout
    assert "285.3 USD" in table and 'note: "small" took 2 kJ of its device energy outside its epochs' in table
    listed = run(wattree, "profiles", "list", "--folder", str(tmp_path)).stdout
    assert any(line.startswith("small ") and " 26 kJ " in line for line in listed.splitlines())


def test_a_column_has_one_unit(wattree, tmp_path):
    """From 2 kJ to 0.11 kWh."""
    text = run(wattree, "whatif", small_run(tmp_path), "--epochs", "50", "--region", "US-WY").stdout
    rows = [line for line in text.splitlines() if line.strip().split(" ")[0].lstrip("~").isdigit() or "outside  " in line]
    assert len(rows) > 10
    assert all(row.count(" kWh") >= 2 and " J" not in row and " kJ" not in row for row in rows), text


@pytest.mark.parametrize("arguments,title,unit", [(["bert-base-v100"], "Emissions so far, epoch by epoch", "kg CO2e"),
                                                  (["small"], "Emissions so far, epoch by epoch", "g CO2e")])
def test_a_chart_has_title_axes_ticks_and_units(arguments, title, unit, wattree, tmp_path):
    profile = small_run(tmp_path) if arguments == ["small"] else arguments[0]
    page = run(wattree, "report", profile, "--html").stdout
    chart = page[page.index("<svg"):page.index("</svg>")]
    texts = html.parser.HTMLParser()
    seen = []
    texts.handle_data = lambda data: seen.append(data.strip())
    texts.feed(chart)
    assert title in seen and unit in seen and "epochs" in seen
    numbers = [float(text) for text in seen if text.replace(".", "", 1).isdigit()]
    assert len(numbers) >= 6  # Ticks of both axes.
