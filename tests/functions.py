"""What the tests of relmath's functions share: their parameters, numbers of all magnitudes, 50 digits, refusals."""

import inspect

import dask
import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import strategies as st


def parameters_of(function):
    return list(inspect.signature(function).parameters)


def log_uniform(low, high):
    """Numbers from 10^low to 10^high, all magnitudes alike."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def exact(*values):
    """The doubles that relmath receives, as numbers of 50 digits."""
    return [mp.mpf(float(value)) for value in values]


def near(expected, rel=1e-12):
    """Near it by a fraction of it: `approx` alone would also pass whatever is within 1e-12."""
    return pytest.approx(float(expected), rel=rel, abs=0)


def by_parameter(functions):
    """Parametrize a test by every parameter of every function."""
    return pytest.mark.parametrize(
        ("function", "name"),
        [(function, name) for function in functions for name in parameters_of(function)],
        ids=lambda value: getattr(value, "__name__", value),
    )


def assert_refused_by_name(function, name, legal, illegal):
    """Each illegal value of a parameter, alone and as an element, is refused in a message that names it."""
    arguments = {key: legal[key] for key in parameters_of(function)}
    for value in illegal[name]:
        with pytest.raises(ValueError, match=rf"^{name} must be .*, but is {value}"):
            function(**arguments | {name: value})
        with pytest.raises(ValueError, match=rf"^{name}\[1\] must be "):
            function(**arguments | {name: [legal[name], value]})


def assert_lazy(function, arrays, illegal):
    """Under a scheduler that refuses to run; computed later, its values are NumPy's, and NaN outside the domain."""

    def refuse(*arguments, **options):
        raise AssertionError("computed")

    expected = function(**arrays)
    for name in arrays:
        wrong = illegal[name]
        damaged = arrays[name].copy()
        damaged[: len(wrong)] = wrong
        with dask.config.set(scheduler=refuse):
            lazy = function(**arrays | {name: da.from_array(damaged, chunks=20)})
        assert isinstance(lazy, da.Array)
        computed = lazy.compute()
        assert np.isnan(computed[: len(wrong)]).all()
        np.testing.assert_array_equal(computed[len(wrong) :], expected[len(wrong) :])
