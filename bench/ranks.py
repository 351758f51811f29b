"""Ranks against independent processes and threads, and what crosses: JSON on stdout.

    python3 bench/ranks.py [--ranks 1,2,4] [--quick]        from the top, after a build that found
    an MPI python3 bench/ranks.py --memory [--ranks 4]             the most memory that each rank
    has held, and nothing else

For each case and number of ranks R: milliseconds of a step under mpirun -n R, where ranks of one
machine have memory in common; of the same by messages, as between machines (OpenMPI is told to give
no memory in common); of R processes at once, each with N/R particles and nothing to say to each
other, which is what the memory of the machine leaves of R cores; and of one process with R threads.
Looks are left out of a step and told apart. `kept` is the second over the first. What crosses is
counted by OpenMPI's own monitoring, the difference of two runs with as many looks, against the
formula of docs/ranks_measured.md. Plain Python."""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

CASES = {
    "pairs": dict(
        target=["normal", "--dim", 2], dim=2, particles=10**6, batch=2, deal="matching", steps=50
    ),
    "batches of 8": dict(
        target=["normal", "--dim", 56], dim=56, particles=10**5, batch=8, deal="moebius", steps=20
    ),
    "a millisecond a row": dict(
        target=["plugin"], dim=2, particles=512, batch=2, deal="matching", steps=4
    ),
}
APART = ["--mca", "osc", "^sm"]  # what OpenMPI's memory in common is made by
COUNTED = {
    "pairs": dict(target=["normal", "--dim", 2], dim=2, particles=2**17, batch=2, deal="matching"),
    "cosets of 8": dict(
        target=["normal", "--dim", 8], dim=8, particles=2**16, batch=8, deal="cosets"
    ),
    "moebius, batches of 5": dict(
        target=["normal", "--dim", 8], dim=8, particles=10**5, batch=5, deal="moebius"
    ),
}


