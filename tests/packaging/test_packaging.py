"""What operators get: the Debian package, the systemd unit and the example for nginx. Each is tried as far as this machine can."""

import contextlib
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WATTREE_BUILD", ROOT / "build/release"))
PACKAGING = ROOT / "packaging"
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def needs(program):
    return pytest.mark.skipif(shutil.which(program, path=PATH) is None, reason=f"{program} is not installed")


def run(*command, **keywords):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env=os.environ | {"PATH": PATH}, **keywords)
    assert done.returncode == 0, f"{command}:\n{done.stdout}"
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    run("cpack", "-G", "DEB", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=BUILD)
    (found,) = folder.glob("wattree_*.deb")
    return found


@needs("dpkg-shlibdeps")
@needs("file")
def test_the_package_has_all_that_is_installed_and_the_unit(package, tmp_path):
    run("dpkg-deb", "-x", package, tmp_path)
    for path in ("bin/wattree", "lib/libwattree.so.0", "lib/libwattree-cpp.a", "include/wattree/wattree.h",
                 "share/man/man1/wattree.1", "share/bash-completion/completions/wattree",
                 "share/zsh/site-functions/_wattree", "share/fish/vendor_completions.d/wattree.fish",
                 "share/doc/wattree/README.md", "share/doc/wattree/examples/nginx.conf", "lib/systemd/system/wattree.service"):
        assert (tmp_path / "usr" / path).exists(), path
    assert not list(tmp_path.rglob("libwattree-torch*")), "the package would need PyTorch"
    assert [path.name for path in tmp_path.iterdir()] == ["usr"]
    version = re.search(r"project\(wattree VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    program = tmp_path / "usr/bin/wattree"
    assert run(program, "--version").split()[-1] == version
    assert "bert" in run(program, "predict", "bert-base-uncased", "--depth", "1")
    assert run("dpkg-deb", "-f", package, "Version").strip() == version
    needed = run("dpkg-deb", "-f", package, "Depends")
    assert "libc6" in needed and "libsqlite3-0" in needed and "torch" not in needed


@needs("dpkg-shlibdeps")
@needs("file")
@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root alone")
def test_dpkg_installs_and_removes_the_package(package, tmp_path):
    for folder in ("updates", "info", "triggers"):
        (tmp_path / "var/lib/dpkg" / folder).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").touch()
    # Unpacked, and not configured: scripts would need a shell in there.
    dpkg = ("dpkg", f"--root={tmp_path}", "--force-depends", "--force-script-chrootless")
    run(*dpkg, "--unpack", package)
    assert "install ok unpacked" in run(*dpkg, "--status", "wattree")
    assert run(tmp_path / "usr/bin/wattree", "--version").startswith("wattree")
    run(*dpkg, "--purge", "wattree")
    assert not list(tmp_path.glob("usr/**/wattree*"))


@needs("systemd-analyze")
def test_systemd_takes_the_unit(wattree, tmp_path):
    unit = tmp_path / "wattree.service"
    text = (PACKAGING / "wattree.service").read_text()
    assert "ExecStart=/usr/bin/wattree serve " in text
    unit.write_text(text.replace("/usr/bin/wattree", wattree).replace("Documentation=man:wattree(1)\n", ""))
    assert run("systemd-analyze", "verify", "--man=no", unit) == ""
    score = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).splitlines()[-1]
    assert float(re.search(r"exposure level for \S+: ([\d.]+)", score)[1]) <= 1.5, score


def test_the_unit_starts_a_server_with_the_flags_it_names(wattree, tmp_path):
    text = (PACKAGING / "wattree.service").read_text()
    flags = re.search(r"^ExecStart=/usr/bin/wattree (.*) \$WATTREE_FLAGS$", text, re.MULTILINE)[1].split()
    flags[flags.index("--port") + 1] = "0"
    names = re.search(r"^Environment=(.*)$", text, re.MULTILINE)[1].replace("%S", str(tmp_path)).replace("%C", str(tmp_path))
    environment = {"PATH": PATH, **dict(entry.split("=", 1) for entry in names.split())}
    with subprocess.Popen([wattree, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        url = process.stdout.readline().split()[-1]
        with urllib.request.urlopen(url + "/api/v1/profiles", timeout=30) as answer:
            assert answer.status == 200
        process.terminate()
        _, log = process.communicate(timeout=30)
    assert process.returncode == 0
    assert '"operation":"profiles"' in log
    assert {path.name for path in tmp_path.iterdir()} == {"wattree"}, "it writes elsewhere, which the unit forbids"


@contextlib.contextmanager
def started(*command):
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@needs("nginx")
@needs("openssl")
def test_the_server_is_called_through_the_example_for_nginx(wattree, tmp_path):
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key", "-out", tmp_path / "cert",
        "-subj", "/CN=energy.example.org", "-days", "1")
    with started(wattree, "serve", "--port", "0", "--public", "--trust-proxy", "127.0.0.1", "--host-name",
                 "energy.example.org") as server:
        port, own = free_port(), re.search(r":(\d+)$", server.stdout.readline().strip())[1]
        example = (PACKAGING / "nginx.conf").read_text()
        for ours, theirs in (("127.0.0.1:8080", f"127.0.0.1:{own}"), ("listen 443", f"listen 127.0.0.1:{port}"),
                             ("/etc/ssl/certs/energy.example.org.pem", tmp_path / "cert"),
                             ("/etc/ssl/private/energy.example.org.key", tmp_path / "key")):
            assert ours in example, ours
            example = example.replace(ours, str(theirs))
        temporary = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off; {temporary}\n{example}\n}}\n")
        nginx = (shutil.which("nginx", path=PATH), "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log")
        run(*nginx, "-t")
        with started(*nginx):
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

            def ask(path, host="energy.example.org"):
                request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", headers={"Host": host})
                try:
                    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
                        return answer.status
                except urllib.error.HTTPError as error:
                    return error.code

            end = time.monotonic() + 20
            while True:
                with contextlib.suppress(urllib.error.URLError):
                    assert ask("/healthz") == 200
                    break
                assert time.monotonic() < end, (tmp_path / "error.log").read_text()
                time.sleep(0.05)
            assert ask("/api/v1/predict?model=gpt2") == 200
            assert ask("/metrics") == 401, "a caller behind the proxy is no caller from this machine"
            assert ask("/healthz", host="evil.example.org") == 403


def test_the_container_is_made_of_the_package_alone():
    lines = [line for line in (PACKAGING / "Containerfile").read_text().splitlines() if line and not line.startswith("#")]
    text = "\n".join(lines)
    assert lines[0] == "FROM debian:12-slim"
    assert re.findall(r"^COPY (.*)$", text, re.MULTILINE) == ["wattree_*.deb /tmp/"]
    assert text.index("\nUSER wattree") < text.index("\nENTRYPOINT")
