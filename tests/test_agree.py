"""agree() must accept what is right over its whole domain, and notice every way of being wrong."""

import numpy as np
import pytest
import sympy as sp

from relmath import checkpoints
from relmath.notebook.agree import agree, compare, sample
from relmath.notebook.notation import symbols

tau, delta, M, R = symbols("tau delta M R")
BOX = {delta: (1e-3, 1e3), M: (60, 1e7)}
YOUNG = sp.sqrt(2 * delta * M)


def identity(mtbf):
    return mtbf


def test_one_quiet_line(capsys):
    agree(YOUNG, checkpoints.young, over=BOX)
    assert capsys.readouterr().out == (
        "checkpoints.young(delta, M) is the expression: "
        "200 points, delta in [0.001, 1000] s, M in [60, 1e7] s, within 1e-12\n"
    )


def test_lambert_w():
    compare(M * (1 + sp.LambertW(-sp.exp(-1 - delta / M))), checkpoints.optimal, over=BOX)


def test_arguments_go_by_name_and_defaults_stay():
    expression = M * (sp.exp((tau + delta) / M) - 1)
    compare(expression, checkpoints.expected_time, over={M: (60, 1e7), delta: (1, 1e3), tau: (1, 1e4)})


def test_a_symbol_may_have_no_effect():
    """The restart is an argument of the function, and so of the domain, though the expression is free of it."""

    def young(write_time, mtbf, restart):
        return checkpoints.young(write_time, mtbf) + 0 * restart

    compare(YOUNG, young, over={**BOX, R: (0, 1e3)})


def test_an_argument_may_be_a_result(capsys):
    overhead = delta / tau + tau / (2 * M)
    agree(overhead.subs(tau, YOUNG), checkpoints.first_order_overhead, over=BOX, at={"interval": checkpoints.young})
    assert capsys.readouterr().out.startswith(
        "checkpoints.first_order_overhead(checkpoints.young(delta, M), delta, M) is the expression"
    )


def test_a_list_is_a_set_of_values(capsys):
    agree(YOUNG, checkpoints.young, over={delta: [1, 2, 4], M: (60, 70)}, points=30)
    assert "30 points, delta in {1, 2, 4} s, M in [60, 70] s" in capsys.readouterr().out
    assert set(sample({delta: [1, 2, 4]}, 30)[delta]) == {1, 2, 4}


def test_points_are_the_same_each_time_and_include_the_corners():
    columns = sample(BOX, 200)
    assert all((columns[symbol] == sample(BOX, 200)[symbol]).all() for symbol in BOX)
    points = set(zip(columns[delta], columns[M], strict=True))
    assert len(points) == 200
    assert {(1e-3, 60), (1e-3, 1e7), (1e3, 60), (1e3, 1e7)} <= points
    assert all(low <= columns[symbol].min() and columns[symbol].max() <= high for symbol, (low, high) in BOX.items())


def test_a_wide_interval_is_drawn_evenly_in_its_logarithm():
    wide, narrow = sample({delta: (1e-3, 1e3), M: (50, 100)}, 400).values()
    assert np.median(wide) == pytest.approx(1, rel=1)
    assert np.median(narrow) == pytest.approx(75, rel=0.1)


def test_zero_equals_zero():
    compare(M - M, lambda mtbf: 0 * mtbf, over={M: (1, 2)})


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        pytest.param(sp.sqrt(2 * delta * M) * (1 + sp.Rational(1, 10**11)), checkpoints.young, id="coefficient"),
        pytest.param(YOUNG, checkpoints.daly, id="function"),
        pytest.param(YOUNG, lambda write_time, mtbf: 0 * mtbf, id="zero"),
        pytest.param(0 * delta, checkpoints.young, id="zero expression"),
        pytest.param(YOUNG, lambda write_time, mtbf: np.where(mtbf < 1e6, np.nan, 1), id="not a number"),
        pytest.param(YOUNG, lambda write_time, mtbf: np.nan * mtbf, id="never a number"),
        pytest.param(YOUNG, lambda write_time, mtbf: np.inf * mtbf, id="infinite"),
        pytest.param(sp.nan, checkpoints.young, id="expression not a number"),
        pytest.param(sp.sqrt(-2 * delta * M), checkpoints.young, id="complex expression"),
        pytest.param(YOUNG, lambda write_time, mtbf: np.sqrt(-2 * write_time * mtbf + 0j), id="complex function"),
    ],
)
def test_what_is_wrong_is_noticed(expression, function):
    with pytest.raises(AssertionError, match="is not"):
        compare(expression, function, over=BOX)


