"""Budgets of speed and memory: each module ``bench_*.py`` measures what it names. Run them with ``make bench``."""

import time
from collections.abc import Callable
from statistics import median
from typing import Literal, NamedTuple


class Row(NamedTuple):
    """One measured quantity and its budget, in the unit that `what` tells."""

    what: str
    measured: float
    budget: float
    bound: Literal["at most", "at least"]

    @property
    def met(self) -> bool:
        """Whether the measured value keeps to the budget."""
        return self.measured <= self.budget if self.bound == "at most" else self.measured >= self.budget


def ratio_of_times(function: Callable[[], object], yardstick: Callable[[], object], repeats: int = 7) -> float:
    """Ratio of median times, measured in turns, so that a busy moment of the machine strikes both."""
    times = [(_seconds(function), _seconds(yardstick)) for _ in range(repeats)]
    return median(ours for ours, _ in times) / median(theirs for _, theirs in times)


def _seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start
