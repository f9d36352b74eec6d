"""Replicas and strategies by the million, as multiples of bare SciPy and of one exponential on the same machine."""

import numpy as np
from scipy import special

from benchmarks import Row, ratio_of_times
from relmath import availability

POINTS = 1_000_000


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    a = rng.uniform(0.9, 1, POINTS)
    n = rng.integers(1, 200, POINTS).astype(float)
    k = np.floor(n * rng.uniform(0.5, 1, POINTS)) + 1
    k = np.minimum(k, n)
    enough = ratio_of_times(lambda: availability.k_of_n(a, k, n), lambda: special.betainc(k, n - k + 1, a))
    write_time, mtbf = 10 ** rng.uniform(0, 5, (2, POINTS))
    restart = ratio_of_times(
        lambda: availability.restart_efficiency(write_time, mtbf, 24.5, 90), lambda: np.exp(-write_time / mtbf)
    )
    return [
        Row("k_of_n of 1e6, as a multiple of bare betainc", enough, 1.5, "at most"),
        Row("restart_efficiency at 1e6 points of the map, as a multiple of one exp", restart, 30, "at most"),
    ]
