"""Failures of ten million jobs, as a multiple of the bare NumPy expression on the same arrays and machine."""

import numpy as np

from benchmarks import Row, ratio_of_times
from relmath import failures

JOBS = 10_000_000


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    duration, mtbf = 10 ** rng.uniform(2, 7, (2, JOBS))
    chance = ratio_of_times(
        lambda: failures.probability_of_failure(duration, mtbf), lambda: -np.expm1(-duration / mtbf)
    )
    return [Row("probability_of_failure of 1e7 jobs, as a multiple of bare -expm1(-t / m)", chance, 3, "at most")]
