"""--batch auto against fixed batch sizes on real posteriors and on Covertype: error per pair
evaluation of the raw method.

    python3 bench/batch_auto_posteriors.py posteriors DIR NAME ...   from the top;
    DIR/NAME/{model.stan, data.json, reference.npz} python3 bench/batch_auto_posteriors.py covertype
    FILE

Posteriors: 256 particles from the scout's draws (--prefit 8), 300 steps of size .01; the mean
square over parameters and seeds of the means' errors, in sds of the reference draws, and of the
logarithms of the sds' ratios. Covertype: section 4.2 of the paper with 256 particles from the
prior, 2000 steps of 100 rows each, a fifth of the rows held out; the error is what the mean log
likelihood of a held-out row lacks from that of a run in stages, squared. Each is multiplied by the
mean batch size: a step evaluates N p pairs, so that is the error per pair evaluation up to a
constant. With auto a look deals and drifts once more, and is counted."""

import argparse
import csv
import json
import os
import subprocess
import tempfile

import numpy as np

BATCHES = ["2", "8", "32", "auto"]
PARTICLES = 256


def sample(binary, out, *options):
    subprocess.run(
        [binary, "sample", *options, "--quiet", "--force", "--format", "csv", "--out", out],
        check=True,
    )
    with open(os.path.join(out, "summary.json")) as file:
        return json.load(file)


def mean_batch(out, batch):
    """Over the steps between looks, which trace.csv lists with the batch that was in use."""
    with open(os.path.join(out, "trace.csv")) as file:
        looks = [(int(row["step"]), int(row["batch"])) for row in csv.DictReader(file)]
    pairs = sum(size * (after - step) for (step, size), (after, _) in zip(looks, looks[1:]))
    if batch == "auto":
        pairs += sum(size for _, size in looks[:-1])
    return pairs / (looks[-1][0] - looks[0][0])


def raw(batch, seed, steps):
    return [
        "--method",
        "paper",
        "--certify",
        "none",
        "--particles",
        str(PARTICLES),
        "--steps",
        str(steps),
        "--batch",
        batch,
        "--deal",
        "shuffle",
        "--seed",
        str(seed),
        "--threads",
        "1",
    ]


def moments(folder):
    with np.load(os.path.join(folder, "reference.npz")) as file:
        draws, names = file["draws"], [str(name) for name in file["names"]]
    return {
        name: (column.mean(), column.std())
        for name, column in zip(names, draws.reshape(-1, draws.shape[-1]).T)
    }


def posteriors(given):
    print(
        "| posterior | batch | mean p | mean^2 | log sd^2 | mean^2, times p | log sd^2, times p |\n"
        + "| --- " * 7
        + "|"
    )
    for name in given.names:
        folder = os.path.join(given.data, name)
        truth = moments(folder)
        for batch in BATCHES:
            sizes, means, sds = [], [], []
            for seed in range(1, given.seeds + 1):
                found = sample(
                    given.binary,
                    given.out,
                    "stan",
                    os.path.join(folder, "model.stan"),
                    "--data",
                    os.path.join(folder, "data.json"),
                    "--prefit",
                    "8",
                    "--step-size",
                    ".01",
                    *raw(batch, seed, 300),
                )
                for one in found["parameters"]:
                    if one["name"] in truth:
                        mean, sd = truth[one["name"]]
                        means.append(((one["mean"] - mean) / sd) ** 2)
                        sds.append(np.log(one["sd"] / sd) ** 2)
                sizes.append(mean_batch(given.out, batch))
            p, m, s = np.mean(sizes), np.mean(means), np.mean(sds)
            print(
                f"| {name} | {batch} | {p:.1f} | {m:.2g} | {s:.2g} | {m * p:.2g} | {s * p:.2g} |",
                flush=True,
            )


def covertype(given):
    data = [
        "logistic",
        "--data",
        given.data,
        "--label",
        "Cover_Type",
        "--positive",
        "2",
        "--holdout",
        ".2",
    ]
    best = sample(given.binary, given.out, *data, "--certify", "none")["test_log_likelihood"]
    print(
        f"In stages: {best:.5f} a held-out row\n\n| batch | mean p | accuracy | log likelihood | "
        "lacks^2 | lacks^2, times p |\n" + "| --- " * 6 + "|"
    )
    for batch in BATCHES:
        sizes, right, lacks = [], [], []
        for seed in range(1, given.seeds + 1):
            found = sample(
                given.binary,
                given.out,
                *data,
                "--data-batch",
                "100",
                "--bandwidth",
                "256",
                "--step-size",
                ".05",
                "--precision",
                "single",
                *raw(batch, seed, 2000),
            )
            sizes.append(mean_batch(given.out, batch))
            right.append(found["test_accuracy"])
            lacks.append(best - found["test_log_likelihood"])
        p, square = np.mean(sizes), np.mean(np.square(lacks))
        print(
            f"| {batch} | {p:.1f} | {np.mean(right):.4f} | {best - np.mean(lacks):.5f} | "
            f"{square:.2g} | {square * p:.2g} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["posteriors", "covertype"])
    parser.add_argument("data", help="the folder of posteriors, or the file")
    parser.add_argument("names", nargs="*", help="of posteriors")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--binary", default="build/release/starling")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given.out = os.path.join(folder, "run")
        posteriors(given) if given.what == "posteriors" else covertype(given)


main()
