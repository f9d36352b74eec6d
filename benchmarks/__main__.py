"""Measure everything, print a table, and exit with 1 if a budget is missed."""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import Row


def all_rows() -> list[Row]:
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_"))
    return [row for name in names for row in importlib.import_module(f"benchmarks.{name}").measure()]


def line(row: Row, width: int) -> str:
    verdict = "met" if row.met else "MISSED"
    return f"{row.what:{width}}  {row.measured:>10,.4g}  {row.bound:>8} {row.budget:>8,.4g}  {verdict}"


if __name__ == "__main__":
    rows = all_rows()
    width = max(len(row.what) for row in rows)
    print(*(line(row, width) for row in rows), sep="\n")
    sys.exit(not all(row.met for row in rows))
