"""The text of Vega expressions; tests/browser/test_vega.py has them evaluated."""

import pytest
import sympy as sp

from relmath.notebook.notation import symbols
from relmath.notebook.vega import accurate, vega

delta, M, tau, x = symbols("delta M tau x")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sp.sqrt(2 * delta * M), "sqrt(2)*sqrt(mtbf)*sqrt(write_time)"),
        (x / 3, "(1/3)*write_ratio"),
        (1 / x, "pow(write_ratio, -1)"),
        (x ** sp.Rational(2, 3), "pow(write_ratio, 2/3)"),
        (sp.Float(0.1) * x, "0.1*write_ratio"),
        (sp.Float(1) / 3 * x, "0.3333333333333333*write_ratio"),
        (sp.pi * x + sp.E, "PI*write_ratio + E"),
        (sp.Max(x, 2), "max(2, write_ratio)"),
        (sp.Abs(x - 2), "abs(write_ratio - 2)"),
        (sp.ceiling(x / 2), "ceil((1/2)*write_ratio)"),
        (sp.Piecewise((x, x < 1), (1, True)), "((write_ratio < 1) ? write_ratio : 1)"),
        (x < sp.Rational(1, 50), "write_ratio < 1/50"),
        (sp.And(x > 1, x <= 2), "write_ratio <= 2 && write_ratio > 1"),
    ],
)
def test_printing(expression, text):
    assert vega(expression) == text


def test_names_of_the_chart_come_before_those_of_the_notation():
    assert vega(delta / tau, {tau: "datum.si"}) == "write_time/datum.si"
    assert vega(sp.Symbol("young") - 1, {sp.Symbol("young"): "young"}) == "young - 1"


def test_a_symbol_without_a_name_is_an_error():
    with pytest.raises(ValueError, match="nonsense"):
        vega(sp.Symbol("nonsense"))


@pytest.mark.parametrize(
    "expression",
    [sp.gamma(x), sp.tanh(x), sp.Function("f")(x), sp.oo, sp.I * x, sp.Sum(x, (x, 0, 3)), sp.factorial(x)],
    ids=str,
)
def test_what_vega_cannot_compute_is_named(expression):
    with pytest.raises(ValueError, match=r"has no Vega form.*write it in powers, Piecewise and .*LambertW"):
        vega(expression)


def test_pieces_must_cover_all_cases():
    with pytest.raises(ValueError, match="must end with a piece for all other cases"):
        vega(sp.Piecewise((x, x < 1)))


@pytest.mark.parametrize(
    "argument",
    [-sp.exp(-1 - delta / M), -sp.exp(-(M + delta) / M), -sp.exp(-1) * sp.exp(-delta / M)],
    ids=str,
)
@pytest.mark.parametrize("form", [lambda w: M * (1 + w), lambda w: M + M * w, lambda w: sp.expand(M * (1 + w))])
def test_lambert_w_is_joined_with_its_one_however_sympy_holds_it(argument, form):
    assert vega(form(sp.LambertW(argument))) == "mtbf*lambertw1p(write_time/mtbf)"


def test_lambert_w_within_other_functions():
    best = M * (1 + sp.LambertW(-sp.exp(-1 - delta / M)))
    waste = (M * (sp.exp((tau + delta) / M) - 1) / tau - 1).subs(tau, best)
    assert sp.LambertW not in {type(part) for part in sp.preorder_traversal(accurate(waste))}
    assert "expm1(" in vega(waste)
    assert "exp(" not in vega(waste)


def test_lambert_w_of_anything_else_stays():
    assert vega(sp.LambertW(x)) == "lambertw(write_ratio)"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (M * sp.exp(tau / M) - M, "mtbf*expm1(interval/mtbf)"),
        (1 - sp.exp(-tau / M), "-expm1(-interval/mtbf)"),
        (sp.log(1 + delta / M), "log1p(write_time/mtbf)"),
        (sp.log((M + delta) / M), "log1p(write_time/mtbf)"),
    ],
)
def test_differences_that_cancel_become_functions_that_do_not(expression, text):
    assert vega(expression) == text
