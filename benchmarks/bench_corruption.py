"""A census of everything a flipped bit can do to a number of 16 bits, with nothing kept from an earlier one."""

import time
from statistics import median

import numpy as np

from benchmarks import Row
from relmath import corruption


def measure() -> list[Row]:
    return [
        Row(
            "census of all 16 bits of all 65 536 patterns of float16 [s]",
            median(map(_seconds, range(7))),
            0.2,
            "at most",
        )
    ]


def _seconds(_: int) -> float:
    corruption._small_table.cache_clear()
    start = time.process_time()
    corruption.census("float16", np.arange(16))
    return time.process_time() - start
