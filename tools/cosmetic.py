"""Tell whether new stored outputs say the same as the committed ones: ``python -m tools.cosmetic [REVISION]``.

A new SymPy prints some expressions in another order, a new NumPy some numbers in another format. This compares what
the outputs of unchanged cells say: numbers as numbers, expressions by their values at random points. It lists every
output that was reprinted, and fails if one says something else.
"""

from __future__ import annotations

import html
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

from tools.notebooks import ROOT, notebooks

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\()")
CONSTANTS = {"E", "I", "pi", "oo", "zoo", "nan", "True", "False"}
TOLERANCE = 1e-9


def says(output: nbformat.NotebookNode) -> str:
    """What an output says, as text: a formula's plain form, a page's text without its tags."""
    if "text" in output:
        return output.text
    data = output.get("data", {})
    if set(data) - {"text/latex", "text/plain"}:
        return html.unescape(re.sub(r"<[^>]*>", " ", data.get("text/html", data.get("text/plain", ""))))
    return data.get("text/plain", "")


def same_value(old: str, new: str) -> bool:
    """Whether two texts say the same: word by word with numbers as numbers, or as expressions of equal value."""
    return _same_numbers(old, new) or _same_expression(old, new)


def _same_numbers(old: str, new: str) -> bool:
    if NUMBER.sub("#", old).split() != NUMBER.sub("#", new).split():
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(_close(float(a), float(b)) for a, b in pairs)


def _same_expression(old: str, new: str) -> bool:
    try:
        return all(_equal(*pair) for pair in zip(_parts(_parse(old)), _parts(_parse(new)), strict=True))
    except (SyntaxError, TypeError, ValueError, AttributeError):  # not expressions, or not of one value each
        return False


def _parts(parsed: Any) -> list[sp.Basic]:
    """Give the expressions of a list, a tuple or a dictionary, or the one expression."""
    if isinstance(parsed, dict):
        return _parts(list(parsed.items()))
    if not isinstance(parsed, list | tuple):
        return [parsed]
    return [part for item in parsed for part in _parts(item)]


def _equal(old: sp.Basic, new: sp.Basic) -> bool:
    if old.is_Relational and old.func is new.func:
        return _equal(old.lhs - old.rhs, new.lhs - new.rhs)
    symbols = sorted(old.free_symbols | new.free_symbols, key=str)
    draw = random.Random(0)
    points = [{symbol: sp.Float(draw.uniform(0.1, 2), 30) for symbol in symbols} for _ in range(5)]
    values = [[complex(e.removeO().subs(point).evalf(30)) for point in points] for e in (old, new)]
    return old.getO() == new.getO() and all(map(_close, *values))


def _parse(text: str) -> Any:
    names = {name: sp.Symbol(name) for name in NAME.findall(text) if name not in CONSTANTS}
    safe = {f"{name}_" if name == "lambda" else name: symbol for name, symbol in names.items()}
    return parse_expr(re.sub(r"\blambda\b", "lambda_", text), local_dict=safe)


def _close(a: complex, b: complex) -> bool:
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def differences(old: nbformat.NotebookNode, new: nbformat.NotebookNode) -> Iterator[tuple[str, str]]:
    """Yield a verdict and a description for each output that differs under a cell that does not."""
    before = {cell.id: cell for cell in old.cells}
    for number, cell in enumerate(new.cells):
        was = before.get(cell.id)
        if cell.cell_type != "code" or was is None or was.source != cell.source or was.outputs == cell.outputs:
            continue
        texts = [[says(output) for output in c.outputs] for c in (was, cell)]
        same = len(texts[0]) == len(texts[1]) and all(map(same_value, *texts))
        detail = f"cell {number}:\n  - " + "\n  - ".join(texts[0]) + "\n  + " + "\n  + ".join(texts[1])
        yield ("reprinted" if same else "CHANGED"), detail


def main(revision: str = "HEAD") -> int:
    """Compare every notebook with a revision; return the number of outputs that say something else."""
    changed = 0
    for path in notebooks():
        name = path.relative_to(ROOT).as_posix()
        committed = subprocess.run(["git", "show", f"{revision}:{name}"], cwd=ROOT, capture_output=True, text=True)
        if committed.returncode:
            print(f"{name}: not in {revision}")
            continue
        old, new = nbformat.reads(committed.stdout, as_version=4), nbformat.read(path, as_version=4)
        for verdict, detail in differences(old, new):
            print(f"{name}: {verdict}, {detail}")
            changed += verdict == "CHANGED"
    print(f"{changed} outputs say something else than in {revision}.")
    return changed


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
