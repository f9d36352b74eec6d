"""Checks that the function that ships computes what the chapter derived.

The derived expression is evaluated in 50 digits and the function in doubles, at the same points: two routes that
share nothing but the numbers put in.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from numbers import Real
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from relmath.notebook.notation import code_name, entry

Function = Callable[..., Any]
Over = Mapping[Any, Sequence[Any]]  # a symbol -> (low, high), an interval, or [value, value, ...]
Columns = dict[Any, np.ndarray]  # a symbol or an argument's name -> its value at each point

DIGITS = 50
SMALLEST, LARGEST = sys.float_info.min, sys.float_info.max
SEED = 1974  # fixed, so that a chapter checks the same points each time


def agree(
    expression: Any,
    function: Function,
    over: Over,
    points: int = 200,
    tolerance: float = 1e-12,
    at: Mapping[str, Function] | None = None,
) -> None:
    """Check a derived expression against a function of relmath, and say so in one line.

    Takes what :func:`compare` takes, and raises what it raises.

    Examples
    --------
    >>> import sympy as sp
    >>> from relmath import checkpoints
    >>> from relmath.notebook.notation import symbols
    >>> delta, M = symbols("delta M")
    >>> agree(sp.sqrt(2 * delta * M), checkpoints.young, over={delta: (1e-3, 1e3), M: (60, 1e7)})
    checkpoints.young(delta, M) is the expression: 200 points, delta in [0.001, 1000] s, M in [60, 1e7] s, within 1e-12
    """
    compare(expression, function, over, points, tolerance, at)
    domain = ", ".join(f"{symbol} in {_domain(symbol, allowed)}" for symbol, allowed in over.items())
    print(f"{_call(function, over, at or {})} is the expression: {points} points, {domain}, within {_short(tolerance)}")


def compare(
    expression: Any,
    function: Function,
    over: Over,
    points: int = 200,
    tolerance: float = 1e-12,
    at: Mapping[str, Function] | None = None,
) -> None:
    """Compare a SymPy expression with a function, at the corners of a domain and at random points within.

    Symbols and arguments are matched by name: a symbol's code name in the table of notation is the name of the
    parameter. Parameters with a default keep it where no symbol stands for them.

    Parameters
    ----------
    expression : sympy.Expr
        What was derived. Its zeros must lie outside the domain, or be exact zeros of the function too: the
        difference is relative.
    function : callable
        What ships; it is called once, with arrays of doubles.
    over : mapping
        The domain: for each symbol an interval ``(low, high)``, drawn from evenly in its logarithm where it spans
        more than a decade above 0, or a list of values.
    points : int
        How many points.
    tolerance : float
        Largest relative difference allowed.
    at : mapping, optional
        Arguments of the function that are themselves results: ``{"interval": checkpoints.young}`` calls the
        function at Young's interval, computed from the same symbols.

    Raises
    ------
    AssertionError
        If the two differ, naming the worst point and both values there.
    ValueError
        If symbols and arguments do not match, or there is nothing to compare, or nowhere.
    """
    at = {} if at is None else at
    expression = sp.sympify(expression)
    _check_comparison(expression, over, points, tolerance, at)
    if missing := expression.free_symbols - set(over):
        raise ValueError(f"over must give a domain for {_names(missing)}, the very symbols of the expression")
    _check_arguments(function, over, at)
    columns = sample(over, points)
    arguments = {code_name(symbol): column for symbol, column in columns.items()}
    expected = evaluate(expression, columns)
    computed = np.broadcast_to(np.asarray(_apply(function, arguments, at)), points)
    differences = [relative_difference(e, c) for e, c in zip(expected, computed.tolist(), strict=True)]
    worst = max(range(points), key=differences.__getitem__)
    if not differences[worst] <= tolerance:
        where = ", ".join(f"{symbol} = {column[worst]!s}" for symbol, column in columns.items())
        raise AssertionError(
            f"{_call(function, over, at)} is not {expression}: at {where} the function gives {computed[worst]!s}, the "
            f"expression {_value(expected[worst])}; relative difference {differences[worst]:.2g}, "
            f"allowed {_short(tolerance)}"
        )


def is_number(value: Any, low: float = -LARGEST, high: float = LARGEST) -> bool:
    """Tell whether a value is a real number from low to high: at their widest, any that a double can hold."""
    return isinstance(value, Real) and bool(low <= value <= high)  # type: ignore[operator]


def ends(name: str, pair: Any, *, above_0: bool = False) -> tuple[float, float]:
    """Take the two ends of an interval.

    Raises
    ------
    ValueError
        If they are none, with the name of the pair.
    """
    least = SMALLEST if above_0 else -LARGEST
    match pair:
        case (low, high) if is_number(low, least) and is_number(high) and low < high:
            return low, high
    kind = "finite numbers above 0" if above_0 else "finite numbers"
    raise ValueError(f"{name} must be (low, high), two {kind}, the lower first, but is {pair!r}")


def _check_comparison(expression: Any, over: Any, points: Any, tolerance: Any, at: Any) -> None:
    """See that there is something to compare, and somewhere."""
    if not isinstance(expression, sp.Expr):
        raise ValueError(f"expression must be a SymPy expression, but is {expression!r}")
    if not (isinstance(points, int) and points >= 2):
        raise ValueError(f"points must be a whole number, 2 or more, but is {points!r}")
    if not (is_number(tolerance, 0) and tolerance < 1):
        raise ValueError(f"tolerance must be a relative difference, from 0 to below 1, but is {tolerance!r}")
    if not isinstance(at, Mapping):
        raise ValueError(f"at must give functions by argument, {{'interval': young}}, but is {at!r}")
    if not (isinstance(over, Mapping) and over):
        raise ValueError(f"over must give a domain for at least one symbol, {{delta: (1, 300)}}, but is {over!r}")
    for symbol, allowed in over.items():
        if not isinstance(allowed, list):
            ends(f"over[{symbol}]", allowed)
        elif not (allowed and all(map(is_number, allowed))):
            raise ValueError(f"over[{symbol}] must be a list of finite numbers, at least one, but is {allowed}")


def _check_arguments(function: Function, over: Over, at: Mapping[str, Function]) -> None:
    """See that every argument has its symbol, and that every symbol is somebody's argument."""
    given = {code_name(symbol): str(symbol) for symbol in over}
    used = set(given) & {name for callee in (function, *at.values()) for name in _parameters(callee)}
    if unused := set(given) - used:
        raise ValueError(
            f"{_name(function)} has no parameter for {_names(given[name] for name in unused)} "
            f"({_names(unused)}): it takes {', '.join(_parameters(function))}"
        )
    for callee, known in ((function, {*given, *at}), *((inner, set(given)) for inner in at.values())):
        required = {name for name, p in _parameters(callee).items() if p.default is p.empty}
        if missing := required - known:
            raise ValueError(f"over must have the symbol that {_name(callee)} calls {_names(missing)}")
    if foreign := set(at) - set(_parameters(function)):
        raise ValueError(f"at names {_names(foreign)}, but {_name(function)} takes {', '.join(_parameters(function))}")


