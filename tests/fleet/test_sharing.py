"""Sharing: by adding up device-hours, by enumerating states of a pool, by simulation, and at the limits."""

import inspect
import itertools

import dask.array as da
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relmath.fleet import sharing
from relmath.notebook import notation
from tests.functions import (
    assert_defined_at_the_ends,
    assert_lazy,
    assert_refused_by_name,
    assert_unlike_shapes_are_named,
    by_parameter,
    exact,
    near,
    parameters_of,
)

pytestmark = pytest.mark.usefixtures("fifty_digits")

FUNCTIONS = [
    function
    for name, function in inspect.getmembers(sharing, inspect.isfunction)
    if function.__module__ == "relmath.fleet.sharing" and not name.startswith("_")
]

LEGAL = {
    "devices": 8.0,
    "wait": 1e5,
    "swap": 3600.0,
    "a": 0.99,
    "needed": 16.0,
    "groups": 5.0,
    "group": 8.0,
    "tenants": 7.0,
    "contained": 0.5,
}
WHOLE = ("devices", "group", "tenants")
ILLEGAL = dict.fromkeys(LEGAL, (-1.0, np.nan, np.inf)) | {
    **dict.fromkeys(WHOLE, (0.0, 1.5, np.nan, np.inf)),
    **dict.fromkeys(("a", "contained"), (-0.1, 1.1, np.nan)),
    **dict.fromkeys(("needed", "groups"), (-1.0, 1.5, np.nan, np.inf)),
}


@given(st.integers(1, 16), st.integers(0, 100), st.integers(0, 20))
def test_lost_hours_by_counting_them(devices, wait, swap):
    """Hour by hour: which devices are out of service."""
    drained = sum(devices for _ in range(wait + swap))
    isolated = sum(1 if hour < wait else devices for hour in range(wait + swap))
    assert sharing.lost_if_drained(devices, wait, swap) == drained
    assert sharing.lost_if_isolated(devices, wait, swap) == isolated
    assert drained - isolated == (devices - 1) * wait


@pytest.mark.parametrize(("groups", "group"), [(4, 1), (3, 2), (2, 4), (4, 3)])
@pytest.mark.parametrize("up", [0.25, 0.5, 0.875])
def test_a_pool_state_by_state(groups, group, up):
    """Every device up or down: a group serves with all of its devices, or with none."""
    (share,) = exact(up)
    for needed in range(groups * group + 1):
        total = mp.mpf(0)
        for state in itertools.product([True, False], repeat=groups * group):
            serving = sum(group for g in range(groups) if all(state[g * group : (g + 1) * group]))
            if serving >= needed:
                total += mp.fprod(share if is_up else 1 - share for is_up in state)
        assert sharing.pool_meets(up, needed, groups, group) == near(total)


def test_a_pool_by_drawing_devices():
    rng = np.random.default_rng(22)
    up = rng.random((40_000, 20, 8)) < 0.99
    serving = 8 * up.all(axis=2).sum(axis=1)
    stated = float(sharing.pool_meets(0.99, 144, 20, 8))
    assert (serving >= 144).mean() == pytest.approx(stated, abs=4 * np.sqrt(stated * (1 - stated) / 40_000))


@given(st.integers(1, 20), st.floats(0, 1))
def test_tenants_by_total_probability(tenants, contained):
    (share,) = exact(contained)
    hit = share * 1 + (1 - share) * tenants
    assert sharing.tenants_hit(tenants, contained) == near(hit)
    assert sharing.tenants_hit(tenants, contained) * (1 + 1e-15) >= 1


def test_a_pool_that_is_too_small_is_refused():
    with pytest.raises(
        ValueError, match=r"groups must be at least needed / group, rounded up, which is 3\.0, but is 2\.0"
    ):
        sharing.pool_meets(0.9, 17, 2, 8)
    with pytest.raises(ValueError, match="groups must be at least"):
        sharing.pool_meets(0.9, 10**9 + 1, 10**9)
    lazy = sharing.pool_meets(0.9, da.from_array(np.array([16.0, 17.0])), 2, 8)
    np.testing.assert_array_equal(np.isnan(lazy.compute()), [False, True])


# The house's rules


@by_parameter(FUNCTIONS)
def test_bad_input_is_refused_by_name(function, name):
    assert_refused_by_name(function, name, LEGAL, ILLEGAL)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_broadcast_and_are_lazy(function):
    assert_unlike_shapes_are_named(function, LEGAL)
    names = parameters_of(function)
    assert_lazy(function, {name: np.full(50, LEGAL[name]) for name in names}, ILLEGAL)
    assert type(function(**{name: LEGAL[name] for name in names})) is np.float64
    grid = function(**{name: np.full((2, 1) if i else 3, LEGAL[name]) for i, name in enumerate(names)})
    np.testing.assert_array_equal(grid, np.full((2, 3), function(**{name: LEGAL[name] for name in names})))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_are_defined_at_the_ends(function):
    def enough(columns):
        return (
            columns | {"groups": np.maximum(columns["groups"], columns["needed"])} if "groups" in columns else columns
        )

    assert_defined_at_the_ends(function, LEGAL, enough)


def test_every_parameter_has_its_symbol():
    parameters = {name for function in FUNCTIONS for name in parameters_of(function)}
    assert parameters <= {entry.code for entry in notation.table().values()}
    assert parameters == set(LEGAL)
