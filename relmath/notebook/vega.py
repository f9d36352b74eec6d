"""SymPy expressions as Vega expressions, which the charts of the built pages evaluate.

A derived formula is written for reading, not for doubles: ``exp(x) - 1`` loses all its digits for a small ``x``. So
:func:`accurate` first rewrites it in functions that do not cancel, and :func:`vega` prints the result. Those functions,
``expm1``, ``log1p``, ``lambertw`` and ``lambertw1p``, are not Vega's own: ``explorer.js`` registers them.
"""

# ruff: noqa: N802  (SymPy finds the methods of a printer by the names of its classes)

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.codegen.cfunctions import log1p
from sympy.codegen.rewriting import ReplaceOptim, expm1_opt, optimize
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom, BooleanFunction
from sympy.printing.jscode import JavascriptCodePrinter

from relmath.notebook.notation import code_name

FUNCTIONS = {
    **{name: name for name in ("acos", "asin", "atan", "atan2", "cos", "exp", "floor", "log", "sin", "tan")},
    **{"Abs": "abs", "Max": "max", "Min": "min", "ceiling": "ceil"},
    **{"expm1": "expm1", "log1p": "log1p", "LambertW": "lambertw", "LambertW1p": "lambertw1p"},
}
"""SymPy's functions that a chart can compute, each with its name there."""

_KNOWN = (
    *(sp.Symbol, sp.Rational, sp.Float, type(sp.pi), type(sp.E), sp.Add, sp.Mul, sp.Pow),
    *(sp.Piecewise, sp.functions.elementary.piecewise.ExprCondPair, Relational, BooleanFunction, BooleanAtom),
)


class LambertW1p(sp.Function):  # type: ignore[misc]
    """1 + W(-e^(-1-x)), the root u in [0, 1) of -log(1 - u) - u = x: what an exact optimum is made of.

    Near x = 0 the two terms cancel, so that the sum must be computed as one.
    """

    nargs = 1


@lru_cache(maxsize=1000)
def accurate(expression: Any) -> Any:
    """Rewrite an expression in functions whose value does not cancel.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> accurate(1 - sp.exp(-x)), accurate(1 + sp.LambertW(-sp.exp(-1 - x)))
    (-expm1(-x), LambertW1p(x))
    """
    expression = sp.sympify(expression)
    if not isinstance(expression, sp.Expr):  # a condition: its two sides
        return expression.func(*map(accurate, expression.args))
    return optimize(sp.factor_terms(_joined(expression)), [expm1_opt, _LOG1P])


def vega(expression: Any, names: Mapping[Any, str] | None = None) -> str:
    """Print a SymPy expression as a Vega expression.

    Parameters
    ----------
    expression : sympy expression or relational
        What to print.
    names : mapping, optional
        What a symbol is called in the chart. Any other bears its code name from the table of notation.

    Raises
    ------
    ValueError
        If the expression holds a function that Vega cannot compute.

    Examples
    --------
    >>> from relmath.notebook.notation import symbols
    >>> delta, M, tau = symbols("delta M tau")
    >>> vega(M * (sp.exp((tau + delta) / M) - 1), {tau: "datum.interval"})
    'mtbf*expm1((write_time + datum.interval)/mtbf)'
    """
    expression = accurate(expression)
    for part in sp.preorder_traversal(expression):
        if not isinstance(part, _KNOWN) and type(part).__name__ not in FUNCTIONS:
            raise ValueError(
                f"{part} has no Vega form, in {expression}: write it in powers, Piecewise and {', '.join(FUNCTIONS)}"
            )
    return str(VegaPrinter(names or {}).doprint(expression))


class VegaPrinter(JavascriptCodePrinter):  # type: ignore[misc]
    """Prints in the dialect of JavaScript that Vega reads: one line, and its functions without ``Math.``."""

    language = "Vega"

    def __init__(self, names: Mapping[Any, str]) -> None:
        super().__init__()
        self.known_functions = FUNCTIONS
        self._names = names

    def _print_Symbol(self, symbol: Any) -> str:
        return self._names.get(symbol) or code_name(symbol)

    def _print_Float(self, number: Any) -> str:
        return repr(float(number))  # the shortest digits that give the same double

    def _print_Exp1(self, _: Any) -> str:
        return "E"

    def _print_Pi(self, _: Any) -> str:
        return "PI"

    def _print_Pow(self, power: Any) -> str:
        if power.exp == sp.S.Half:
            return f"sqrt({self._print(power.base)})"
        return f"pow({self._print(power.base)}, {self._print(power.exp)})"

    def _print_Piecewise(self, pieces: Any) -> str:
        *conditional, (last, condition) = pieces.args
        if condition != sp.true:
            raise ValueError(f"{pieces} must end with a piece for all other cases, (expression, True)")
        text = self._print(last)
        for value, condition in reversed(conditional):
            text = f"(({self._print(condition)}) ? {self._print(value)} : {text})"
        return str(text)


def _joined(expression: Any) -> Any:
    """Replace W(-e^y) by LambertW1p(-1 - y) - 1, and let its 1 cancel the one beside it."""

    def join(argument: Any) -> Any:
        exponent = sp.expand(sp.expand_log(sp.log(-argument), force=True))
        return sp.LambertW(argument) if exponent.has(sp.log) else LambertW1p(-1 - exponent) - 1

    def unites(part: Any) -> bool:
        sums = [factor for factor in part.args if factor.is_Add]
        return part.is_Mul and any(isinstance(term, LambertW1p) for factor in sums for term in factor.args)

    return expression.replace(sp.LambertW, join).replace(unites, sp.expand_mul)


def _log1p(logarithm: Any) -> Any:
    """Rewrite log(1 + u), also where SymPy holds it as log((M + delta)/M)."""
    argument = sp.expand_mul(logarithm.args[0])
    return log1p(argument - 1) if argument.is_Add and sp.S.One in argument.args else logarithm


_LOG1P = ReplaceOptim(lambda part: isinstance(part, sp.log), _log1p)
