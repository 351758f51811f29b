# How often a run finds modes that are narrower than another, in many dimensions: mixtures of round
# normals by the command line, at other places for each seed; and how many looks of 2000 fall where
# scores lead to the narrow one. Needs Python 3.11 alone. From the top:
# python bench/narrow_modes.py build/release/starling CASE D SEEDS [OPTIONS of sample]
# python bench/narrow_modes.py looks
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

CASES = ("alternate", "two", "unequal", "four")


def case(name, dim, seed):
    """Means, sds, weights."""
    if name == "alternate":
        there = [3 if a % 2 == 0 else -3 for a in range(dim)]
        return [[-3] * dim, there], [1, 0.5], [0.7, 0.3]
    draw = random.Random(1000 * dim + seed)

    def at(far):
        return [far * v for v in direction(draw, dim)]

    if name == "two":
        return [at(15), at(15)], [1, 0.5], [0.7, 0.3]
    if name == "unequal":
        return [at(8), at(14)], [1, 0.5], [0.5, 0.5]
    return [at(15) for _ in range(4)], [0.3, 0.6, 1, 2], [0.25] * 4


def direction(draw, dim):
    z = [draw.gauss(0, 1) for _ in range(dim)]
    size = math.hypot(*z)
    return [v / size for v in z]


def one_run(program, means, sds, weights, seed, options):
    """The verdict, the number of groups, all gradients and those of tempering."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "sample", "mixture", "--particles", "256", "--seed", str(seed)]
        command += ["--means=" + ";".join(",".join(f"{v:.6g}" for v in one) for one in means)]
        command += ["--sds", ",".join(map(str, sds)), "--weights", ",".join(map(str, weights))]
        subprocess.run([*command, "--out", folder, "--force", *options], capture_output=True)
        found = json.loads(pathlib.Path(folder, "summary.json").read_text())
    gradients = found["gradients"]
    groups = max(1, len(found.get("groups") or []))
    return found["verdict"], groups, gradients["total"], gradients.get("temper", 0)


def runs(program, name, dim, seeds, options):
    ends, total, tempered = collections.Counter(), 0, 0
    for seed in range(1, seeds + 1):
        *end, gradients, temper = one_run(program, *case(name, dim, seed), seed, options)
        ends[tuple(end)] += 1
        total, tempered = total + gradients, tempered + temper
    for (verdict, groups), count in sorted(ends.items()):
        print(f"{name}, d = {dim}: {count} of {seeds} {verdict}, {groups} of the modes")
    print(f"gradients: {total // seeds}, of tempering {tempered // seeds}")


def looks(places=100_000):
    draw = random.Random(1)
    for dim in (5, 8, 10, 20):
        (wide, narrow), sds, weights = case("alternate", dim, 1)
        far = math.hypot(*wide)
        ways = {
            "from the wide mode": (wide, 2 * math.sqrt(dim), 32 * math.sqrt(dim)),
            "around the origin": ([0] * dim, 0.5 * far, 1.5 * far),
        }
        for way, (middle, least, most) in ways.items():
            led = 0
            for _ in range(places):
                out = least * (most / least) ** draw.random()
                x = [m + out * v for m, v in zip(middle, direction(draw, dim))]
                led += leads(x, wide, narrow, sds, weights)
            print(f"d = {dim}, looks {way}: {2000 * led / places:.2f} of 2000")


def leads(x, wide, narrow, sds, weights):
    """To the narrow mode, more than 60 degrees off the way to the other."""
    to_wide, to_narrow = (tuple(m - v for m, v in zip(one, x)) for one in (wide, narrow))
    heights = [
        math.log(weight) - len(x) * math.log(sd) - (math.hypot(*to) / sd) ** 2 / 2
        for weight, sd, to in zip(weights, sds, (to_wide, to_narrow))
    ]
    cosine = sum(a * b for a, b in zip(to_wide, to_narrow))
    return heights[1] > heights[0] and cosine < 0.5 * math.hypot(*to_wide) * math.hypot(*to_narrow)


if __name__ == "__main__":
    if sys.argv[1:] == ["looks"]:
        looks()
    elif len(sys.argv) < 5 or sys.argv[2] not in CASES:
        sys.exit(
            f"narrow_modes: usage: PROGRAM CASE D SEEDS, CASE one of {', '.join(CASES)}; or looks"
        )
    else:
        runs(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
