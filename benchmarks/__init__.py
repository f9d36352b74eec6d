"""Budgets of speed and memory: each module ``bench_*.py`` measures what it names. Run them with ``make bench``."""

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