def _apply(function: Function, arguments: Columns, at: Mapping[str, Function]) -> Any:
    results = {name: _apply(inner, arguments, {}) for name, inner in at.items()}
    known = arguments | results
    return function(**{name: known[name] for name in _parameters(function) if name in known})


def sample(over: Over, points: int) -> Columns:
    """Draw a column of doubles for each symbol: first the corners of the domain, then random points."""
    random = np.random.default_rng(SEED)
    ends = [(allowed[0], allowed[-1]) for allowed in over.values()]
    corners = np.array(list(itertools.islice(itertools.product(*ends), points // 2)), dtype=float)
    within = points - len(corners)
    return {
        symbol: np.concatenate([corner, _draw(random, allowed, within)])
        for (symbol, allowed), corner in zip(over.items(), corners.T, strict=True)
    }


def _draw(random: np.random.Generator, allowed: Sequence[Any], points: int) -> np.ndarray:
    if isinstance(allowed, list):
        return random.choice(np.array(allowed, dtype=float), points)
    low, high = map(float, allowed)
    if 0 < 10 * low < high:
        return np.exp(random.uniform(np.log(low), np.log(high), points))
    return random.uniform(low, high, points)


def evaluate(expression: Any, columns: Columns) -> list[Any]:
    """Evaluate an expression in 50 digits, at the very doubles that the function receives: NaN at a pole."""
    return _evaluate(sp.sympify(expression), tuple(columns), tuple(zip(*columns.values(), strict=True)))


@lru_cache(maxsize=100)
def _evaluate(expression: Any, symbols: tuple[Any, ...], points: tuple[tuple[float, ...], ...]) -> list[Any]:
    """Remember what is asked again: an explorer holds several forms of one expression against it."""
    compute = sp.lambdify(symbols, expression.subs(sp.zoo, sp.nan), [{"LambertW": _lambertw}, "mpmath"], cse=True)

    @cache  # a domain of a few values gives the same points again and again
    def at(*point: float) -> Any:
        try:
            return compute(*map(mpmath.mpf, point))
        except ZeroDivisionError:
            return mpmath.nan

    with mpmath.workdps(DIGITS):
        return [at(*point) for point in points]


@lru_cache(maxsize=10_000)
def _lambertw(*arguments: Any) -> Any:
    """Remember the slowest of functions, which an explorer asks for the same points again and again."""
    return mpmath.lambertw(*arguments)


def relative_difference(expected: Any, computed: Any) -> float:
    """Relative difference: infinite where either is not a real number."""
    if isinstance(expected, mpmath.mpc | complex) or isinstance(computed, mpmath.mpc | complex):
        return np.inf
    with mpmath.workdps(DIGITS):
        if expected == computed:  # exact zeros and infinities agree, too
            return 0.0
        difference = abs((mpmath.mpf(computed) - expected) / expected) if expected else mpmath.inf
    return np.inf if mpmath.isnan(difference) else float(difference)


def _parameters(function: Function) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _call(function: Function, over: Over, at: Mapping[str, Function]) -> str:
    """The call as a reader would write it, in symbols: ``checkpoints.young(delta, M)``."""
    symbol = {code_name(symbol): str(symbol) for symbol in over}
    written = symbol | {name: _call(inner, over, {}) for name, inner in at.items()}
    return f"{_name(function)}({', '.join(written[name] for name in _parameters(function) if name in written)})"


def _name(function: Function) -> str:
    return f"{function.__module__.removeprefix('relmath.')}.{function.__name__}"


def _names(names: Any) -> str:
    return ", ".join(sorted(map(str, names)))


def _domain(symbol: Any, allowed: Sequence[Any]) -> str:
    unit = entry(symbol).unit
    values = ", ".join(map(_short, allowed))
    return (f"[{values}]" if isinstance(allowed, tuple) else f"{{{values}}}") + (f" {unit}" if unit != "1" else "")


def _value(number: Any) -> str:
    return f"{mpmath.nstr(number, 17)}{' (complex)' if isinstance(number, mpmath.mpc) else ''}"


def _short(number: Any) -> str:
    """Four digits at most, and 1e7 for Python's 1e+07."""
    mantissa, _, exponent = f"{float(number):.4g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
