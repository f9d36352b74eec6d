import math

import pytest

from relmath import units
from relmath.notebook.quantity import Unit, show, significant


@pytest.mark.parametrize("name", ["second", "minute", "hour", "day", "year", "GB", "percent", "billion", "FIT"])
def test_a_units_factor_is_relmaths(name):
    assert Unit(name).factor == getattr(units, name)


def test_a_ratio_of_units():
    assert Unit("GB/second").factor == units.GB
    assert Unit("GB/second").sign == "GB/s"
    assert Unit("1/hour").factor == 1 / units.hour
    assert Unit("1/hour").sign == "1/h"
    assert Unit("1").labelled("ratio") == "ratio"
    assert Unit("GB/second").labelled("bandwidth") == "bandwidth [GB/s]"


@pytest.mark.parametrize("name", ["fortnight", "GB/fortnight", "", "second/second/second"])
def test_an_unknown_unit_is_named(name):
    with pytest.raises(ValueError, match=r"unit must be one of millisecond, .*or a ratio of two"):
        Unit(name)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123, "second", "12.30 ms"),
        (1, "hour", "1.000 s"),
        (119, "second", "119.0 s"),
        (120, "second", "2.000 min"),
        (24.5 * 60, "second", "24.50 min"),
        (4.14 * 3600, "second", "4.140 h"),
        (100 * 3600, "minute", "4.167 d"),
        (1000 * 86400, "hour", "2.740 years"),
        (2.45e12, "GB", "2.450 TB"),
        (999, "GB", "999.0 B"),
        (0.029, "percent", "2.900 %"),
        (-0.5, "percent", "−50.00 %"),
        (1, "percent", "100.0 %"),
        (0.99994, "percent", "99.99 %"),
        (0.999998, "percent", "99.9998 %"),
        (1 - 1e-9, "percent", "99.9999999 %"),
        (1 - 1e-15, "percent", "100.0 %"),
        (1e11, "GB/second", "100.0 GB/s"),
        (0, "second", "0 s"),
        (0.4, "1", "0.4000"),
        (123456, "1", "123\u00a0500"),
        (43, "1", "43"),
        (43.2, "1", "43.20"),
        (1.5e-7, "1", "1.500 × 10⁻⁷"),
        (-2e9, "1", "−2.000 × 10⁹"),
        (math.inf, "1", "∞"),
        (-math.inf, "second", "−∞"),
        (math.nan, "percent", "not defined"),
    ],
)
def test_quantities_are_shown_in_a_unit_that_suits_them(value, unit, text):
    assert show(value, Unit(unit)) == text


@pytest.mark.parametrize(("number", "text"), [(9.9996, "10.00"), (0.00099996, "0.001000"), (99996, "100\u00a0000")])
def test_rounding_up_to_the_next_power_of_ten(number, text):
    assert significant(number, 4) == text


@pytest.mark.parametrize(
    ("value", "text"), [(24.5, "24.5 s"), (100, "100 s"), (1200, "20 min"), (0.25, "250 ms"), (0, "0 s")]
)
def test_what_was_set_has_no_zeros_at_the_end(value, text):
    assert show(value, Unit("second"), trim=True) == text
