"""Checks of arguments: each returns its value in doubles, or says what is wrong with it.

What NumPy can read as numbers becomes an array of doubles (a scalar, a NumPy scalar). Arrays that follow NumPy's
protocols elsewhere (CuPy) stay where they are. A lazy array (Dask) is not computed to be checked: what lies outside
the domain becomes NaN in it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from numbers import Integral, Real
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


def finite(name: str, value: Array) -> Array:
    """Of either sign, or 0."""
    return _check(name, value, "finite", lambda v: (v > -np.inf) & (v < np.inf))


def probability(name: str, value: Array) -> Array:
    """Between 0 and 1, both included."""
    return _check(name, value, "between 0 and 1", lambda v: (v >= 0) & (v <= 1))


def positive_probability(name: str, value: Array) -> Array:
    """Above 0 and at most 1."""
    return _check(name, value, "above 0 and at most 1", lambda v: (v > 0) & (v <= 1))


def below_one(name: str, value: Array) -> Array:
    """At least 0 and below 1."""
    return _check(name, value, "at least 0 and below 1", lambda v: (v >= 0) & (v < 1))


def number(name: str, value: Array) -> Array:
    """Any number, infinite or NaN too."""
    return _as_doubles(name, value, "a number")[()]


def count(name: str, value: Array, least: int = 0, most: int | None = None) -> Array:
    """A whole number, at least `least`, and at most `most` if that is given; in doubles, as all the rest."""
    allowed = f"a whole number, at least {least}" if most is None else f"a whole number from {least} to {most}"
    end = np.inf if most is None else most + 1
    array = _check(name, value, allowed, lambda v: (v >= least) & (v < end))
    return _keep(name, array, array == np.floor(array), allowed)


def not_below(name: str, value: Array, limit_name: str, limit: Array) -> Array:
    """At least as large as another argument; both have passed their own checks, and their shapes fit."""
    fits = value >= limit
    if is_lazy(fits):
        return np.where(fits, value, np.nan)
    if not np.all(fits):
        limited, least = first_misfit(fits, limit_name, limit)
        misfit, is_ = first_misfit(fits, name, value)
        raise ValueError(f"{misfit} must be at least {limited}, which is {least}, but is {is_}")
    return value


def fitting_shapes(**arguments: Array) -> None:
    """Refuse arrays that do not broadcast; what Dask does not know of a shape before it computes, it checks then."""
    shapes = {name: array.shape for name, array in arguments.items() if not np.isnan(array.shape).any()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        unlike = ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
        raise ValueError(
            f"shapes must broadcast, but are {unlike}: make them equal, or add an axis, as x[:, numpy.newaxis] does"
        ) from None


def checked(checks: Mapping[str, Callable[[str, Array], Array]], /, **arguments: Array) -> list[Array]:
    """Each argument by the check that bears its name, in their order; shapes that do not fit are refused."""
    values = {name: checks[name](name, value) for name, value in arguments.items()}
    fitting_shapes(**values)
    return list(values.values())


def computed(check: Callable[[str, Array], Array], name: str, value: Array) -> Array:
    """Check a value for what is not put off: a lazy one is computed first."""
    array = check(name, value)
    return check(name, value.compute()) if is_lazy(array) else array


def one_number(check: Callable[[str, Array], Array], name: str, value: Array) -> float:
    """Check a value that is a single number, no array."""
    single = computed(check, name, value)
    if np.ndim(single):
        raise ValueError(f"{name} must be one number, but has shape {np.shape(single)}: pass one at a time")
    return float(single)


def seed_sequence(seed: Any) -> np.random.SeedSequence:
    """Root of the random streams of a simulation."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if seed is None or (isinstance(seed, Integral) and not isinstance(seed, bool) and int(seed) >= 0):
        return np.random.SeedSequence(seed if seed is None else int(seed))
    raise ValueError(
        f"seed must be a whole number, at least 0, a SeedSequence, or None, but is {seed!r}: pass seed=1, say"
    )


def is_lazy(array: Array) -> bool:
    """Tell whether it is one of Dask's collections."""
    return hasattr(array, "__dask_graph__")


def _check(name: str, value: Array, allowed: str, fits: Callable[[Array], Array]) -> Array:
    array = _as_doubles(name, value, allowed)
    # Every domain is a range: where both extremes fit, all fits, and if infinity does, the least is enough. NaN, if
    # there is one, is both extremes.
    if is_lazy(array) or not array.size or not (fits(array.min()) and (fits(np.inf) or fits(array.max()))):
        array = _keep(name, array, fits(array), allowed)
    return array[()]  # an array of no dimensions becomes a scalar


def _keep(name: str, array: Array, fits: Array, allowed: str) -> Array:
    """The array if all of it fits; of a lazy one, what fits, and NaN elsewhere."""
    if is_lazy(fits):
        return np.where(fits, array, np.nan)
    if not np.all(fits):
        misfit, is_ = first_misfit(fits, name, array)
        raise ValueError(f"{misfit} must be {allowed}, but is {is_}")
    return array


def first_misfit(fits: Array, name: str, array: Array) -> tuple[str, Array]:
    """Where the first misfit comes from an array that was broadcast: by its own index, and its value there."""
    index = np.argwhere(~fits)[0].tolist()[np.ndim(fits) - np.ndim(array) :]
    own = [i if length > 1 else 0 for i, length in zip(index, np.shape(array), strict=True)]
    return f"{name}{own or ''}", array[tuple(own)]


def _as_doubles(name: str, value: Array, allowed: str) -> Array:
    def refusal(reason: str) -> ValueError:
        return ValueError(f"{name} must be {allowed}, but {reason}")

    if np.ma.is_masked(value):
        raise refusal("has masked elements: fill them or leave them out")
    lives_elsewhere = hasattr(value, "__array_function__") and not isinstance(value, np.ndarray)
    if is_lazy(value) and not lives_elsewhere:
        raise refusal(f"is a lazy {type(value).__name__}: compute it first, or pass a dask.array")
    if hasattr(value, "unit") or hasattr(value, "units"):
        raise refusal(
            f"carries a unit: convert it to SI (seconds, bytes) and pass the bare number: {reprlib.repr(value)}"
        )
    try:
        array = value if lives_elsewhere else np.asarray(value)
        if array.dtype.kind in "fiu" or (array.dtype.kind == "O" and all(map(_is_real, array.flat))):
            return _cast(array)
    except OverflowError:
        raise refusal("is beyond the largest double: give at most 1.797e308") from None
    except (AttributeError, RuntimeError, TypeError, ValueError):  # no array at all, lists of unequal lengths
        pass
    raise refusal(f"is no number or array of numbers (try float(...)): {reprlib.repr(value)}")


def _cast(array: Array) -> Array:
    if is_lazy(array):
        return array.astype(np.float64).map_blocks(_masked_as_nan)
    with np.errstate(over="ignore", under="ignore"):
        doubles = array.astype(np.float64, copy=False)
    infinite = np.isinf(doubles)
    if not np.can_cast(array.dtype, np.float64) and np.any(array[infinite] != doubles[infinite]):
        raise OverflowError  # as a whole number beyond the doubles does by itself
    return doubles


def _masked_as_nan(block: Array) -> Array:
    return block.filled(np.nan) if isinstance(block, np.ma.MaskedArray) else block


def _is_real(value: object) -> bool:
    """Fractions, SymPy's numbers and integers beyond 64 bits arrive as objects."""
    return isinstance(value, Real) and not isinstance(value, bool)
