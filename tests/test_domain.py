"""What is let through as a number, what is refused, and in which words."""

from decimal import Decimal
from fractions import Fraction

import dask
import dask.array as da
import mpmath
import numpy as np
import pytest
import sympy as sp

from relmath import domain

TINY, HUGE = np.finfo(float).smallest_subnormal, np.finfo(float).max


@pytest.mark.parametrize(
    ("check", "inside", "outside"),
    [
        (domain.positive, [TINY, 1, HUGE, np.inf], [0.0, -0.0, -TINY, -1, -np.inf, np.nan]),
        (domain.positive_finite, [TINY, 1, HUGE], [0.0, -1, np.inf, -np.inf, np.nan]),
        (domain.non_negative, [0, -0.0, TINY, 1, HUGE], [-TINY, -1, np.inf, -np.inf, np.nan]),
        (domain.finite, [-HUGE, -1, -0.0, TINY, HUGE], [np.inf, -np.inf, np.nan]),
        (domain.probability, [0, TINY, 0.5, 1], [-TINY, 1 + 1e-15, np.inf, np.nan]),
        (domain.positive_probability, [TINY, 0.5, 1], [0, -TINY, 1 + 1e-15, np.inf, np.nan]),
        (domain.count, [0, 1, 2.0, 1e300], [-1, 0.5, 1 + 1e-15, np.inf, np.nan]),
    ],
)
def test_limits_of_each_domain(check, inside, outside):
    for value in inside:
        assert check("x", value) == value
    np.testing.assert_array_equal(check("x", inside), inside)
    for value in outside:
        with pytest.raises(ValueError, match=r"^x must be "):
            check("x", value)
        with pytest.raises(ValueError, match=r"^x\[2\] must be "):
            check("x", [1, 1, value])


def test_count_from_one():
    assert domain.count("nodes", 1, least=1) == 1
    with pytest.raises(ValueError, match=r"nodes must be a whole number, at least 1, but is 0\.0"):
        domain.count("nodes", 0, least=1)


def test_message_names_element_value_and_what_is_allowed():
    with pytest.raises(ValueError, match=r"^mtbf\[1, 0\] must be above 0, but is -3\.0$"):
        domain.positive("mtbf", [[1, 2], [-3, 4]])
    with pytest.raises(ValueError, match=r"^mtbf must be above 0, but is nan$"):
        domain.positive("mtbf", np.nan)


