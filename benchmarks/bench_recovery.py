"""Spares and fleets by the million, as multiples of SciPy's quantile and of one exponential on the same machine."""

import numpy as np
from scipy import stats

from benchmarks import Row, ratio_of_times
from relmath import recovery

FLEETS = 1_000_000


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    mean = 10 ** rng.uniform(-2, 3, FLEETS)
    spares = ratio_of_times(lambda: recovery.spares(mean, 0.99), lambda: stats.poisson.ppf(0.99, mean), repeats=3)
    node_mtbf = 10 ** rng.uniform(5, 9, FLEETS)
    write_time = 10 ** rng.uniform(-1, 3, FLEETS)
    fleet = ratio_of_times(
        lambda: recovery.fastest_fleet(node_mtbf, write_time, 24.5, 90), lambda: np.exp(-write_time / node_mtbf)
    )
    return [
        Row("spares of 1e6 fleets, as a multiple of scipy.stats.poisson.ppf", spares, 2, "at most"),
        Row("fastest_fleet of 1e6, as a multiple of one exp", fleet, 100, "at most"),
    ]
