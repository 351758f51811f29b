"""What the module shows to other libraries of a process: its start, and nothing else. Templates
that another library exports under the same name would be mixed up with ours, and ours with theirs:
a JAX that was imported first ended the process so."""

import shutil
import subprocess

import pytest


def test_the_module_exports_its_start_alone():
    from starling import _starling

    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm, of binutils, is not here")
    told = subprocess.run(
        [nm, "-D", "--defined-only", _starling.__file__], capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[-1] for line in told.splitlines()] == ["PyInit__starling"]
