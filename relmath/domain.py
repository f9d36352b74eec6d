"""Checks of arguments: each returns its value in doubles, or says what is wrong with it.

What NumPy can read as numbers becomes an array of doubles (a scalar, a NumPy scalar). Arrays that follow NumPy's
protocols elsewhere (CuPy) stay where they are. A lazy array (Dask) is not computed to be checked: what lies outside
the domain becomes NaN in it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

Array = Any  # whatever NumPy's ufuncs take: a number, a list, an ndarray, a dask.array, a CuPy array


def positive(name: str, value: Array) -> Array:
    """Above 0; infinity is allowed (a job that never fails)."""
    return _check(name, value, "above 0", lambda v: v > 0)


def positive_finite(name: str, value: Array) -> Array:
    """Above 0 and finite."""
    return _check(name, value, "above 0 and finite", lambda v: (v > 0) & (v < np.inf))


def non_negative(name: str, value: Array) -> Array:
    """At least 0 and finite."""
    return _check(name, value, "at least 0 and finite", lambda v: (v >= 0) & (v < np.inf))


def probability(name: str, value: Array) -> Array:
    """Between 0 and 1, both included."""
    return _check(name, value, "between 0 and 1", lambda v: (v >= 0) & (v <= 1))


def count(name: str, value: Array, least: int = 0) -> Array:
    """A whole number, at least `least`; in doubles, as all the rest."""
    allowed = f"a whole number, at least {least}"
    array = _check(name, value, allowed, lambda v: (v >= least) & (v < np.inf))
    return _keep(name, array, array == np.floor(array), allowed)


def not_below(name: str, value: Array, limit_name: str, limit: Array) -> Array:
    """At least as large as another argument; both have passed their own checks."""
    return _keep(name, value, value >= limit, f"at least {limit_name}")


def _check(name: str, value: Array, allowed: str, fits: Callable[[Array], Array]) -> Array:
    array = _as_doubles(name, value, allowed)
    # Every domain is a range: where both extremes fit, all fits. NaN, if there is one, is both of them.
    if _is_lazy(array) or not array.size or not (fits(array.min()) and fits(array.max())):
        array = _keep(name, array, fits(array), allowed)
    return array[()]  # an array of no dimensions becomes a scalar


def _keep(name: str, array: Array, fits: Array, allowed: str) -> Array:
    """The array if all of it fits; of a lazy one, what fits, and NaN elsewhere."""
    if _is_lazy(fits):
        return np.where(fits, array, np.nan)
    if not np.all(fits):
        index = np.argwhere(~fits)[0].tolist()
        offender = np.broadcast_to(array, fits.shape)[tuple(index)]
        raise ValueError(f"{name}{index or ''} must be {allowed}, but is {offender}")
    return array


def _is_lazy(array: Array) -> bool:
    return hasattr(array, "__dask_graph__")


def _as_doubles(name: str, value: Array, allowed: str) -> Array:
    if np.ma.is_masked(value):
        raise ValueError(f"{name} must be {allowed}, but has masked elements: fill them or leave them out")
    try:
        lives_elsewhere = hasattr(value, "__array_function__") and not isinstance(value, np.ndarray)
        array = value if lives_elsewhere else np.asarray(value)
        if array.dtype.kind in "fiu" or (array.dtype.kind == "O" and all(map(_is_real, array.flat))):
            return array.astype(np.float64, copy=False)
    except (ValueError, OverflowError):  # lists of unequal lengths; an integer beyond the doubles
        pass
    raise ValueError(f"{name} must be {allowed}, but is no number or array of numbers: {reprlib.repr(value)}")


def _is_real(value: object) -> bool:
    """Fractions, SymPy's numbers and integers beyond 64 bits arrive as objects."""
    return isinstance(value, Real) and not isinstance(value, bool)
