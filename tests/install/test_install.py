"""As a user sees it: an install into a prefix of one's own, and programs that are built against nothing but that prefix."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WATTREE_BUILD", ROOT / "build/release"))
HEADERS = sorted((ROOT / "include/wattree").glob("*.h"))


def is_plain_c(header):
    return 'extern "C"' in header.read_text()


def run(*command, **keywords):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **keywords)
    assert done.returncode == 0, f"{command}:\n{done.stdout}"
    return done.stdout


def project_version():
    return re.search(r"project\(wattree VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix") / "opt/wattree"
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """The same, as makers of packages do it: for /opt/wattree, but into a folder that DESTDIR names."""
    stage = tmp_path_factory.mktemp("stage")
    run("cmake", "--install", BUILD, "--prefix", "/opt/wattree", env=os.environ | {"DESTDIR": str(stage)})
    return stage


def build_example(name, prefix, folder):
    """The example's program, built by a user who knows the prefix and nothing else of this clone."""
    source = shutil.copytree(ROOT / "examples" / name, folder / name)
    run("cmake", "-S", source, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
    run("cmake", "--build", folder / "build")
    return folder / "build" / name


def test_everything_is_where_it_belongs(prefix):
    for path in ("bin/wattree", "lib/libwattree.so", "lib/libwattree.so.0", f"lib/libwattree.so.{project_version()}",
                 "lib/libwattree-cpp.a", "lib/cmake/wattree/wattreeConfig.cmake", "lib/pkgconfig/wattree.pc",
                 "lib/pkgconfig/wattree-cpp.pc", "share/man/man1/wattree.1", "share/doc/wattree/README.md",
                 "share/doc/wattree/docs/library.md", "share/bash-completion/completions/wattree",
                 "share/zsh/site-functions/_wattree", "share/fish/vendor_completions.d/wattree.fish"):
        assert (prefix / path).exists(), path
    installed = sorted(path.name for path in (prefix / "include/wattree").iterdir())
    assert installed == [path.name for path in HEADERS]
    assert "complete" in (prefix / "share/bash-completion/completions/wattree").read_text()
    assert run(prefix / "bin/wattree", "--version").strip().endswith(project_version())


def test_no_installed_text_names_the_clone_or_the_build(prefix):
    for path in prefix.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h"):
            text = path.read_text()
            assert str(ROOT) not in text and str(BUILD) not in text and str(prefix) not in text, path


def test_destdir_keeps_everything_inside(staged):
    assert (staged / "opt/wattree/bin/wattree").exists()
    assert [path.name for path in staged.iterdir()] == ["opt"]


@pytest.mark.parametrize("where", ["prefix", "staged"])
def test_the_cpp_example_predicts_what_the_program_predicts(where, request, tmp_path):
    prefix = request.getfixturevalue(where)
    prefix = prefix / "opt/wattree" if where == "staged" else prefix
    program = build_example("predict_in_cpp", prefix, tmp_path)
    said = run(program, "gpt2")
    energy = re.search(r"gpt2: ([\d.e+-]+) J .*, predicted", said)[1]
    answer = run(prefix / "bin/wattree", "predict", "gpt2", "-b", "16", "--dtype", "bf16", "--on", "h200", "--json")
    assert float(energy) == pytest.approx(json.loads(answer)["tree"]["energy_j"], rel=1e-3)
    assert len(re.findall(r"^ *[\d.]+ %", said, re.M)) == 3
    failed = subprocess.run([program, "no-such-model"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and "no-such-model" in failed.stderr and "hint:" in failed.stderr


@pytest.mark.parametrize("where", ["prefix", "staged"])
def test_the_c_example_runs_with_and_without_a_tracker(where, request, tmp_path):
    prefix = request.getfixturevalue(where)
    prefix = prefix / "opt/wattree" if where == "staged" else prefix
    program = build_example("track_in_c", prefix, tmp_path)
    assert run(program).splitlines()[0] == f"libwattree {project_version()}, not tracked"
    home = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    profile = tmp_path / "run.json"
    said = run(prefix / "bin/wattree", "track", "--assume", "cpu=65W", "-o", profile, "--", program, env=home)
    assert f"libwattree {project_version()}, tracked" in said
    assert profile.read_text().count('"duration_s"') >= 3


@pytest.mark.parametrize("name,compiler,source", [("wattree", "cc", "track_in_c/main.c"),
                                                  ("wattree-cpp", "c++", "predict_in_cpp/main.cc")])
def test_pkg_config_knows_what_to_link(name, compiler, source, prefix, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed here")
    env = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(prefix / "lib")}
    flags = run("pkg-config", "--cflags", "--libs", name, env=env).split()
    assert run("pkg-config", "--modversion", name, env=env).strip() == project_version()
    standard = "-std=c99" if compiler == "cc" else "-std=c++20"
    run(compiler, standard, ROOT / "examples" / source, "-o", tmp_path / "program", *flags)
    run(tmp_path / "program", env=env)


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_a_public_header_compiles_alone(header, prefix, tmp_path):
    strict = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    unit = f"#include <wattree/{header.name}>\n#include <wattree/{header.name}>\n"
    source = tmp_path / "alone.cc"
    source.write_text(unit + "int main() {}\n")
    run("c++", "-std=c++20", *strict, "-I", prefix / "include", source)
    if is_plain_c(header):
        plain = tmp_path / "alone.c"
        plain.write_text(unit + "int main(void) { return 0; }\n")
        run("cc", "-std=c99", *strict, "-I", prefix / "include", plain)


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_a_public_header_includes_the_standard_library_and_its_neighbours_only(header):
    for include in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', header.read_text(), re.M):
        assert re.fullmatch(r"[a-z_]+|std[a-z]+\.h|wattree/\w+\.h", include), include


def test_the_man_page_lists_every_command(prefix):
    listed = re.findall(r"^\.TP\n\.B ([a-z]+)\n", (prefix / "share/man/man1/wattree.1").read_text(), re.M)
    known = re.findall(r"^  ([a-z]+) {2,}\S", run(prefix / "bin/wattree", "--help").split("Before a run:")[1], re.M)
    assert listed == known


def test_one_version_everywhere(prefix):
    version = project_version()
    assert run(prefix / "bin/wattree", "--version").split()[-1] == version
    assert f'__version__ = "{version}"' in (ROOT / "python/wattree/_version.py").read_text()
    assert f'PACKAGE_VERSION "{version}"' in (prefix / "lib/cmake/wattree/wattreeConfigVersion.cmake").read_text()
    assert re.search(rf"^Version: {re.escape(version)}$", (prefix / "lib/pkgconfig/wattree.pc").read_text(), re.M)
    code = ("import ctypes, sys; version = ctypes.CDLL(sys.argv[1]).wattree_version; "
            "version.restype = ctypes.c_char_p; print(version().decode())")
    assert run("python3", "-c", code, prefix / "lib/libwattree.so").strip() == version
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[:2] == ["Unreleased", version]


@pytest.mark.parametrize("language,compiler", [("cpp", ["c++", "-std=c++20"]), ("c", ["cc", "-std=c99"])])
def test_what_the_document_shows_compiles(language, compiler, prefix, tmp_path):
    shown = re.search(rf"```{language}\n(.*?)```", (ROOT / "docs/library.md").read_text(), re.S)[1].splitlines(keepends=True)
    includes = [line for line in shown if line.startswith("#include")]
    body = [line for line in shown if not line.startswith("#include")]
    around = "#include <stddef.h>\nstatic int epochs = 2;\nstatic void train(void) {}\n" if language == "c" else ""
    source = tmp_path / f"shown.{language}"
    source.write_text("".join(includes) + around + "int main(void) {\n" + "".join(body) + "return 0;\n}\n")
    run(*compiler, "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-I", prefix / "include", source)