@pytest.mark.parametrize(
    "value",
    [
        True,
        [True, False],
        1j,
        "1",
        b"1",
        None,
        [1, None],
        [1, "2"],
        {1, 2},
        {"a": 1},
        [[1], [1, 2]],
        object(),
        np.timedelta64(1, "s"),
        Decimal(1),
        sp.pi,
        sp.Symbol("x"),
        [Fraction(1, 2), True],
        da.ones(3, dtype=bool),
        da.from_array(np.array([Fraction(1, 2)]), chunks=1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_number_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"^mtbf must be above 0, but is no number .* \(try float\(...\)\): "):
        domain.positive("mtbf", value)


@pytest.mark.parametrize(
    "value",
    [
        10**400,
        -(10**400),
        [1.5, 10**5000],
        Fraction(10**400),
        np.longdouble("1e4000"),
        mpmath.mpf("1e400"),
        sp.Float("1e400"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("error")
def test_what_is_beyond_the_doubles_is_not_taken_for_infinity(value):
    with pytest.raises(
        ValueError, match=r"^mtbf must be above 0, but is beyond the largest double: give at most 1\.797e308$"
    ):
        domain.positive("mtbf", value)
    assert domain.positive("mtbf", mpmath.inf) == np.inf


class OfAstropy(np.ndarray):
    """Astropy's quantities are arrays, whose unit would be dropped."""

    unit = "min"


class OfPint:
    """Pint's quantities follow NumPy's protocols, but have no dtype if they are scalars."""

    units = "minute"

    def __array_function__(self, function, types, inputs, options):
        raise AssertionError("not looked at")


def test_an_object_whose_own_conversion_fails_is_refused_by_name():
    """As a tensor of PyTorch that remembers its gradient fails: by a RuntimeError."""

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach() first")

    with pytest.raises(ValueError, match=r"^mtbf must be above 0, but is no number or array of numbers"):
        domain.positive("mtbf", Tensor())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [mpmath.nan, [1, mpmath.nan]], ids=["alone", "in a list"])
def test_a_nan_of_another_library_is_refused_without_a_warning(value):
    with pytest.raises(ValueError, match=r"^mtbf(\[1\])? must be above 0, but is nan$"):
        domain.positive("mtbf", value)


@pytest.mark.parametrize("value", [np.ones(2).view(OfAstropy), OfPint()], ids=["Astropy", "Pint"])
def test_a_unit_is_not_dropped(value):
    with pytest.raises(ValueError, match=r"^mtbf must be above 0, but carries a unit: convert it to SI .* bare number"):
        domain.positive("mtbf", value)


def test_message_stays_short():
    with pytest.raises(ValueError, match="no number") as error:
        domain.positive("mtbf", ["x" * 1000] * 1000)
    assert len(str(error.value)) < 300


def test_masked_elements_are_refused_rather_than_read():
    with pytest.raises(ValueError, match="mtbf must be above 0, but has masked elements"):
        domain.positive("mtbf", np.ma.array([1.0, 2.0], mask=[False, True]))
    np.testing.assert_array_equal(domain.positive("mtbf", np.ma.array([1.0, 2.0])), [1, 2])


@pytest.mark.parametrize(
    "value", [2, 2.0, np.int8(2), np.float32(2), np.array(2), Fraction(2), sp.Integer(2), sp.Float(2), 2 * 10**30]
)
def test_scalars_become_numpy_scalars(value):
    checked = domain.positive("x", value)
    assert type(checked) is np.float64
    assert checked == float(value)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u8", "O"])
def test_arrays_become_doubles(dtype):
    checked = domain.positive("x", np.arange(1, 7, dtype=dtype).reshape(2, 3))
    assert type(checked) is np.ndarray
    assert checked.dtype == np.float64
    np.testing.assert_array_equal(checked, [[1, 2, 3], [4, 5, 6]])


def test_doubles_are_not_copied():
    values = np.ones(3)
    assert np.shares_memory(domain.positive("x", values), values)


def test_tables_are_read_as_arrays():
    """A data frame or a series is known by its `__array__` alone."""

    class Frame:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1, 2], [3, 4]])

    np.testing.assert_array_equal(domain.positive("x", Frame()), [[1, 2], [3, 4]])


def test_empty_arrays_have_nothing_to_refuse():
    assert domain.positive("x", np.zeros((0, 3))).shape == (0, 3)


def test_lazy_arrays_are_checked_without_being_computed():
    def refuse(*arguments, **options):
        raise AssertionError("computed")

    with dask.config.set(scheduler=refuse):
        checked = domain.positive("x", da.from_array(np.array([-1, 0, 1, 2]), chunks=2))
    assert isinstance(checked, da.Array)
    np.testing.assert_array_equal(checked.compute(), [np.nan, np.nan, 1, 2])


def test_masked_elements_of_a_lazy_array_become_nan():
    masked = da.ma.masked_greater(da.from_array(np.arange(1, 5), chunks=2), 3)
    np.testing.assert_array_equal(domain.positive("x", masked).compute(), [1, 2, 3, np.nan])


class LazySeries:
    """A series of dask.dataframe: lazy, and computed by NumPy if asked for its values."""

    def __dask_graph__(self):
        return {}

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("computed")


@pytest.mark.parametrize("value", [LazySeries(), dask.delayed(1.0)], ids=["Series", "Delayed"])
def test_lazy_values_that_are_no_arrays_are_refused_rather_than_computed(value):
    with pytest.raises(
        ValueError, match=r"^x must be above 0, but is a lazy \w+: compute it first, or pass a dask.array"
    ):
        domain.positive("x", value)


def test_not_below_compares_element_by_element():
    np.testing.assert_array_equal(domain.not_below("tau", np.array([2.0, 3.0]), "persist", np.float64(2)), [2, 3])
    with pytest.raises(ValueError, match=r"^tau\[0, 0\] must be at least persist\[1\], which is 2\.5, but is 2\.0$"):
        domain.not_below("tau", np.array([[2.0], [3.0]]), "persist", np.array([1.5, 2.5]))
    with pytest.raises(ValueError, match=r"^tau must be at least persist, which is 2\.0, but is 1\.0$"):
        domain.not_below("tau", np.float64(1), "persist", np.float64(2))
    with pytest.raises(ValueError, match=r"^tau must be at least persist\[1\], which is 2\.0, but is 1\.0$"):
        domain.not_below("tau", np.float64(1), "persist", np.array([1.0, 2.0]))
    lazy = domain.not_below("tau", da.from_array(np.array([1.0, 3.0])), "persist", np.float64(2))
    np.testing.assert_array_equal(lazy.compute(), [np.nan, 3])


def test_shapes_that_do_not_broadcast_are_named():
    domain.fitting_shapes(a=np.ones((2, 1)), b=np.ones(3), c=np.float64(1))
    with pytest.raises(ValueError, match=r"^shapes must broadcast, but are a \(2,\), b \(3,\): make them equal, or"):
        domain.fitting_shapes(a=np.ones(2), b=da.ones(3), c=np.float64(1))


def test_a_count_may_have_a_largest_value():
    assert domain.count("bit", [0, 15], most=15).tolist() == [0, 15]
    with pytest.raises(ValueError, match=r"^bit\[1\] must be a whole number from 0 to 15, but is 16"):
        domain.count("bit", [0, 16], most=15)


def test_any_number_may_be_infinite_or_nan():
    np.testing.assert_array_equal(domain.number("value", [1, np.inf, np.nan]), [1, np.inf, np.nan])
    with pytest.raises(ValueError, match=r"^value must be a number, but is no number"):
        domain.number("value", "one")
