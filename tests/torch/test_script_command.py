"""`wattree tree` and `predict` of a TorchScript file, as a user types them."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WATTREE = pathlib.Path(os.environ.get("WATTREE_BIN", ROOT / "build/release/bin/wattree"))
PLUGIN = WATTREE.parent.parent / "lib" / "libwattree-torch.so"

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="libwattree-torch.so was not built (apt install libtorch-dev)")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    pytest.importorskip("torch", reason="there is no PyTorch to write scripts with (apt install python3-torch)")
    folder = tmp_path_factory.mktemp("scripts")
    subprocess.run([sys.executable, ROOT / "tests/torch/make_scripts.py", folder], check=True)
    return folder


def wattree(*arguments):
    return subprocess.run([WATTREE, *map(str, arguments)], capture_output=True, text=True)


def test_the_tree_is_that_of_the_config(scripts, tmp_path):
    sys.path.insert(0, str(ROOT / "python" / "tests"))
    import small_models

    config = tmp_path / "config.json"
    config.write_text(json.dumps(small_models.BERT))
    of_script = json.loads(wattree("tree", scripts / "bert.pt", "-b", 2, "-s", 8, "--json").stdout)
    of_config = json.loads(wattree("tree", config, "-b", 2, "-s", 8, "--attention", "eager", "--json").stdout)
    for field in ("class", "batch_size", "seq_len", "dtype", "params", "flops", "matmul_flops", "bytes", "tree"):
        assert of_script[field] == of_config[field], field


def test_inputs_that_cannot_be_guessed_are_asked_for(scripts):
    refused = wattree("tree", scripts / "two.pt")
    assert refused.returncode == 3
    assert "cannot be guessed" in refused.stderr and "--input" in refused.stderr
    shown = wattree("tree", scripts / "two.pt", "--input", "f32[4]", "--input", "f32[4]", "--level", "math")
    assert shown.returncode == 0, shown.stderr
    assert "mul" in shown.stdout


@pytest.mark.parametrize("inputs, sizes", [
    (["f32[5,2,4]", "2", "0.5", "0"], (5, 2)),
    (["i64[3,7]<2", "i64[3,7]<2"], (3, 7)),
    (["f32[4]", "f32[4]"], (4, 1)),
])
def test_the_inputs_say_how_large_the_pass_is(scripts, inputs, sizes):
    name = "counting.pt" if len(inputs) == 4 else "two.pt"
    given = [argument for text in inputs for argument in ("--input", text)]
    shown = wattree("tree", scripts / name, *given, "--json")
    assert shown.returncode == 0, shown.stderr
    answer = json.loads(shown.stdout)
    assert (answer["batch_size"], answer["seq_len"]) == sizes


def test_settings_of_configs_are_refused(scripts):
    refused = wattree("tree", scripts / "bert.pt", "--dtype", "bf16")
    assert refused.returncode == 3
    assert "--dtype" in refused.stderr


def test_a_script_is_predicted(scripts):
    predicted = wattree("predict", scripts / "bert.pt", "-b", 2, "-s", 8, "--json", "--predictor",
                        ROOT / "tests/data/predictors/imaginary.json")
    assert predicted.returncode == 0, predicted.stderr
    answer = json.loads(predicted.stdout)
    assert answer["tree"]["energy_j"] > 0
    assert answer["class"] == "BertModel"


def test_a_missing_plugin_is_named(scripts):
    refused = wattree("tree", scripts / "bert.pt", "--torch-plugin", "/nowhere/libwattree-torch.so")
    assert refused.returncode == 4
    assert "/nowhere/libwattree-torch.so" in refused.stderr and "tools/build_torch_plugin" in refused.stderr


def test_traced_and_scripted_convolutions_are_the_same(tmp_path):
    """A ResNet-50 over 16 images takes 2 x 4.09 G multiply-adds an image, and 0.87 J on an H200 in bf16, as measured."""
    pytest.importorskip("torch", reason="there is no PyTorch to write scripts with (apt install python3-torch)")
    subprocess.run([sys.executable, ROOT / "tests/torch/make_resnet.py", tmp_path], check=True)
    answers = []
    for name in ("traced.pt", "scripted.pt"):
        shown = wattree("predict", tmp_path / name, "--input", "bf16[16,3,224,224]", "--on", "h200", "--json")
        assert shown.returncode == 0, shown.stderr
        answers.append(json.loads(shown.stdout))
    traced, scripted = answers
    assert traced["matmul_flops"] == scripted["matmul_flops"] == pytest.approx(16 * 2 * 4.09e9, rel=0.002)
    assert traced["flops"] == scripted["flops"]
    for answer in answers:
        assert answer["tree"]["energy_j"] == pytest.approx(0.87, rel=0.25)
        assert answer["tree"]["energy_low_j"] < 0.87 < answer["tree"]["energy_high_j"]
