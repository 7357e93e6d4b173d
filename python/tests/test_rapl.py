"""The processor's counters, from files that a test moves."""

import os

import pytest

from wattree.rapl import Rapl, RaplError


@pytest.fixture
def zones(tmp_path):
    def make(zone, name, energy_uj, full_uj=1_000_000_000):
        folder = tmp_path / zone
        folder.mkdir()
        (folder / "name").write_text(f"{name}\n")
        (folder / "max_energy_range_uj").write_text(f"{full_uj}\n")
        (folder / "energy_uj").write_text(f"{energy_uj}\n")
        return folder / "energy_uj"

    make.folder = tmp_path
    return make


def test_packages_and_memory_count_and_nothing_twice(zones):
    package, core = zones("intel-rapl:0", "package-0", 5_000_000), zones("intel-rapl:0:0", "core", 1_000_000)
    dram, psys = zones("intel-rapl:0:1", "dram", 0), zones("intel-rapl:1", "psys", 0)
    other = zones("intel-rapl-mmio:0", "package-0", 5_000_000)
    meter = Rapl(zones.folder)
    assert meter.energy_j() == 0
    for counter in (package, core, dram, psys, other):
        counter.write_text(f"{int(counter.read_text()) + 2_000_000}\n")
    assert meter.energy_j() == pytest.approx(4.0)


def test_a_wrap_loses_nothing(zones):
    package = zones("intel-rapl:0", "package-0", 999_000_000)
    meter = Rapl(zones.folder)
    package.write_text("500000\n")
    assert meter.energy_j() == pytest.approx(1.5)
    package.write_text("2500000\n")
    assert meter.energy_j() == pytest.approx(3.5)


def test_what_is_missing_is_told(zones):
    with pytest.raises(RaplError, match="no energy counter"):
        Rapl(zones.folder)


def test_a_counter_for_root_alone_is_told(zones, monkeypatch):
    package = zones("intel-rapl:0", "package-0", 1)
    if os.geteuid() == 0:  # Root may read anything.
        monkeypatch.setattr(Rapl, "_read", lambda self: (_ for _ in ()).throw(PermissionError(13, "denied")))
    else:
        package.chmod(0)
    with pytest.raises(RaplError, match="sudo chmod"):
        Rapl(zones.folder)
