"""What `cmake --install` lays down, and what is left to pip."""

import shutil
import subprocess


def test_the_python_module_is_left_to_pip(binary, tmp_path):
    cmake = shutil.which("cmake")
    assert cmake, "cmake: must be on the path"
    build = binary.parent
    assert list((build / "python" / "starling").glob("_starling*.so")), (
        "the module must be built for this to say anything"
    )
    subprocess.run(
        [cmake, "--install", build, "--prefix", tmp_path], check=True, capture_output=True
    )
    assert {entry.name for entry in tmp_path.iterdir()} <= {
        "bin",
        "include",
        "lib",
        "lib64",
        "share",
    }
    assert not list(tmp_path.rglob("_starling?*")), "a module in a folder where no Python looks"
    assert (tmp_path / "bin" / "starling").is_file()
