"""--batch auto against every fixed batch size: error per pair evaluation on the paper's section
4.1.

    python3 bench/batch_auto.py [STARTS]        from the top, after scripts/run; 100 starts take
    some minutes

Mean squared errors of the means of x, x^2 and cos 2x over the starts, times the mean batch size: a
step evaluates N p pairs, so that is the error per pair evaluation up to a constant. A look deals
and drifts once more, and is counted. Plain Python."""

import csv
import math
import os
import subprocess
import sys
import tempfile

PARTICLES, STEPS = 256, 500
TRUTH = (2 / 3, 5, math.cos(4) / math.e**2)


def one(batch, seed, out):
    subprocess.run(
        [
            "build/release/starling",
            "sample",
            "mixture",
            "--particles",
            str(PARTICLES),
            "--steps",
            str(STEPS),
            "--kernel",
            "gaussian-paper",
            "--bandwidth",
            "0.35",
            "--step-size",
            "0.2",
            "--start",
            "normal:-10,1",
            "--batch",
            batch,
            "--deal",
            "shuffle",
            "--seed",
            str(seed),
            "--threads",
            "1",
            "--format",
            "csv",
            "--quiet",
            "--force",
            "--out",
            out,
        ],
        check=True,
    )
    with open(os.path.join(out, "draws.csv")) as file:
        x = [float(row[1]) for row in csv.reader(line for line in file if line[0] not in "#l")]
    with open(os.path.join(out, "trace.csv")) as file:
        looks = [(int(row["step"]), int(row["batch"])) for row in csv.DictReader(file)]
    batches = [
        size for (step, size), (after, _) in zip(looks, looks[1:]) for _ in range(after - step)
    ]
    pairs = sum(batches) + (sum(size for _, size in looks[:-1]) if batch == "auto" else 0)
    means = (
        sum(x) / len(x),
        sum(v * v for v in x) / len(x),
        sum(math.cos(2 * v) for v in x) / len(x),
    )
    return pairs / STEPS, [(mean - truth) ** 2 for mean, truth in zip(means, TRUTH)], looks[-1][1]


def main():
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(
        "| batch | mean p | last p | x | x^2 | cos 2x | x, times p | x^2 | cos 2x |\n"
        + "| --- " * 9
        + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for batch in ["2", "4", "8", "16", "32", "64", "128", "256", "auto"]:
            runs = [one(batch, seed, os.path.join(folder, "run")) for seed in range(1, starts + 1)]
            size, last = (sum(run[k] for run in runs) / starts for k in (0, 2))
            errors = [sum(run[1][k] for run in runs) / starts for k in range(3)]
            cells = [
                f"{size:.1f}",
                f"{last:.0f}",
                *(f"{e:.2g}" for e in errors),
                *(f"{e * size:.2g}" for e in errors),
            ]
            print(f"| {batch} | " + " | ".join(cells) + " |", flush=True)


main()
