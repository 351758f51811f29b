# Compares draws with a reference: python3 docs/stan_figures.py DIR|DRAWS.csv REFERENCE.json
# The reference is a JSON object whose "parameters" are a list of {"name", "mean", "sd"} and, if
# known, the standard error "mcse_mean"; names as Stan writes them, theta.1.2. If it has such a list
# "unconstrained" too, the positions of the run in DIR are compared with that. Python 3 alone.
import glob
import json
import math
import os
import sys


def read_draws(files):
    """Mean and sd of each column of Stan CSVs, by name, and the number of rows; several files are
    runs of one model."""
    rows, found = [], {}
    for file in files:
        with open(file) as lines:
            header, *more = [
                line.strip().split(",")
                for line in lines
                if line.strip() and not line.startswith("#")
            ]
        rows += more
    for column, name in enumerate(header):
        x = [float(row[column]) for row in rows]
        mean = sum(x) / len(x)
        found[name] = mean, math.sqrt(sum((v - mean) ** 2 for v in x) / len(x))
    return found, len(rows)


def compare(found, count, reference):
    """For each parameter of both: error of the mean in sds, the same in standard errors, ratio of
    the sds."""
    figures = []
    for p in reference:
        if p["name"] not in found or not p["sd"] > 0:
            continue
        mean, sd = found[p["name"]]
        # What the mean of as many independent draws would miss by, and the reference itself.
        error = math.hypot(p["sd"] / math.sqrt(count), p.get("mcse_mean", 0))
        figures.append(
            (p["name"], (mean - p["mean"]) / p["sd"], (mean - p["mean"]) / error, sd / p["sd"])
        )
    if not figures:
        sys.exit("stan_figures.py: the draws must have parameters of the reference; got none")
    return figures


def in_short(what, figures):
    worst = max(figures, key=lambda figure: abs(figure[1]))
    ratios = [figure[3] for figure in figures]
    print(
        f"{what}: largest error of a mean {abs(worst[1]):.3f} sd ({worst[0]}), "
        f"sd ratios {min(ratios):.2f} to {max(ratios):.2f}"
    )


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: stan_figures.py DIR|DRAWS.csv REFERENCE.json")
    where = sys.argv[1]
    with open(sys.argv[2]) as file:
        reference = json.load(file)
    is_folder = os.path.isdir(where)
    files = sorted(glob.glob(os.path.join(where, "draws*.csv"))) if is_folder else [where]
    if not files:
        sys.exit(f"stan_figures.py: {where}: must have draws.csv; got none")
    found, count = read_draws(files)
    figures = compare(found, count, reference["parameters"])
    print(f"{'parameter':24}{'mean error/sd':>14}{'in std errors':>14}{'sd ratio':>10}")
    for name, in_sds, in_errors, ratio in figures:
        print(f"{name:24}{in_sds:14.3f}{in_errors:14.1f}{ratio:10.3f}")
    in_short("parameters", figures)
    if not is_folder:
        return
    with open(os.path.join(where, "summary.json")) as file:
        summary = json.load(file)
    if "unconstrained" in reference and "unconstrained" in summary:
        positions = {
            p["name"].replace("[", ".").replace(",", ".").replace("]", ""): (p["mean"], p["sd"])
            for p in summary["unconstrained"]
        }
        in_short("unconstrained", compare(positions, count, reference["unconstrained"]))
    print(f"verdict {summary['verdict']}, {summary['seconds']:.1f} s")


if __name__ == "__main__":
    main()
