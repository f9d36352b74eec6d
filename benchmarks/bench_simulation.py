"""A month on 10 000 GPUs, simulated: speed against an event-driven model, and memory."""

import subprocess
import sys
import time

import numpy as np
from scipy import stats

from benchmarks import Row, simpy_job
from relmath.simulation import BLOCK, simulate_jobs
from relmath.units import GB, day, hour, minute

JOB = {"work": 30 * day, "interval": 14.2 * minute, "write_time": 24.5, "restart": 24.5, "downtime": 90}
MTBF = 4.14 * hour
MILLION = """
import resource, sys
from benchmarks.bench_simulation import FAILURES, JOB, simulate_jobs
simulate_jobs(**JOB, failures=FAILURES, trials=1_000_000, seed=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
FAILURES = stats.expon(scale=MTBF)


def measure() -> list[Row]:
    speedup = _trials_per_second() / _simpy_trials_per_second()
    peak = float(subprocess.run([sys.executable, "-c", MILLION], check=True, capture_output=True, text=True).stdout)
    return [
        Row("simulate_jobs, trials per second, as a multiple of SimPy's", speedup, 200, "at least"),
        Row("simulate_jobs, peak memory of a million trials [GB]", peak / GB, 1, "at most"),
    ]


def _trials_per_second(trials: int = 8 * BLOCK) -> float:
    start = time.perf_counter()
    simulate_jobs(**JOB, failures=FAILURES, trials=trials, seed=1)
    return trials / (time.perf_counter() - start)


def _simpy_trials_per_second(trials: int = 100) -> float:
    rng = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(trials):
        simpy_job.wall_time(**JOB, next_gap=lambda: rng.exponential(MTBF))
    return trials / (time.perf_counter() - start)
