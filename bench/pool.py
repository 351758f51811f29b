# What starling.pool keeps of linear: rows that sleep 20 ms each, 16 workers.
# docs/ranks_measured.md.
# From the top: PYTHONPATH=build/release/python python bench/pool.py
# A share of 1: each worker has no more rows than a fair share, rounded up, and never waits. Workers
# that sleep need no cores of their own. Medians of seven calls.
import time

import numpy as np

import starling

WORKERS, A_ROW = 16, 0.02


def sleeping(x):
    time.sleep(A_ROW * len(x))
    return -0.5 * (x * x).sum(axis=1), -x


if __name__ == "__main__":
    with starling.pool(sleeping, WORKERS) as pooled:
        for _ in range(2):
            pooled(np.zeros((64, 5)))  # begins the processes
        for rows in (256, 200, 100, 64, 16):
            seconds = []
            for _ in range(7):
                begin = time.perf_counter()
                pooled(np.ones((rows, 5)))
                seconds.append(time.perf_counter() - begin)
            fair = -(-rows // WORKERS) * A_ROW
            print(f"{rows} rows: {fair / np.median(seconds):.2f} of a fair share", flush=True)