class Bench:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.slow = given.slow
        if not self.slow and not given.quick and not given.memory:
            self.slow = os.path.join(folder, "slow_rows.so")
            subprocess.run(
                [
                    "cc",
                    "-O2",
                    "-fPIC",
                    "-shared",
                    "-Iinclude",
                    "-o",
                    self.slow,
                    "bench/slow_rows.c",
                ],
                check=True,
            )

    def words(self, case, out, particles, steps, threads=1, blocks=True):
        target = case["target"] + ([self.slow] if case["target"] == ["plugin"] else [])
        line = [
            self.given.binary,
            "sample",
            *target,
            "--particles",
            particles,
            "--batch",
            case["batch"],
            "--deal",
            case["deal"],
            "--steps",
            steps,
            "--bandwidth",
            1,
            "--certify",
            "none",
            "--seed",
            1,
            "--quiet",
            "--force",
            "--format",
            "npz",
            "--threads",
            threads,
            "--out",
            out,
        ]
        if blocks:
            line += ["--blocks", 64]
        return [str(word) for word in line]

    def start(self, ranks, *more):
        crowded = (
            ["--mca", "mpi_yield_when_idle", "1"] if ranks > len(os.sched_getaffinity(0)) else []
        )
        return [
            self.given.mpirun,
            "--oversubscribe",
            "--allow-run-as-root",
            "--bind-to",
            "none",
            *crowded,
            *more,
            "-n",
            str(ranks),
        ]

    def run(self, commands):
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
        if any([process.wait() for process in running]):
            raise SystemExit("bench/ranks.py: a run failed; its own words are above")

    def a_step(self, case, commands, outs):
        """Milliseconds of a step and of a look, of the slowest; the best of the repeats."""
        best = (float("inf"), 0)
        for _ in range(self.given.repeats):
            self.run(commands)
            found = []
            for out in outs:
                with open(os.path.join(out, "summary.json")) as file:
                    told = json.load(file)
                with open(os.path.join(out, "trace.csv")) as file:
                    looks = len(file.readlines()) - 2  # without the heading, and the end's own
                found.append(
                    (
                        1e3 * (told["seconds"] - told["seconds_look"]) / case["steps"],
                        1e3 * told["seconds_look"] / max(1, looks),
                    )
                )
            best = min(best, max(found))
        return best

    def times(self, name, case, ranks):
        n = (
            max(64, case["particles"] // 4096 * 64) if self.given.quick else case["particles"]
        )  # a multiple of the blocks
        outs = [os.path.join(self.folder, f"run-{rank}") for rank in range(ranks)]
        steps = case["steps"]
        together = self.a_step(
            case, [self.start(ranks) + self.words(case, outs[0], n, steps)], outs[:1]
        )
        messages = (
            self.a_step(
                case, [self.start(ranks, *APART) + self.words(case, outs[0], n, steps)], outs[:1]
            )
            if ranks > 1
            else together
        )
        apart = self.a_step(
            case, [self.words(case, out, n // ranks, steps, blocks=False) for out in outs], outs
        )
        threads = (
            self.a_step(
                case, [self.words(case, outs[0], n, steps, threads=ranks, blocks=False)], outs[:1]
            )
            if ranks > 1
            else apart
        )
        return dict(
            name=name,
            particles=n,
            dim=case["dim"],
            batch=case["batch"],
            ranks=ranks,
            ms_a_step=together[0],
            ms_a_look=together[1],
            ms_messages=messages[0],
            ms_a_look_messages=messages[1],
            ms_apart=apart[0],
            ms_threads=threads[0],
            ms_a_look_threads=threads[1],
            kept=apart[0] / together[0],
            against_threads=threads[0] / together[0],
        )

    def sent(self, case, ranks, steps):
        """Numbers that ranks sent each other one by one, messages, and how often a run looked."""
        out, counts = os.path.join(self.folder, "run-0"), os.path.join(self.folder, "counts")
        watched = [
            *APART,
            "--mca",
            "pml_monitoring_enable",
            "2",
            "--mca",
            "pml_monitoring_enable_output",
            "3",
            "--mca",
            "pml_monitoring_filename",
            counts,
        ]
        self.run([self.start(ranks, *watched) + self.words(case, out, case["particles"], steps)])
        numbers = messages = 0
        for name in glob.glob(counts + ".*.prof"):
            with open(name) as file:
                for line in file:
                    parts = line.split("\t")
                    if parts[0] == "E":
                        numbers += int(parts[3].split()[0]) / 8
                        messages += int(parts[4].split()[0])
            os.remove(name)
        with open(os.path.join(out, "trace.csv")) as file:
            return numbers, messages, len(file.readlines())

    def crosses(self, name, case, ranks):
        n, few, many = case["particles"], 1, 9
        before, after = self.sent(case, ranks, few), self.sent(case, ranks, many)
        if before[2] != after[2]:
            raise SystemExit(
                f"bench/ranks.py: {name}: the two runs looked {before[2]} and {after[2]} times"
            )
        split = 1 - (n / ranks - 1) / (n - 1)
        return dict(
            name=name,
            particles=n,
            dim=case["dim"],
            batch=case["batch"],
            ranks=ranks,
            numbers_a_row_and_step=(after[0] - before[0]) / (many - few) / n,
            formula=3 * case["dim"] * (1 - 1 / case["batch"]) * split,
            messages_a_rank_and_step=(after[1] - before[1]) / (many - few) / ranks,
        )

    def held(self, ranks, particles=10**6, dim=10):
        """MiB that each rank has held at most, the first first: after two checkpoints, and after
        resuming from one and two more."""
        out = os.path.join(self.folder, "held")
        case = dict(target=["normal", "--dim", dim], batch=8, deal="moebius")
        state = os.path.join(out + "-state", "run-1.checkpoint")
        begin = self.words(case, out, particles, 10**9) + ["--checkpoint-every", "3"]
        resume = [
            self.given.binary,
            "sample",
            "--resume",
            out,
            "--checkpoint-every",
            "3",
            "--quiet",
        ]
        found = {}
        for name, command in ("started", begin), ("resumed", resume):
            before, seen = os.stat(state).st_mtime_ns if os.path.exists(state) else 0, set()
            running = subprocess.Popen(
                self.start(ranks) + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while len(seen) < 2 and running.poll() is None:
                time.sleep(0.02)
                if os.path.exists(state) and os.stat(state).st_mtime_ns != before:
                    seen.add(os.stat(state).st_mtime_ns)
            found[name] = [self.peak(pid) for pid in self.ranks_of(running.pid)]
            running.terminate()
            running.wait()
        return dict(
            particles=particles,
            dim=dim,
            ranks=ranks,
            own_MiB=particles // ranks * dim * 8 / 2**20,
            MiB=found,
        )

    def ranks_of(self, parent):
        """Processes of the binary below that one, in the order of ranks."""
        pids = []
        for name in glob.glob("/proc/[0-9]*/environ"):
            pid = name.split("/")[2]
            try:
                if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(self.given.binary):
                    with open(name, "rb") as file:
                        environ = dict(
                            line.split(b"=", 1) for line in file.read().split(b"\0") if b"=" in line
                        )
                    with open(f"/proc/{pid}/stat") as file:
                        if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                            pids.append((int(environ[b"OMPI_COMM_WORLD_RANK"]), pid))
            except (OSError, KeyError):
                pass  # it has ended, or is another's
        return [pid for _, pid in sorted(pids)]

    def peak(self, pid):
        with open(f"/proc/{pid}/status") as file:
            return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument(
        "--quick", action="store_true", help="few particles, nothing compiled: does it run"
    )
    parser.add_argument("--binary", default="build/release/starling")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--memory", action="store_true", help="what each rank has held at most")
    parser.add_argument(
        "--slow", default="", help="bench/slow_rows.c, compiled; else it is compiled here"
    )
    given = parser.parse_args()
    all_ranks = [int(n) for n in given.ranks.split(",")]
    found = {"cores": len(os.sched_getaffinity(0)), "times": [], "crosses": []}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given, folder)
        if given.memory:
            return print(json.dumps([bench.held(ranks) for ranks in all_ranks], indent=1))
        for name, case in CASES.items():
            for ranks in all_ranks:
                if case["target"] != ["plugin"] or bench.slow:
                    found["times"].append(bench.times(name, case, ranks))
                    print(found["times"][-1], file=sys.stderr)
        for name, case in COUNTED.items():
            for ranks in all_ranks:
                if ranks > 1 and not given.quick:
                    found["crosses"].append(bench.crosses(name, case, ranks))
                    print(found["crosses"][-1], file=sys.stderr)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
