"""Intervals of ten million jobs, as multiples of the bare NumPy expressions on the same arrays and machine."""

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from benchmarks import Row
from relmath import checkpoints

JOBS = 10_000_000


def measure() -> list[Row]:
    rng = np.random.default_rng(1)
    write_time = 10 ** rng.uniform(-2, 3, JOBS)
    mtbf = 10 ** rng.uniform(2, 6, JOBS)
    young = _ratio(lambda: checkpoints.young(write_time, mtbf), lambda: np.sqrt(2 * write_time * mtbf))
    write_ratio = 10 ** rng.uniform(-18, np.log10(700), JOBS)
    optimal = _ratio(lambda: checkpoints.optimal(write_ratio, 1), lambda: np.exp(write_ratio))
    return [
        Row("young of 1e7 pairs, checks included, as a multiple of bare sqrt(2 d m)", young, 2, "at most"),
        Row("optimal of 1e7 ratios, as a multiple of one exp", optimal, 20, "at most"),
    ]


def _ratio(function: Callable[[], object], yardstick: Callable[[], object], repeats: int = 7) -> float:
    """Ratio of median times, measured in turns, so that a busy moment of the machine strikes both."""
    times = [(_seconds(function), _seconds(yardstick)) for _ in range(repeats)]
    return median(ours for ours, _ in times) / median(theirs for _, theirs in times)


def _seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start
