"""Run times of the chapters: one by one, under nbval, and as a cold build executes them.

A chapter is to run in less than 10 s, and in 5 s on average, on a machine that runs a notebook of a chapter's imports
alone in 1.7 s. Machines differ, so the budgets are multiples of that notebook's time.
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median

import nbformat

from benchmarks import Row
from tools.notebooks import ROOT, notebooks
from tools.refresh import execute

IMPORTS = """\
import numpy as np
import sympy as sp
from scipy import optimize, stats
from relmath import simulation
from relmath.notebook import Explorer, agree, claim, figures
sp.init_printing(pretty_print=False, use_latex="mathjax")
"""


def measure() -> list[Row]:
    chapters = notebooks()
    with tempfile.TemporaryDirectory() as folder:
        imports_alone = Path(folder, "imports.ipynb")
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IMPORTS)]), imports_alone)
        execute(imports_alone)  # what Python compiles once is no part of it
        imports = median(_seconds(lambda: execute(imports_alone)) for _ in range(5))
    alone = {path.stem: _seconds(lambda path=path: execute(path)) for path in chapters}
    slowest = max(alone, key=alone.__getitem__)
    with ThreadPoolExecutor(2) as pool:
        together = _seconds(lambda: list(pool.map(execute, chapters)))
    nbval = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "book"]
    checked = _seconds(lambda: subprocess.run(nbval, cwd=ROOT, check=True, stdout=subprocess.DEVNULL))
    return [
        Row(
            f"the slowest chapter, {slowest}, by imports alone ({imports:.1f} s)",
            alone[slowest] / imports,
            6,
            "at most",
        ),
        Row("a chapter on average, by imports alone", mean(alone.values()) / imports, 3, "at most"),
        Row("two chapters at a time, as a multiple of one by one", together / sum(alone.values()), 0.8, "at most"),
        Row("nbval of the whole book, two at a time [s]", checked, 180, "at most"),
    ]


def _seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start
