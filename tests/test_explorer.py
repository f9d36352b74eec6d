"""The definition of an explorer, its checks, and its two faces as far as no browser is needed."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets
import pytest
import sympy as sp
from explorer_assets import with_pictures

from relmath import checkpoints
from relmath.notebook import page, panel
from relmath.notebook.explorer import Curve, Explorer, Readout, Slider, Validity
from relmath.notebook.notation import symbols
from relmath.notebook.quantity import show
from tests.browser import harness

delta, M, tau, D, N = symbols("delta M tau D N")


@pytest.fixture(scope="module")
def young():
    return harness.young()


# The definition


def test_values_are_those_of_relmaths_functions(young):
    setting = {"interval": 600.0, "write_time": 60.0, "mtbf": 7200.0}
    values = young.values(setting)
    assert values["together"] == checkpoints.first_order_overhead(600, 60, 7200)
    assert values["youngs_interval"] == checkpoints.young(60, 7200)
    assert values["overhead_there"] == checkpoints.first_order_overhead(checkpoints.young(60, 7200), 60, 7200)
    assert values["excess"] == pytest.approx(checkpoints.young(60, 7200) / checkpoints.optimal(60, 7200) - 1, rel=1e-12)


def test_without_a_setting_the_values_are_those_at_the_start(young):
    assert young.values() == young.values({"interval": 14.2 * 60, "write_time": 24.5, "mtbf": 4.14 * 3600})


def test_a_name_that_nothing_bears_is_refused(young):
    for method in (young.values, young.judge):
        with pytest.raises(ValueError, match="setting uses intervall: it may use interval, mtbf, write_time"):
            method({"intervall": 600.0})
    with pytest.raises(ValueError, match=r"name must be one of .*youngs_interval, but is 'nope'"):
        young.unit("nope")
    assert young.unit("together").name == "percent"


def test_the_first_condition_that_holds_is_said(young):
    assert young.judge({"write_time": 20.0, "mtbf": 2000.0}) == (
        "fine",
        "δ/M = 0.010: Young's interval is 4.9\xa0% long.",
    )
    assert young.judge({"write_time": 20.0, "mtbf": 50.0})[0] == "doubtful"
    assert young.judge({"write_time": 200.0, "mtbf": 50.0})[0] == "outside"


def test_a_wrong_formula_is_refused(young):
    wrong = Curve("together", delta / tau + tau / M, checkpoints.first_order_overhead)
    with pytest.raises(AssertionError, match=r"first_order_overhead\(tau, delta, M\) is not"):
        replace(young, curves=[wrong])


def test_a_formula_that_is_wrong_in_one_corner_of_the_box_is_refused(young):
    daly = checkpoints.daly
    series = sp.sqrt(2 * delta * M) * (1 + sp.sqrt(delta / (2 * M)) / 3 + delta / (18 * M)) - delta
    with pytest.raises(AssertionError, match="daly"):  # which is M from delta = 2M on
        replace(young, readouts=[Readout("Daly", series, daly, "minute")], markers=[], validity=[])


def test_a_formula_that_loses_digits_in_doubles_is_refused(young):
    lost = M - tau / (sp.exp(tau / M) - 1)
    readout = Readout("lost work", lost, checkpoints.mean_lost_work, "minute")
    x = replace(young.x, box=(1e-4, 200))
    parts = {"x": x, "sliders": young.sliders[1:], "curves": young.curves[2:], "readouts": [readout]}
    with pytest.raises(
        AssertionError, match="'lost work' loses digits in doubles, write it real and without cancellation"
    ):
        replace(young, **parts, markers=[], validity=[])


@pytest.mark.parametrize(
    "formulas",
    [
        {"curves": [Curve("c", ((M**2 + tau) ** 2 - M**4 - 2 * tau * M**2) / tau**2)]},  # 1, everywhere
        {"readouts": [Readout("sum", M**2 + tau), Readout("c", sp.Symbol("sum", real=True) - M**2)]},
        {"readouts": [Readout("c", sp.I * delta)]},
    ],
)
def test_mere_arithmetic_that_a_page_gets_wrong_is_refused(formulas, young):
    with pytest.raises(AssertionError, match=r"'c' loses digits in doubles, write it real and without cancellation"):
        replace(young, **{"curves": young.curves[2:], "readouts": [], "markers": [], "validity": [], **formulas})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "Young one"}, "key must be small letters, digits and hyphens, but is 'Young one'"),
        ({"curves": []}, "curves must be one to four, to be told apart, but are 0"),
        ({"curves": [Curve(f"c{i}", delta / tau) for i in range(5)]}, "but are 5"),
        ({"y_range": (0, 100)}, r"y_range must be \(low, high\), two finite numbers above 0, .* is \(0, 100\)"),
        ({"y_range": (1, float("inf"))}, r"y_range must be \(low, high\)"),
        ({"y_unit": "parsec"}, "unit must be one of .* but is 'parsec'"),
        (
            {"curves": [Curve("c", sp.Symbol("tau") / M)]},
            r"'c' uses tau: .*; the assumptions differ, .* symbols\('tau'\)",
        ),
        ({"curves": [Curve("c", 1 / (tau - delta))]}, "'c' has a pole in the box, where .* is 0"),
        (
            {"validity": [Validity(sp.Symbol("M") > 1, "fine", ""), Validity(True, "fine", "")]},
            "the assumptions differ",
        ),
        ({"curves": [Curve("a", delta / tau), Curve("A", tau / M)]}, "name of its own, but 'a' is taken"),
        ({"curves": [Curve("interval", delta / tau)]}, "name of its own, but 'interval' is taken"),
        ({"curves": [Curve("width", delta / tau)]}, "name of its own, but 'width' is taken"),
        ({"readouts": [Readout("checkpoints", sp.sqrt(2 * delta * M), checkpoints.young)]}, "'checkpoints' is taken"),
        ({"markers": [Readout("elsewhere", delta)]}, "markers must be among the readouts, but 'elsewhere' is not"),
        ({"readouts": [Readout("r", delta + D)]}, r"'r' uses D: it may use M, delta, rework, tau, together, writing"),
        ({"curves": [Curve("c", sp.Symbol("together") / 2)]}, "'c' uses together: it may use M, delta, tau"),
        ({"readouts": [Readout("r", sp.sqrt(delta))]}, r"'r' needs its function of relmath: sqrt\(delta\) is not mere"),
        (
            {"readouts": [Readout("r", delta, lambda write_time: write_time)]},
            "'r' must be computed by functions of relmath",
        ),
        ({"validity": [Validity(delta > 1, "fine", "")]}, "the condition of the last validity must be True"),
        ({"validity": [Validity(True, "fine", "{young}")]}, "validity uses young: it may use .*youngs_interval"),
        ({"validity": [Validity(D > 1, "fine", ""), Validity(True, "fine", "")]}, "validity uses D: it may use"),
    ],
)
def test_parts_that_do_not_fit_are_named(change, message, young):
    others = {"markers": [], "validity": []} if "readouts" in change or "curves" in change else {}
    with pytest.raises(ValueError, match=message):
        replace(young, **{**others, "readouts": [] if "curves" in change else young.readouts, **change})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((delta, "second", (10, 1), 5), r"it: box must be \(low, high\), two finite numbers above 0, .* is \(10, 1\)"),
        ((delta, "second", (0, 10), 5), r"above 0, the lower first, but is \(0, 10\)"),
        ((D, "second", (0, 10), 5, True), r"above 0, the lower first, but is \(0, 10\)"),
        ((D, "second", (1, float("inf")), 5), "it: box must be"),
        ((D, "second", (1, 2, 3), 2), "it: box must be"),
        ((D, "second", ("1", "2"), 2), "it: box must be"),
        ((D, "second", None, 2), "it: box must be"),
        ((delta, "second", (1, 10), 11), r"it: value must be a number in the box \(1, 10\), but is 11"),
        ((delta, "second", (1, 10), "2"), "it: value must be a number in the box .* is '2'"),
        ((delta, "parsec", (1, 10), 2), "unit must be one of .* but is 'parsec'"),
        ((N, "1", (1, 10), 2.5), r"it: box and value must be whole, but are \(1, 10\) and 2.5"),
        ((N, "1", (1.2, 3), 2), r"it: box and value must be whole, but are \(1.2, 3\)"),
        ((sp.Symbol("delta"), "second", (1, 10), 2), r"it: symbol must be the one that symbols\('delta'\) gives"),
    ],
)
def test_sliders_that_cannot_be_are_named(arguments, message):
    symbol, *others = arguments
    with pytest.raises(ValueError, match=message):
        Slider(symbol, "it", *others)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((True, "good", ""), "tone must be one of fine, doubtful, outside, but is 'good'"),
        ((tau, "fine", ""), "condition must be a comparison, such as delta < M, or True, but is tau"),
        ((None, "fine", ""), "condition must be a comparison, .* but is None"),
        *(((True, "fine", text), "text must have braces") for text in ("{interval:.2f}", "{", "{}", "{{x}}", "{x!r}")),
    ],
)
def test_a_validity_that_cannot_be_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Validity(*arguments)


def test_a_readout_in_an_unknown_unit_is_named():
    with pytest.raises(ValueError, match=r"unit must be one of .* but is 'parsec'"):
        Readout("it", delta, unit="parsec")


@pytest.mark.parametrize("label", ["δ/M", "2 x", "while", ""])
def test_a_label_that_gives_no_name_for_code_is_named(label):
    with pytest.raises(ValueError, match="needs a name for code"):
        Readout(label, delta / M)
    assert Readout(label, delta / M, name="ratio").name == "ratio"


def test_a_slider_is_logarithmic_if_it_spans_more_than_a_decade():
    assert Slider(delta, "δ", "second", (1, 11), 2).is_log
    assert not Slider(delta, "δ", "second", (1, 9), 2).is_log
    assert not Slider(D, "D", "second", (0, 100), 2).is_log
    assert not Slider(delta, "δ", "second", (1, 100), 2, log=False).is_log


def test_an_integer_symbol_makes_a_slider_of_whole_numbers():
    slider = Slider(N, "Nodes", "1", (1, 6), 2)
    assert slider.domain == [1, 2, 3, 4, 5, 6]
    assert list(slider.between(100)) == [1, 2, 3, 4, 5, 6]


def test_a_constant_makes_a_curve(young):
    constant = replace(young, curves=[Curve("limit", sp.Rational(1, 10))], readouts=[], markers=[], validity=[])
    assert constant.values()["limit"] == 0.1


# As Python


def test_python_names_arguments_after_one_that_is_left_out(young):
    total = (M + D) * (sp.exp((tau + delta) / M) - 1)
    mtbf = Slider(M, "MTBF", "hour", (0.5, 1000), 4.14)
    down = Slider(D, "Downtime", "minute", (0, 60), 5)
    explorer = Explorer(
        key="time",
        x=young.x,
        sliders=[young.sliders[0], mtbf, down],
        y="time",
        y_unit="minute",
        y_range=(0, 100),
        curves=[Curve("expected time", total, checkpoints.expected_time)],
    )
    call = "checkpoints.expected_time(interval, write_time, mtbf, downtime=downtime)"
    assert explorer.python(explorer.curves[0]) == call
    assert "from relmath.units import hour, minute, second" in page.python(explorer)


def test_python_of_arithmetic_reads_as_one_would_write_it(young):
    assert [young.python(readout) for readout in young.readouts[-2:]] == [
        "youngs_interval/exact_optimum - 1",
        "write_time/mtbf",
    ]


# The page


def picture(explorer):
    """The still picture as the build draws it."""
    return re.search(r"<svg role.*?</svg>", with_pictures(page.html(explorer)), re.S)[0]


def test_the_bundle_holds_both_faces_and_a_fixed_text(young):
    bundle, metadata = young._repr_mimebundle_()
    assert metadata["scrapbook"]["name"] == "young"
    assert set(bundle) == {"text/plain", "text/html", panel.VIEW}
    assert bundle["text/plain"] == (
        "Explorer young: overhead, of useful time over Interval; to be set: Write time [s], MTBF of the job [h]"
    )


def test_the_html_is_the_same_in_every_process(young):
    code = "from tests.browser import harness; print(harness.young()._repr_mimebundle_()[0]['text/html'], end='')"
    root = Path(__file__).parents[1]
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        )
        assert run.stdout.decode() == page.html(young), run.stderr.decode()


def test_numbers_in_the_html_do_not_depend_on_the_last_digit(young, monkeypatch):
    html = page.html(young)
    values = Explorer.values

    def jittered(self, setting=None):
        return {name: value * (1 + 2e-16) for name, value in values(self, setting).items()}

    monkeypatch.setattr(Explorer, "values", jittered)
    assert page.html(young) == html


def test_the_still_picture_is_small_and_fits_into_any_page(young):
    svg = picture(young)
    assert len(svg.encode()) < 20_000
    assert "font-family" not in svg
    assert set(re.findall(r'id="([^"]*)"', svg)) == {f"explorer-young-clip{i}" for i in range(1, 7)}
    assert svg.count("var(--explorer-") == 6  # three curves and their points


def test_the_still_picture_has_the_ticks_of_the_live_one(young):
    few = replace(young, y_range=(0.0002, 20))
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", picture(few))
    assert {"0.001", "0.01", "0.1", "1", "10"} <= set(labels)


def test_a_page_without_explorers_stays_as_it_is():
    assert with_pictures("<p>No chart.</p>") == "<p>No chart.</p>"


def test_the_picture_takes_the_place_of_its_chart(young):
    page_ = with_pictures(page.html(young) + page.html(replace(young, key="other")))
    assert page.STILL not in page_
    assert page_.count('<svg role="img"') == 2
    clips = re.findall(r'id="(explorer-[a-z]+-clip\d+)"', page_)
    assert len(clips) == len(set(clips)) == 12


def test_the_chart_names_no_address_and_no_version(young):
    text = json.dumps(page.definition(young))
    assert "$schema" not in text
    assert "http" not in text


def test_what_an_author_writes_cannot_break_the_page(young):
    curve = Curve("</script><b>", delta / tau, name="curve")
    html = page.html(replace(young, curves=[curve], readouts=[], markers=[], validity=[]))
    assert html.count("</script>") == html.count("<script ") == 2
    assert "<b>" not in html.split("<script")[0]
    definition = re.search(r'<script type="application/json">(.*)</script>', html, re.S)[1]
    assert "</script><b>" in json.loads(definition)["spec"]["description"]


def test_a_marker_outside_the_axis_is_not_drawn(young):
    assert "Young's interval" in picture(young)
    assert "Young's interval" not in picture(replace(young, x=replace(young.x, box=(0.5, 14.21))))


def test_logarithmic_axes_have_plain_numbers():
    assert page.ticks((0.5, 200)) == [0.5, 1, 2, 5, 10, 20, 50, 100, 200]
    assert page.ticks((0.1, 200)) == [0.1, 1, 10, 100]
    assert page.ticks((3, 40)) == [5, 10, 20]


# The kernel


def test_the_panel_follows_its_sliders(young):
    picture, interval, write_time, mtbf, numbers = panel.panel(young).children
    before = bytes(picture.value)
    assert before.startswith(b"\x89PNG")
    mtbf.value = 8.28
    write_time.value = 49
    setting = {"interval": interval.value * 60, "write_time": 49.0, "mtbf": 8.28 * 3600}
    assert bytes(picture.value) != before
    for name, value in young.values(setting).items():
        assert f"<b>{show(value, young.unit(name))}</b>" in numbers.value
    assert young.judge(setting)[1] in numbers.value.replace("&#x27;", "'")


def test_the_panel_has_labels_with_units_and_widgets_that_strict_nbval_takes(young):
    box = panel.panel(young)
    assert [child.description for child in box.children[1:4]] == [
        "Interval [min]",
        "Write time [s]",
        "MTBF of the job [h]",
    ]
    kinds = [type(child) for child in box.children]
    assert kinds == [widgets.Image, *[widgets.FloatLogSlider] * 3, widgets.HTML]


def test_the_panel_has_even_and_whole_sliders_too():
    even, whole = panel._slider(harness.efficiency().x), panel._slider(Slider(N, "Nodes", "1", (1, 6), 2))
    assert (type(even), even.min, even.max) == (widgets.FloatSlider, 1, 60)
    assert (type(whole), whole.min, whole.max) == (widgets.IntSlider, 1, 6)