def test_a_fault_at_a_single_corner_is_noticed():
    def young_but_for_a_corner(write_time, mtbf):
        return np.where((write_time == 1e3) & (mtbf == 60), 0, checkpoints.young(write_time, mtbf))

    with pytest.raises(AssertionError, match=r"delta = 1000\.0, M = 60\.0"):
        compare(YOUNG, young_but_for_a_corner, over=BOX)


def test_the_error_names_the_point_and_both_values():
    with pytest.raises(
        AssertionError,
        match=r"identity\(M\) is not 2\*M: at M = 4\.0 the function gives 4\.0, the express"
        r"ion 8\.0; relative difference 0\.5, allowed 1e-12",
    ):
        compare(2 * M, identity, over={M: [4]}, points=4)


@pytest.mark.parametrize(
    ("expression", "function", "over", "at", "message"),
    [
        (YOUNG, checkpoints.young, {delta: (1, 2)}, None, "a domain for M"),
        (delta, checkpoints.young, {delta: (1, 2)}, None, "the symbol that checkpoints.young calls mtbf"),
        (YOUNG, checkpoints.young, {**BOX, R: (1, 2)}, None, r"no parameter for R \(restart\)"),
        (YOUNG, checkpoints.young, BOX, {"interval": checkpoints.young}, "at names interval"),
        (YOUNG, checkpoints.young, {}, None, "at least one symbol, .* but is {}"),
        (YOUNG, checkpoints.young, 5, None, "at least one symbol, .* but is 5"),
        (None, checkpoints.young, BOX, None, "expression must be a SymPy expression, but is None"),
        (YOUNG, checkpoints.young, BOX, ["interval"], r"at must give functions by argument, .* is \['interval'\]"),
        (sp.sqrt(sp.Symbol("delta")), checkpoints.young, BOX, None, "a domain for delta"),
    ],
)
def test_what_does_not_match_is_named(expression, function, over, at, message):
    with pytest.raises(ValueError, match=message):
        compare(expression, function, over, at=at)


@pytest.mark.parametrize("pair", [(5, 1), (1, 1), (), (1, 2, 3), 5, None, "12", (1, np.nan), (1, np.inf), (1, 10**400)])
def test_a_domain_must_be_an_interval(pair):
    with pytest.raises(
        ValueError, match=r"over\[M\] must be \(low, high\), two finite numbers, the lower first, but is"
    ):
        compare(M, identity, over={M: pair})


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf], ["1"]])
def test_or_a_list_of_numbers(values):
    with pytest.raises(ValueError, match=r"over\[M\] must be a list of finite numbers, at least one, but is \["):
        compare(M, identity, over={M: values})


@pytest.mark.parametrize("points", [0, 1, -1, 1.5])
def test_points_must_be_a_number_of_them(points):
    with pytest.raises(ValueError, match=f"points must be a whole number, 2 or more, but is {points}"):
        compare(M, identity, over={M: (1, 2)}, points=points)


@pytest.mark.parametrize("tolerance", [1, 10, np.inf, np.nan, -1, None])
def test_a_tolerance_must_tell_right_from_wrong(tolerance):
    with pytest.raises(ValueError, match="tolerance must be a relative difference, from 0 to below 1, but is"):
        compare(M, identity, over={M: (1, 2)}, tolerance=tolerance)


@pytest.mark.parametrize("expression", [sp.zoo, 1 / R])
def test_where_an_expression_has_no_value_it_is_not_the_function(expression):
    with pytest.raises(AssertionError, match=r"at R = 0\.0 the function gives .*, the expression nan"):
        compare(expression, lambda restart: restart, over={R: (0, 2)})
