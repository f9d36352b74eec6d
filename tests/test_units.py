"""Units against SciPy's constants and the sources' own conventions: none of them is computed here."""

import pytest
from scipy import constants

from relmath import units


@pytest.mark.parametrize("name", ["minute", "hour", "day", "week", "year"])
def test_times_are_scipys(name):
    assert getattr(units, name) == getattr(constants, name)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("byte", 1),
        ("KB", constants.kilo),
        ("MB", constants.mega),
        ("GB", constants.giga),
        ("TB", constants.tera),
        ("second", 1),
        ("millisecond", constants.milli),
        ("percent", constants.centi),
        ("billion", constants.giga),
    ],
)
def test_sizes_and_shares_are_decimal(name, prefix):
    assert getattr(units, name) == prefix


def test_year_is_the_one_of_failure_rates():
    """As the sources count: 8760 h."""
    assert units.year / units.hour == 8760


def test_failures_in_time():
    """A published pair: 20 000 FIT is a mean of 50 000 h."""
    assert 1 / (20_000 * units.FIT) / units.hour == pytest.approx(50_000, rel=1e-15)
