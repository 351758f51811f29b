# Runs the commands quoted in docs/examples.md, docs/tables.md, docs/limits.md, docs/choosing.md and
# docs/diagnostics.md again and prints the figures beside them. Python 3 alone; some minutes. From
# the top of the repository: python3 docs/figures.py [BINARY]
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STARLING = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/starling")


def sample(command):
    """The summary.json of `starling sample COMMAND`."""
    done = subprocess.run(
        [STARLING, "sample", *command.split(), "--json", "--quiet"],
        check=True,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def variance(summary):
    return sum(p["sd"] ** 2 for p in summary["parameters"]) / len(summary["parameters"])


def show(command):
    s = sample(command)
    first = s["parameters"][0]
    accuracy = f"  test accuracy {s['test_accuracy']:.4f}" if "test_accuracy" in s else ""
    print(
        f"{command}\n    mean {first['mean']:.3f}  sd {first['sd']:.3f}  variance, averaged "
        f"{variance(s):.2f}  {s['verdict']}{accuracy}"
    )


def seconds(command):
    """The best of three: the machine may have other work."""
    return min(sample(command)["seconds"] for _ in range(3))


def title(text):
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


title("docs/examples.md")
show(
    "mixture --particles 256 --batch 32 --steps 500 --bandwidth 0.35 --step-size 0.2 --start "
    "normal:-10,1"
)
show(
    "logistic --data examples/data/exam.csv --label passed --scale standard --holdout 0.25 "
    "--data-batch 225 --batch 32 --step-size 0.02"
)

title("docs/tables.md")
show("linear --data examples/data/flats.csv --label rent --missing drop --base district=north")

title("docs/limits.md")
for dim in (1, 2, 5, 20):
    for batch in ("8", "all"):
        show(f"normal --dim {dim} --particles 256 --batch {batch} --steps 2000")
show("funnel --dim 10 --batch 32 --steps 5000")
show("mixture --means -10;10 --weights 1/2,1/2 --start normal:-10,1 --batch 32 --steps 5000")

title("Choosing: constant steps")
noisy = "normal --dim 1 --bandwidth 1 --steps 2000 --advance constant"
for batch in (2, 8, 32):
    for eta in (0.05, 0.2):
        show(f"{noisy} --batch {batch} --step-size {eta}")
show("normal --dim 1 --bandwidth 1 --steps 2000 --advance decay --batch 2 --step-size 0.2")
show("normal --dim 1 --bandwidth 1 --steps 20000 --advance decay --batch 2 --step-size 0.2")
show(f"{noisy} --batch 2 --step-size 0.2 --grow-batch double:200")
grown = seconds(f"{noisy} --batch 2 --step-size 0.2 --grow-batch double:200")
print(f"cost of growing: {grown / seconds(f'{noisy} --batch 2 --step-size 0.2'):.0f} times")

title("Choosing: kernels in 20 dimensions")
show("normal --dim 20 --particles 2048 --batch 8 --steps 2000")
wide = "normal --dim 20 --particles 256 --batch 8 --steps 2000"
for kernel in (
    "gaussian",
    "matern32",
    "gaussian+bilinear",
    "imq+bilinear",
    "gaussian+0.05*polynomial:m=1",
    "gaussian+polynomial:m=1",
    "gaussian --bandwidth 20",
    "imq",
    "riesz-smooth:a=0.5,s=1",
):
    show(f"{wide} --kernel {kernel}")

title("Choosing: step rules")
for rule in ("adagrad", "rmsprop", "adam", "constant", "adagrad-sum"):
    show(
        "mixture --particles 256 --batch 32 --steps 500 --bandwidth 0.35 --step-size 0.2 "
        f"--start normal:-10,1 --advance {rule}"
    )

title("Choosing: time against N, and of the median")
least = seconds("normal --dim 2 --particles 1000 --batch 8 --steps 100 --threads 1")
for count in (10000, 100000):
    now = seconds(f"normal --dim 2 --particles {count} --batch 8 --steps 100 --threads 1")
    print(f"N = {count}: {now / least:.0f} times N = 1000")
small = "normal --dim 2 --particles 1000 --batch 8 --steps 200 --threads 1"
drawn, fixed = seconds(f"{small} --bandwidth median:1000"), seconds(f"{small} --bandwidth 1")
print(
    f"median: {seconds(f'{small} --bandwidth median') / drawn:.0f} times median:1000, "
    f"which is {drawn / fixed:.1f} times a fixed one"
)

title("Choosing: batch size, over 20 seeds")
rows = []
for batch in (2, 4, 8, 16, 32, 64, 128, "all"):
    runs = [
        sample(
            f"mixture --particles 256 --batch {batch} --steps 500 --kernel gaussian-paper "
            f"--bandwidth 0.35 --step-size 0.2 --start normal:-10,1 --threads 1 --seed {seed}"
        )
        for seed in range(1, 21)
    ]
    x = [(r["parameters"][0]["mean"], r["parameters"][0]["sd"]) for r in runs]
    rows.append(
        (
            batch,
            sum((m - 2 / 3) ** 2 for m, _ in x) / len(x),
            sum((m * m + s * s - 5) ** 2 for m, s in x) / len(x),
            min(r["seconds"] for r in runs),
        )
    )
for batch, mean, square, time in rows:
    print(
        f"P = {batch:>3}: error of E x {mean:.4f}, of E x^2 {square:.3f}, {rows[-1][3] / time:.1f} "
        "times faster"
    )

title("Diagnostics")
far = "mixture --particles 256 --batch 32 --bandwidth 0.35 --step-size 0.2 --start normal:-10,1"
pairs = "normal --dim 1 --batch 2 --bandwidth 0.0925"
for command in (
    f"{far} --steps 500",
    f"{far} --steps 40",
    f"{far} --steps 500 --advance adam",
    f"{far} --steps 2000 --advance adam",
    "normal --start normal:0,30 --particles 256 --steps 300",
    "normal --dim 20 --particles 256",
    "normal --dim 20 --particles 256 --kernel gaussian+0.05*polynomial:m=1",
    f"{pairs} --advance constant --step-size 0.2 --steps 2000",
    f"{pairs} --advance decay --step-size 0.5 --decay-tau 20 --decay-power 0.8 --steps 4000",
    "normal --particles 256 --advance constant --step-size 20 --steps 100",
    f"{far} --steps 1000 --until-converged",
    "normal --dim 5 --particles 256",
    "mixture --means=-10;10 --weights 1/2,1/2 --start normal:-10,1 --batch 32 --steps 1000",
):
    show(command)
