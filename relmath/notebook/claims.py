"""Holds what a chapter derives against what the ledger states."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import sympy as sp

from relmath.ledger import CLAIMS
from relmath.ledger.mechanism import Claim, Plain, Statement, Symbolic, Value
from relmath.notebook.agree import evaluate, relative_difference, sample
from relmath.notebook.notation import symbols

DIGITS = 30
POINTS = 50
SAME = 1e-20  # two expressions are one if they differ by no more, relatively, in 50 digits


def claim(id: str, value: Any) -> None:
    """Check a claim of the ledger against a chapter's own derivation, and print a line a value.

    Parameters
    ----------
    id : str
        The claim's id in the ledger.
    value : sympy.Expr, number, bool or mapping
        What the chapter derived: a number in seconds, bytes or events per second for a quantity, an expression in the
        symbols of the notation for a formula, a bool for a statement. For a claim with several values a mapping, a
        value by each name in the ledger.

    Raises
    ------
    AssertionError
        If a value is not what the ledger states.
    ValueError
        If the ledger has no such claim, or the claim no such values.

    Examples
    --------
    >>> import sympy as sp
    >>> from relmath.units import hour
    >>> claim("young-interval", sp.sqrt(2 * sp.Rational("24.5") * sp.Rational("4.14") * hour))
    young-interval   printed 14.2 min   derived 14.243 min   reproduced
    """
    stated = _find(id)
    labels = {name: f"{id}, {name}" if len(stated.values) > 1 else id for name in stated.values}
    shown = {
        name: _check(labels[name], stated.values[name], derived) for name, derived in _by_name(stated, value).items()
    }
    width = max(map(len, labels.values()))
    for name, text in shown.items():
        expected = stated.values[name]
        print(f"{labels[name]:{width}}   {expected.by} {expected.text}   derived {text}   {stated.verdict.word}")


def _find(id: str) -> Claim:
    if str(id) not in CLAIMS:
        similar = difflib.get_close_matches(str(id), CLAIMS, n=1)
        hint = f"; did you mean {similar[0]!r}?" if similar else ": relmath/ledger states them"
        raise ValueError(f"the ledger has no claim {id!r}{hint}")
    return CLAIMS[str(id)]


def _by_name(stated: Claim, value: Any) -> Mapping[str, Any]:
    """The derived values in the order of the ledger."""
    if not isinstance(value, Mapping):
        value = dict.fromkeys(stated.values, value) if len(stated.values) == 1 else {}
    if set(value) != set(stated.values):
        raise ValueError(f"the claim {stated.id!r} takes a value for each of: {'; '.join(stated.values)}")
    return {name: value[name] for name in stated.values}


def _check(label: str, stated: Value, derived: Any) -> str:
    """Give the derived value as text, if it is what is stated."""
    if isinstance(stated, Symbolic):
        matches, shown, found = _is_formula(label, stated, sp.sympify(derived)), "the same", derived
    elif isinstance(stated, Statement):
        truth = _truth(label, derived)
        matches, shown, found = stated.matches(truth), stated.show(truth), derived
    else:
        assert isinstance(stated, Plain), "a value is either symbolic or plain"
        number = _number(label, derived)
        matches, shown = stated.matches(number), stated.show(number)
        found = f"{shown}, in SI {sp.N(number, 6)}"
    if not matches:
        raise AssertionError(f"{label}: the ledger states {stated.text}, but the chapter derives {found}")
    return shown


def _is_formula(label: str, stated: Symbolic, derived: Any) -> bool:
    """Tell whether a derived expression has the values of the stated formula, at points of its domain."""
    over = {symbols(name): interval for name, interval in stated.over.items()}
    if not (isinstance(derived, sp.Expr) and derived.free_symbols <= set(over)):
        raise ValueError(
            f"{label}: the value must be an expression in symbols({' '.join(stated.over)!r}), but is {derived}"
        )
    formula = sp.sympify(stated.text, locals={str(symbol): symbol for symbol in over})
    points = sample(over, POINTS)
    pairs = zip(evaluate(formula, points), evaluate(derived, points), strict=True)
    return all(relative_difference(expected, value) <= SAME for expected, value in pairs)


def _truth(label: str, derived: Any) -> bool:
    if sp.sympify(derived) not in (sp.true, sp.false):
        raise ValueError(f"{label}: the value must be true or false, but is {derived}")
    return bool(derived)


def _number(label: str, derived: Any) -> Any:
    number = sp.N(derived, DIGITS) if isinstance(sp.sympify(derived), sp.Expr) else sp.nan
    if not (number.is_number and number.is_real):
        raise ValueError(f"{label}: the value must be a real number, but is {derived}")
    return number
