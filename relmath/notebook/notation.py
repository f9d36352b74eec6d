"""The one table of symbols: what each is called in SymPy, in LaTeX, in relmath's functions and in the sources.

The table is ``relmath/data/notation.csv``, a row a symbol; the book prints it as its page of notation.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import sympy as sp


@dataclass(frozen=True)
class Entry:
    """A row of the table: a symbol and all that the book says of it."""

    symbol: str
    latex: str
    code: str
    unit: str
    assumption: str
    meaning: str
    term_ru: str


@cache
def table() -> dict[str, Entry]:
    """Every entry by its symbol, in the order of the table."""
    text = (resources.files("relmath") / "data" / "notation.csv").read_text(encoding="utf-8")
    entries = [Entry(**row) for row in csv.DictReader(text.splitlines())]
    return {entry.symbol: entry for entry in entries}


def entry(symbol: Any) -> Entry:
    """Give the row of a symbol, or of its name.

    Raises
    ------
    ValueError
        If the symbol is not in the table.
    """
    try:
        return table()[str(symbol)]
    except KeyError:
        raise ValueError(
            f"the symbol {str(symbol)!r} is not in the notation table, which has: {', '.join(table())}"
        ) from None


def symbols(names: str) -> Any:
    """SymPy symbols with the assumptions of the table.

    Parameters
    ----------
    names : str
        Names of different symbols, separated by spaces or commas.

    Returns
    -------
    sympy.Symbol or tuple of sympy.Symbol
        The one symbol, or as many as there are names.

    Raises
    ------
    ValueError
        If a name is not in the table or comes twice, or there is none.

    Examples
    --------
    >>> delta, M = symbols("delta M")
    >>> delta.is_positive, code_name(M)
    (True, 'mtbf')
    """
    found = tuple(map(_symbol, map(entry, names.replace(",", " ").split()))) if isinstance(names, str) else ()
    if not found or len(set(found)) < len(found):
        raise ValueError(f"names must be different symbols in a string, 'delta M', but is {names!r}")
    return found if len(found) > 1 else found[0]


def code_name(symbol: Any) -> str:
    """Name by which relmath's functions call a symbol: the parameter ``write_time`` for delta."""
    return entry(symbol).code


def _symbol(entry: Entry) -> Any:
    return sp.Symbol(entry.symbol, **dict.fromkeys(entry.assumption.split(), True))
