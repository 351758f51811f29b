"""The wheel and the Debian package, made of what is built, installed into empty places, and used
there."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def packages(binary):
    """build/packages, made once; a build elsewhere than build/release is none of
    scripts/package."""
    if binary.parent != ROOT / "build" / "release" or sys.prefix != str(ROOT / "build" / "venv"):
        pytest.skip("packages are made of build/release by build/venv: scripts/test has both")
    run(ROOT / "scripts" / "package", env={**os.environ, "STARLING_BUILT": "yes"})
    return ROOT / "build" / "packages"


@pytest.fixture(scope="module")
def bare(packages, tmp_path_factory):
    """An environment with the wheel and the two packages that it needs, which are lent so that no
    network is asked."""
    place = tmp_path_factory.mktemp("bare")
    run(sys.executable, "-m", "venv", place / "venv")
    (wheel,) = packages.glob("*.whl")
    run(
        place / "venv" / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--disable-pip-version-check",
        wheel,
    )
    (site,) = (place / "venv" / "lib").glob("python*/site-packages")
    for lent in ("numpy", "numpy.libs", "nanobind_backend"):
        found = [Path(path) / lent for path in sys.path if (Path(path) / lent).is_dir()]
        if found:  # a NumPy of the system's has no numpy.libs
            (site / lent).symlink_to(found[0])
    return place


def plain(place):
    """Nothing of this machine's but the environment's own programs: no compiler, no module path."""
    (place / "work").mkdir(exist_ok=True)
    return {
        "cwd": place / "work",
        "env": {"PATH": str(place / "venv" / "bin"), "HOME": str(place), "LANG": "C.UTF-8"},
    }


def test_the_wheel_serves_every_python_from_3_10_on_and_brings_its_libraries(packages):
    (wheel,) = packages.glob("*.whl")
    assert re.fullmatch(r"starling_svgd-[\d.]+-cp310-abi3-manylinux_2_\d+_\w+\.whl", wheel.name), (
        wheel.name
    )
    names = zipfile.ZipFile(wheel).namelist()
    assert any(re.match(r"starling_svgd\.libs/libopenblas", name) for name in names)
    assert {"starling_programs/bin/starling", "starling_programs/bin/starling-lab"} <= set(names)
    if shutil.which("dpkg-query") and list(
        Path("/usr/share/doc").glob("libopenblas0-*/copyright")
    ):  # small systems leave them out
        for library in ("libopenblas", "libeigen3", "libhwy", "libcli11", "nlohmann", "nanobind"):
            assert any(f"dist-info/licenses/{library}" in name for name in names), library
    assert not any(
        "mpi" in name.lower() for name in names if name.endswith(".so") or ".libs/" in name
    )  # mpi4py brings its own
    assert wheel.stat().st_size < 60e6


def test_a_bare_environment_has_the_command_line(bare):
    bin_ = bare / "venv" / "bin"
    assert "RBM-SVGD" in run(bin_ / "starling", "demo", **plain(bare))
    assert (bare / "work" / "out" / "demo" / "mixture" / "svgd" / "draws.npz").is_file()
    maps = run(
        bin_ / "python",
        "-c",
        "import starling; print(open('/proc/self/maps').read())",
        **plain(bare),
    )
    loaded = {
        line.split()[-1] for line in maps.splitlines() if "openblas" in line and "numpy" not in line
    }
    assert loaded and all(str(bare) in path for path in loaded), (
        loaded
    )  # its own, not this machine's


def test_every_simd_level_of_the_family_is_inside_and_the_widest_is_chosen(bare):
    program = bare / "venv" / "bin" / "starling"
    words = set(Path("/proc/cpuinfo").read_text().split())
    levels = ["scalar"]
    if platform.machine() == "aarch64":
        levels += ["neon"]
    elif platform.machine() == "x86_64":
        levels += ["avx2"] if {"avx2", "fma", "bmi1", "bmi2"} <= words else []
        levels += (
            ["avx512"]
            if "avx2" in levels
            and {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= words
            else []
        )
    told = json.loads(run(program, "info", "--json", **plain(bare)))
    assert told["simd"] == {"in_use": levels[-1], "available": levels}
    for level in levels:
        said = json.loads(
            run(
                program,
                "--simd",
                level,
                "sample",
                "normal",
                "--steps",
                "20",
                "--particles",
                "64",
                "--json",
                **plain(bare),
            )
        )
        assert said["particles"] == 64


def test_a_bare_environment_runs_the_readme(bare):
    *_, example = re.findall(  # the last needs NumPy alone
        r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.S | re.M
    )
    assert "converged: 20 HMC moves" in run(
        bare / "venv" / "bin" / "python", "-c", example, **plain(bare)
    )
    assert "report" in run(bare / "venv" / "bin" / "python", "-m", "starling", **plain(bare))


def test_the_debian_package_works_in_an_empty_place(packages, tmp_path):
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb: is Debian's")
    (package,) = packages.glob("*.deb")
    run("dpkg-deb", "-x", package, tmp_path)
    assert "RBM-SVGD" in run(tmp_path / "usr" / "bin" / "starling", "demo", cwd=tmp_path)
    assert run(tmp_path / "usr" / "bin" / "starling", "--version") == (ROOT / "VERSION").read_text()
    for file in (
        "bin/starling-lab",
        "include/starling/starling.hpp",
        "share/man/man1/starling.1.gz",
        "share/doc/starling/copyright",
        "share/bash-completion/completions/starling",
        "share/zsh/vendor-completions/_starling",
        "share/fish/vendor_completions.d/starling.fish",
    ):
        assert (tmp_path / "usr" / file).is_file(), file
    assert list((tmp_path / "usr").rglob("libstarling.a")) and list(
        (tmp_path / "usr").rglob("starlingConfig.cmake")
    )
    needs = run("dpkg-deb", "-f", package, "Depends")
    for one in ("libc6", "libopenblas", "libstdc++6"):
        assert one in needs
    assert "mpi" not in needs  # who runs alone needs none
    if (ROOT / "build" / "release" / "starling_mpi.so").is_file():
        assert (tmp_path / "usr" / "lib" / "starling" / "starling_mpi.so").is_file()
        assert "openmpi-bin" in run("dpkg-deb", "-f", package, "Suggests")
        assert json.loads(run(tmp_path / "usr" / "bin" / "starling", "info", "--json"))[
            "back_ends"
        ]["mpi"]["present"]
    for one in needs.split(", "):  # each is a package that is here, in a version that is enough
        name, least = re.fullmatch(r"([\w.+-]+) \(>= (.*)\)", one.strip()).groups()
        here = run("dpkg-query", "-W", "-f=${Version}", name)
        run("dpkg", "--compare-versions", here, "ge", least)
