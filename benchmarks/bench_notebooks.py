"""Run times of the chapters: one by one, under nbval, and as a cold build executes them."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import mean

from benchmarks import Row
from tools.notebooks import ROOT, notebooks
from tools.refresh import execute


def measure() -> list[Row]:
    chapters = notebooks()
    alone = {path.stem: _seconds(lambda path=path: execute(path)) for path in chapters}
    slowest = max(alone, key=alone.__getitem__)
    with ThreadPoolExecutor(2) as pool:
        together = _seconds(lambda: list(pool.map(execute, chapters)))
    nbval = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "book"]
    checked = _seconds(lambda: subprocess.run(nbval, cwd=ROOT, check=True, stdout=subprocess.DEVNULL))
    return [
        Row(f"run of the slowest chapter, {slowest} [s]", alone[slowest], 10, "at most"),
        Row("run of a chapter on average [s]", mean(alone.values()), 5, "at most"),
        Row("two chapters at a time, as a multiple of one by one", together / sum(alone.values()), 0.8, "at most"),
        Row("nbval of the whole book, two at a time [s]", checked, 180, "at most"),
    ]


def _seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
