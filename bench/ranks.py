"""Ranks against independent processes and threads: steps a second, as JSON on stdout.

    python3 bench/ranks.py [--ranks 1,2,4] [--quick]        from the top, after a build that found an MPI

For each case and number of ranks R: seconds of a step under mpirun -n R; of R processes at once, each with N/R particles and
nothing to say to each other, which is what the memory of the machine leaves of R cores; and of one process with R threads.
`efficiency` is the second over the first. The numbers that cross are counted in tests/mpi/law_test.cpp. Plain Python.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

BINARY = "build/release/starling"
CASES = {
    "pairs": dict(particles=2**20, dim=2, batch=2, deal="matching", steps=60),
    "pairs, inside blocks": dict(particles=2**20, dim=2, batch=2, deal="matching", steps=60, redeal=50),
    "batches of 8": dict(particles=2**16, dim=56, batch=8, deal="cosets", steps=40),
}


def words(case, out, particles, blocks):
    line = ["sample", "normal", "--dim", case["dim"], "--particles", particles, "--batch", case["batch"], "--deal", case["deal"],
            "--steps", case["steps"], "--bandwidth", "1", "--certify", "none", "--seed", 1, "--quiet", "--force", "--format", "npz",
            "--out", out]
    if blocks:
        line += ["--blocks", 64] + (["--redeal", case["redeal"]] if "redeal" in case else [])
    return [str(word) for word in line]


def seconds_in(out):
    with open(os.path.join(out, "summary.json")) as file:
        summary = json.load(file)
    seconds = summary["seconds"]
    return seconds["total"] if isinstance(seconds, dict) else seconds


def a_step(case, commands, outs):
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if any(process.wait() for process in running):
        raise SystemExit("bench/ranks.py: a run failed; its own words are above")
    return max(map(seconds_in, outs)) / case["steps"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    start = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"]
    found = {"cores": os.cpu_count(), "cases": []}
    with tempfile.TemporaryDirectory() as folder:
        for name, case in CASES.items():
            n = case["particles"] // (64 if given.quick else 1)
            for ranks in map(int, given.ranks.split(",")):
                outs = [os.path.join(folder, f"run-{rank}") for rank in range(ranks)]
                together = a_step(case, [start + ["-n", str(ranks), BINARY] + words(case, outs[0], n, True) + ["--threads", "1"]], outs[:1])
                apart = a_step(case, [[BINARY] + words(case, out, n // ranks, False) + ["--threads", "1"] for out in outs], outs)
                threads = a_step(case, [[BINARY] + words(case, outs[0], n, False) + ["--threads", str(ranks)]], outs[:1])
                found["cases"].append(dict(name=name, particles=n, ranks=ranks, ms_a_step=1e3 * together, ms_apart=1e3 * apart,
                                           ms_threads=1e3 * threads, efficiency=apart / together))
                print(found["cases"][-1], file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
