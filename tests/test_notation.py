"""The table of notation: complete, without contradictions, and in step with relmath's own parameters."""

import inspect
import re

import pytest
import sympy as sp

from relmath import checkpoints
from relmath.notebook import notation
from relmath.notebook.notation import code_name, symbols

UNITS = {"1", "s", "1/s", "byte", "byte/s"}


def test_symbols_bear_the_assumptions_of_the_table():
    delta, R, N = symbols("delta, R N")
    assert delta.is_positive
    assert R.is_nonnegative
    assert R.is_positive is None
    assert N.is_integer
    assert N.is_positive


def test_one_name_gives_one_symbol():
    assert symbols("M") == sp.Symbol("M", positive=True)


@pytest.mark.parametrize("names", ["zeta", "delta zeta"])
def test_an_unknown_symbol_is_named(names):
    with pytest.raises(ValueError, match="'zeta' is not in the notation table"):
        symbols(names)


@pytest.mark.parametrize("names", [" ", "delta delta", None, 5, ["delta"]])
def test_names_that_are_none_are_an_error(names):
    with pytest.raises(
        ValueError, match=rf"names must be different symbols in a string, .* is {re.escape(repr(names))}"
    ):
        symbols(names)


def test_code_name_goes_by_the_name_alone():
    assert code_name(symbols("delta")) == code_name(sp.Symbol("delta")) == "write_time"


def test_sympy_writes_a_symbol_as_the_table_does():
    assert {entry.symbol: sp.latex(symbols(entry.symbol)) for entry in notation.table().values()} == {
        entry.symbol: entry.latex for entry in notation.table().values()
    }


def test_every_cell_is_filled_and_every_name_is_its_own():
    entries = list(notation.table().values())
    assert all(vars(entry).values() for entry in entries)
    assert all(all(vars(entry).values()) for entry in entries)
    assert len({entry.code for entry in entries}) == len(entries)
    assert {entry.unit for entry in entries} <= UNITS


def test_every_parameter_of_the_checkpoint_functions_has_its_symbol():
    functions = [f for name, f in inspect.getmembers(checkpoints, inspect.isfunction) if not name.startswith("_")]
    own = [f for f in functions if f.__module__ == "relmath.checkpoints"]
    parameters = {name for function in own for name in inspect.signature(function).parameters}
    assert parameters
    assert parameters <= {entry.code for entry in notation.table().values()}
