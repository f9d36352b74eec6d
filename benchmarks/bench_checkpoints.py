"""Intervals of ten million jobs, as multiples of the bare NumPy expressions on the same arrays and machine."""

import numpy as np

from benchmarks import Row, ratio_of_times
from relmath import checkpoints

JOBS = 10_000_000


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    write_time = 10 ** rng.uniform(-2, 3, JOBS)
    mtbf = 10 ** rng.uniform(2, 6, JOBS)
    young = ratio_of_times(lambda: checkpoints.young(write_time, mtbf), lambda: np.sqrt(2 * write_time * mtbf))
    write_ratio = 10 ** rng.uniform(-18, np.log10(700), JOBS)
    optimal = ratio_of_times(lambda: checkpoints.optimal(write_ratio, 1), lambda: np.exp(write_ratio))
    return [
        Row("young of 1e7 pairs, checks included, as a multiple of bare sqrt(2 d m)", young, 2, "at most"),
        Row("optimal of 1e7 ratios, as a multiple of one exp", optimal, 20, "at most"),
    ]
