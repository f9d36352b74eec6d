"""Printed expressions, evaluated by the JavaScript of a real browser, against mpmath in 50 digits."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp

from relmath.notebook.notation import symbols
from relmath.notebook.vega import vega
from tests.browser import harness

x = symbols("x")

EVALUATE = """async ([expression, values]) => {
    const params = [{ name: "write_ratio", value: 1 }, { name: "result", expr: expression }];
    const spec = { params, data: { values: [] }, mark: "point" };
    const { view } = await vegaEmbed(document.createElement("div"), spec, { mode: "vega-lite" });
    const results = [];
    for (const value of values) {
        view.signal("write_ratio", value);
        await view.runAsync();
        results.push(view.signal("result"));
    }
    return results;
}"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return harness.write_page(tmp_path_factory.mktemp("page"), harness.efficiency())


@pytest.fixture
def evaluate(open_page, url):
    """A function that evaluates an expression for each of some values of x, in a page."""
    page = open_page(url)
    page.wait_for_selector(".explorer[aria-busy=false]")  # which has registered the functions that Vega lacks
    return lambda expression, values: page.evaluate(EVALUATE, [vega(expression), values])


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        (1 + sp.LambertW(-sp.exp(-1 - x)), 1e-9, 100),
        (1 + sp.LambertW(-sp.exp(-1 - x)), 1e-18, 1e-9),
        (1 + sp.LambertW(-sp.exp(-1 - x)), 0.01, 3),  # where one way of computing it takes over from another
        (sp.LambertW(x), 1e-12, 1e9),
        (sp.LambertW(-x), 1e-12, 0.36),
        (sp.exp(x) - 1, 1e-12, 100),
        (x * sp.exp(-x) - x, 1e-9, 30),
        (1 - sp.exp(-x), 1e-12, 100),
        (sp.log(1 + x), 1e-12, 1e6),
        (sp.log((1 + x) / 1), 1e-12, 1e6),
        (x ** sp.Rational(2, 3) / 3 + sp.pi / x, 1e-6, 1e6),
        (sp.Piecewise((x**2, x < 1), (sp.sqrt(x), x < 10), (1 / x, True)), 0.01, 1000),
        (sp.Max(x, 2) * sp.Abs(x - 3) + sp.floor(x) - sp.ceiling(x / 2), 0.1, 50),
        (sp.Float(0.1) * x + sp.Float(1e-30) + sp.E, 0.1, 10),
    ],
    ids=str,
)
def test_the_browser_loses_no_digits(expression, low, high, evaluate):
    values = np.geomspace(low, high, 100).tolist()
    computed = evaluate(expression, values)
    exact = sp.lambdify(x, expression, "mpmath")
    with mpmath.workdps(50):
        expected = [float(exact(mpmath.mpf(value))) for value in values]
    assert computed == pytest.approx(expected, rel=1e-13, abs=0)


def test_lambertw_has_its_limits(evaluate):
    assert evaluate(1 + sp.LambertW(-sp.exp(-1 - x)), [0, 1000]) == [0, 1]
    outside, branch, zero = evaluate(sp.LambertW(x), [-0.5, -math.exp(-1), 0])
    assert math.isnan(outside)
    assert branch == pytest.approx(-1, abs=1e-7)
    assert zero == 0
