"""What the tests of relmath's functions share: their parameters, numbers of all magnitudes, 50 digits, refusals."""

import inspect
from itertools import combinations

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


def probabilities():
    """Numbers from 0 to 1, with many near either end."""
    return st.one_of(
        st.floats(1e-12, 1),
        log_uniform(-12, -1),
        log_uniform(-12, -1).map(lambda small: 1 - small),
        st.sampled_from([0.0, 0.5, 1.0]),
    )


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


def spread(low, high, number=1000, seed=0):
    """Draw numbers from 10^low to 10^high, all magnitudes alike: as many as one call takes at once."""
    return 10.0 ** np.random.default_rng(seed).uniform(low, high, number)


def assert_unlike_shapes_are_named(function, legal):
    """Of each two arguments that do not broadcast, here or in a lazy array."""
    arguments = {key: legal[key] for key in parameters_of(function)}
    for one, other in combinations(arguments, 2):
        two, three = np.full(2, legal[one]), np.full(3, legal[other])
        for pair in ({one: two, other: three}, {one: two, other: da.from_array(three)}):
            with pytest.raises(ValueError, match=rf"^shapes must broadcast, but are {one} \(2,\), {other} \(3,\): "):
                function(**arguments | pair)


ENDS = (0.0, 5e-324, 1e-300, 0.5, 1.0, 1e300, 1.7e308, np.inf)


def assert_defined_at_the_ends(function, legal, mend=lambda arguments: arguments):
    """A value, without a floating-point event, at any ends of the domains; NaN if one lazy argument is outside its own.

    `mend` makes arguments fit that limit one another.
    """
    arguments = {name: legal[name] for name in parameters_of(function)}

    def is_legal(name, value):
        try:
            function(**arguments | {name: value})
        except ValueError:
            return False
        return True

    rng = np.random.default_rng(0)
    ends = {name: [legal[name], *(end for end in ENDS if is_legal(name, end))] for name in arguments}
    columns = mend({name: rng.choice(values, 3000) for name, values in ends.items()})
    with np.errstate(all="raise"):
        assert not np.isnan(function(**columns)).any()
        for name in arguments:
            lazy = {key: da.from_array(column, chunks=1000) for key, column in columns.items()}
            lazy[name] = da.full(3000, np.nan, chunks=1000)
            assert np.isnan(function(**lazy).compute()).all()


def refuse(*arguments, **options):
    """Dask's scheduler where nothing may be computed."""
    raise AssertionError("computed")


def assert_lazy(function, arrays, illegal):
    """Under a scheduler that refuses to run; computed later, its values are NumPy's, and NaN outside the domain."""
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
