"""Checkpoints: saved, resumed here and by the command line, and what they never replace."""

import os
import subprocess

import numpy as np
import pytest
from flights import SETTINGS, begin, target, wait_until

import starling


def test_a_checkpoint_is_resumed_by_both(binary, tmp_path):
    state = tmp_path / "state"
    settings = dict(dim=3, **SETTINGS)
    flight = starling.Flight("normal", **settings).step(25)
    os.mkdir(state)
    flight.save(state / "run-1.checkpoint")
    whole = flight.step(100).positions
    assert np.array_equal(starling.resume(state / "run-1.checkpoint").step(100).positions, whole)
    assert starling.resume(state / "run-1.checkpoint", "normal", steps=70, threads=2).total == 70
    subprocess.run(
        [str(binary), "sample", "--resume", str(state), "--out", str(tmp_path / "out"), "--quiet"],
        check=True,
        timeout=600,
    )
    assert np.array_equal(np.load(tmp_path / "out" / "draws.npz")["draws"], whole)


def test_a_checkpoint_of_the_command_line_is_resumed_here(binary, tmp_path):
    words = "sample mixture --particles 50 --steps 4000000 --seed 5 --threads 1 --quiet".split()
    words += ["--checkpoint-every", "50"]
    run = subprocess.Popen(
        [str(binary), *words, "--out", str(tmp_path / "out")], stderr=subprocess.DEVNULL
    )
    file = tmp_path / "out-state" / "run-1.checkpoint"
    try:
        wait_until(file.exists, run)
    finally:
        run.kill()
        run.wait()
    flight = starling.resume(file)
    assert flight.done % 50 == 0 and flight.settings["target"] == "mixture"
    other = starling.Flight("mixture", **{**SETTINGS, "steps": 4000000})
    assert np.array_equal(other.step(flight.done).positions, flight.positions)


def test_a_checkpoint_needs_the_target_it_had(tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    begin().step(5).save(mine)
    starling.Flight("mixture", **SETTINGS).save(theirs)
    assert np.array_equal(
        starling.resume(mine, target, dim=2).step(60).positions, begin().step(60).positions
    )
    for file, given, dim, text in [
        (mine, None, None, "target: give it again"),
        (mine, target, 3, str(mine)),
        (mine, target, None, "dim"),
        (mine, "mixture", None, "give it again"),
        (theirs, target, 1, "leave it out"),
        (theirs, "normal", None, "must be mixture"),
    ]:
        with pytest.raises(ValueError, match=text):
            starling.resume(file, given, dim=dim)
    with pytest.raises(ValueError, match="steps"):
        starling.resume(mine, target, dim=2, steps=3)
    with pytest.raises(FileNotFoundError):
        starling.resume(tmp_path / "nowhere")
    mine.write_bytes(mine.read_bytes()[:-3])
    with pytest.raises(ValueError, match=str(mine)):
        starling.resume(mine, target, dim=2)


def test_sample_keeps_its_state_in_a_file(tmp_path):
    file = tmp_path / "run.checkpoint"
    stages = []

    def watch(flight):
        stages.append(starling.resume(file, target, dim=2).done)

    result = starling.sample(
        target,
        dim=2,
        progress=False,
        callback=watch,
        checkpoint=file,
        checkpoint_every=20,
        **SETTINGS,
    )
    assert sorted(set(stages)) == [0, 20, 40, 60]
    assert np.array_equal(starling.resume(file, target, dim=2).positions, result.unconstrained)
    with pytest.raises(OSError):
        starling.sample(target, dim=2, progress=False, checkpoint=tmp_path, **SETTINGS)


OTHERS = {
    "a letter": b"dear reader\n",
    "something like it": b"starling",
    "an archive": bytes(range(256)),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_is_no_checkpoint_is_never_replaced(kind, force, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_bytes(OTHERS[kind])
    with pytest.raises(
        FileExistsError, match="exists and is not a checkpoint; choose another file"
    ):
        starling.sample(target, dim=2, progress=False, checkpoint=file, force=force, **SETTINGS)
    with pytest.raises(FileExistsError, match="mine.txt"):
        begin().save(str(file), force=force)
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(FileExistsError):
        begin().save(link, force=force)
    assert file.read_bytes() == OTHERS[kind] and link.is_symlink()


def test_a_device_and_a_pipe_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (pipe, "/dev/null"):
        with pytest.raises(FileExistsError, match="is not a checkpoint"):
            begin().save(file, force=True)
    assert pipe.is_fifo()


def test_a_checkpoint_of_another_run_is_replaced_only_by_force(tmp_path):
    file = tmp_path / "c"
    begin().step(7).save(file)
    before = file.read_bytes()
    with pytest.raises(FileExistsError, match="another run; resume.* force=True replaces it"):
        starling.sample(target, dim=2, progress=False, checkpoint=file, **SETTINGS)
    with pytest.raises(FileExistsError, match="another run"):
        begin().step(9).save(file)
    assert file.read_bytes() == before
    flight = starling.resume(file, target, dim=2)
    flight.step(1).save(file)  # it is that run
    flight.step(1).save(file)
    assert starling.resume(file, target, dim=2).done == 9
    starling.sample(target, dim=2, progress=False, checkpoint=file, force=True, **SETTINGS)
    assert starling.resume(file, target, dim=2).done == 60


def test_a_new_file_and_an_empty_one_are_written(tmp_path):
    empty = tmp_path / "empty"  # as tempfile makes them
    empty.touch()
    for file in (empty, tmp_path / "new"):
        flight = begin()
        flight.step(3).save(file)
        flight.step(3).save(file)
        assert starling.resume(file, target, dim=2).done == 6


def test_a_folder_of_something_else_is_never_replaced(tmp_path):
    result = begin().step(60).result()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear reader")
    for force in (False, True):
        with pytest.raises(OSError):
            result.save(tmp_path / "mine", force=force)
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["letter"]
    result.save(tmp_path / "out")
    (tmp_path / "out" / "letter").write_text("dear reader")
    with pytest.raises(FileExistsError):
        result.save(tmp_path / "out")
