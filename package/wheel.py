"""Makes the wheel from a finished build: the package, its module, both programs. python3
package/wheel.py BUILD OUT"""

import base64
import hashlib
import importlib.metadata
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = "starling_svgd"


def project() -> dict[str, str]:
    """What pyproject.toml says, as far as it is needed here; Python 3.10 has no reader of TOML."""
    text = (ROOT / "pyproject.toml").read_text()

    def after(key: str) -> str:
        return re.search(rf"^{key} = (.*)$", text, re.M)[1]

    (optional,) = re.findall(r"^\[project.optional-dependencies\]\n(.*?)^\[", text, re.S | re.M)
    extras = re.findall(r"^(\w+) = (.*)$", optional, re.M)
    return {
        "name": after("name").strip('"'),
        "summary": after("description").strip('"'),
        "python": after("requires-python").strip('"'),
        "needs": re.findall(r'"([^"]+)"', after("dependencies")),
        "extras": {key: re.findall(r'"([^"]+)"', value) for key, value in extras},
    }


def metadata(version: str) -> str:
    about = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {version}",
        f"Summary: {about['summary']}",
        f"Requires-Python: {about['python']}",
        "License: MIT",
        *(f"Requires-Dist: {one}" for one in about["needs"]),
    ]
    for extra, packages in about["extras"].items():
        lines += [
            f"Provides-Extra: {extra}",
            *(f'Requires-Dist: {one}; extra == "{extra}"' for one in packages),
        ]
    return "\n".join(
        [*lines, "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    )


def tags(module: Path) -> tuple[str, str]:
    """For which Pythons: one wheel for all from 3.10 on if the module keeps to the stable part of
    their interface."""
    if ".abi3." in module.name:
        return "cp310", "abi3"
    this = re.search(r"cpython-(\d+)", module.name)[1]
    return f"cp{this}", f"cp{this}"


def stage(build: Path, tree: Path) -> Path:
    """Lays the files down as they will be in site-packages; the module."""
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(ROOT / "python" / "starling", tree / "starling", ignore=skip)
    shutil.copytree(ROOT / "python" / "starling_programs", tree / "starling_programs", ignore=skip)
    made = build / "python" / "starling"
    modules = sorted(made.glob("_starling*.so"))
    if len(modules) != 1:
        sys.exit(f"package: {made}: must hold the module once; got {len(modules)}")
    shutil.copy(modules[0], tree / "starling")
    if (made / "_starling.pyi").is_file():
        shutil.copy(made / "_starling.pyi", tree / "starling")
    programs = tree / "starling_programs" / "bin"
    programs.mkdir()
    for name in ("starling", "starling-lab"):
        shutil.copy(build / name, programs)
    # What `starling reproduce` draws its pictures with, where the program looks for it.
    share = tree / "starling_programs" / "share" / "starling" / "reproduce"
    for file in (ROOT / "reproduce").rglob("*"):
        if file.suffix in (".py", ".css", ".html") and "__pycache__" not in file.parts:
            to = share / file.relative_to(ROOT / "reproduce")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
    data = tree / f"{NAME}-{(ROOT / 'VERSION').read_text().strip()}.data" / "data" / "share"
    for name, where in (
        ("starling.1", "man/man1"),
        ("starling", "bash-completion/completions"),
        ("_starling", "zsh/site-functions"),
        ("starling.fish", "fish/vendor_completions.d"),
    ):
        (data / where).mkdir(parents=True)
        shutil.copy(build / "told" / name, data / where)
    for file in (
        tree / "starling" / modules[0].name,
        programs / "starling",
        programs / "starling-lab",
    ):
        subprocess.run(["strip", str(file)], check=True)
    return tree / "starling" / modules[0].name


# Libraries that are compiled into ours: no program loads them, and their notices come along.
COMPILED_IN = ("libcli11-dev", "libeigen3-dev", "libhwy-dev", "nlohmann-json3-dev")


def copy_notices(programs: list[Path], to: Path) -> None:
    """The licences of the libraries that come along, where the system keeps them: Debian does, a
    package a file. That of nanobind is its package's."""
    to.mkdir(exist_ok=True)
    for file in importlib.metadata.files("nanobind") or []:
        if file.name == "LICENSE":
            shutil.copy(file.locate(), to / "nanobind")
    for package in COMPILED_IN:
        if (notice := Path("/usr/share/doc") / package / "copyright").is_file():
            shutil.copy(notice, to / package)
    if not shutil.which("dpkg-query"):
        return
    loaded = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True).stdout
    for library in sorted(set(re.findall(r"=> (/\S+)", loaded))):
        owners = subprocess.run(
            ["dpkg-query", "-S", library, str(Path(library).resolve())],
            capture_output=True,
            text=True,
        ).stdout
        for owner in re.findall(r"^([\w.+-]+)", owners, re.M):
            notice = Path("/usr/share/doc") / owner / "copyright"
            if notice.is_file():
                shutil.copy(notice, to / owner)


def write(build: Path, out: Path) -> Path:
    version = (ROOT / "VERSION").read_text().strip()
    tree = out / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    module = stage(build, tree)
    python, abi = tags(module)
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = tree / f"{NAME}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata(version))
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: starling package\nRoot-Is-Purelib: false\nTag: "
        f"{python}-{abi}-{platform}\n"
    )
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nstarling = starling_programs:starling\n"
        "starling-lab = starling_programs:starling_lab\n"
    )
    shutil.copy(ROOT / "LICENSE", info)
    copy_notices([build / "starling", module], info / "licenses")
    if (build / "starling.spdx.json").is_file():
        shutil.copy(build / "starling.spdx.json", info)
    wheel = out / f"{NAME}-{version}-{python}-{abi}-{platform}.whl"
    records = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in tree.rglob("*") if file.is_file()):
            name, content = file.relative_to(tree).as_posix(), file.read_bytes()
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            )
            records.append(f"{name},sha256={digest},{len(content)}")
            entry = zipfile.ZipInfo(
                name, (1980, 1, 1, 0, 0, 0)
            )  # the same files give the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if file.stat().st_mode & 0o100 else 0o644) << 16
            archive.writestr(entry, content)
        record = f"{NAME}-{version}.dist-info/RECORD"
        archive.writestr(
            zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "\n".join([*records, f"{record},,", ""])
        )
    shutil.rmtree(tree)
    return wheel


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    print(write(Path(sys.argv[1]), Path(sys.argv[2])))
