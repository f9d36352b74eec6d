"""The explorer of bits in a page opened from a file: its own decoding against relmath's, and what a reader does."""

import itertools
import random
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from relmath import corruption
from relmath.notebook.bits import LABELS, BitExplorer
from tests.browser import harness

KEY = "bits"


@pytest.fixture(scope="module")
def explorer():
    return BitExplorer(key=KEY, value=0.02, bit=14)


@pytest.fixture(scope="module")
def url(tmp_path_factory, explorer):
    return harness.write_page(tmp_path_factory.mktemp("bits"), explorer, harness.efficiency())


@pytest.fixture
def bits(open_page, live, url):
    return live(open_page(url), KEY)


def number(text):
    return float(text.replace("Infinity", "inf"))


def numbers(page):
    """Every number shown, by all its digits: NaN and infinity, too."""
    outputs = page.root.locator("output[data-name]")
    return {
        name: number(text)
        for name, text in outputs.evaluate_all("all => all.map(o => [o.dataset.name, o.dataset.value])")
    }


def visit(page, setting):
    text = f"{KEY}:" + ",".join(f"{name}={value}" for name, value in setting.items())
    page.page.evaluate("hash => { location.hash = hash }", text)
    page.page.wait_for_function(
        "([root, value]) => root.querySelector('output[data-name=bit]').dataset.value === value",
        arg=[page.root.element_handle(), str(setting["bit"])],
    )


def random_setting(generator):
    name = generator.choice(list(corruption.FORMATS))
    form = corruption.FORMATS[name]
    value = float(corruption.decode(generator.randrange(form.special_pattern), name))
    return {"format": name, "value": generator.choice((1, -1)) * value, "bit": generator.randrange(form.bits)}


# Numbers


@pytest.mark.parametrize("name", LABELS)
def test_the_browser_decodes_and_encodes_as_relmath_does(name, bits):
    """Every pattern of 8 and 16 bits, a sample of those of 32; then values of all magnitudes, and ties."""
    form = corruption.FORMATS[name]
    generator = np.random.default_rng(754)
    patterns = np.arange(2**form.bits) if form.bits <= 16 else generator.integers(2**form.bits, size=60_000)
    format_ = bits.root.locator("script").evaluate(
        "(script, name) => JSON.parse(script.textContent).formats[name]", name
    )
    decoded = bits.page.evaluate(
        "([format, patterns]) => patterns.map((p) => String(relmathExplorers.bits.decode(format, p)))",
        [format_, patterns.tolist()],
    )
    expected = corruption.decode(patterns, name)
    np.testing.assert_array_equal([number(text) for text in decoded], expected)
    finite = np.unique(expected[np.isfinite(expected)])
    drawn = generator.normal(size=20_000) * 10 ** generator.uniform(-12, 12, 20_000)
    values = np.concatenate([drawn, finite[::7], (finite[1:] + finite[:-1])[::7] / 2, [0.0, -0.0]])
    encoded = bits.page.evaluate(
        "([format, values]) => values.map((v) => relmathExplorers.bits.encode(format, v))", [format_, values.tolist()]
    )
    rounded = corruption.nearest(values, name)
    held = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.array(encoded)[held], corruption.encode(rounded[held], name))


def test_every_number_is_relmaths_wherever_it_is_set(bits, explorer):
    generator = random.Random(2024)
    special = [("float16", 0.0, 14), ("float16", 1.0, 14), ("float16", 510.0, 13), ("float8_e4m3fn", 448.0, 0)]
    settings = [dict(zip(("format", "value", "bit"), case, strict=True)) for case in special]
    for setting in settings + [random_setting(generator) for _ in range(60)]:
        visit(bits, setting)
        expected = explorer.values(setting)
        shown = numbers(bits)
        assert shown.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_array_equal(shown[name], value, err_msg=f"{setting} {name}")
        tone, sentence = explorer.judge(setting)
        verdict = bits.root.locator(".explorer-validity")
        assert (verdict.get_attribute("data-tone"), verdict.text_content()) == (tone, sentence)
        for row, pattern in (("before", expected["pattern"]), ("after", expected["flipped"])):
            digits = format(int(pattern), f"0{corruption.FORMATS[setting['format']].bits}b")
            cells = bits.root.locator(f"[data-row={row}] .bits-cell")
            assert "".join(cells.all_text_contents()) == digits
            assert cells.nth(len(digits) - 1 - setting["bit"]).get_attribute("data-flipped") == ""


def test_the_page_shows_at_first_what_it_showed_before_any_script_ran(open_page, live, url):
    before = open_page(url, scripts=False).locator(f"#explorer-{KEY}")
    after = live(open_page(url), KEY).root
    for part in (".explorer-picture", ".explorer-readouts", ".explorer-validity", ".explorer-setting"):
        assert after.locator(part).text_content() == before.locator(part).text_content()
    labels = "all => all.map(bits => bits.getAttribute('aria-label'))"
    assert after.locator(".bits").evaluate_all(labels) == before.locator(".bits").evaluate_all(labels)
    expect(before.locator(".explorer-sliders")).to_be_hidden()
    expect(before.locator(".explorer-actions")).to_be_hidden()


# Controls


def test_all_of_it_is_set_by_the_keyboard(bits):
    keyboard = bits.page.keyboard
    bits.slider("bit").focus()
    keyboard.press("ArrowRight")
    assert bits.shown("bit") == "15 (sign)"
    assert bits.shown("factor") == "−1"
    keyboard.press("Home")
    assert bits.shown("bit") == "0 (fraction)"
    assert bits.slider("bit").get_attribute("aria-valuetext") == "0 (fraction)"
    bits.slider("value").focus()
    keyboard.press("End")
    assert numbers(bits)["value"] == 57344
    keyboard.press("ArrowLeft")
    assert numbers(bits)["value"] == 49152
    bits.row("format").locator("select").focus()
    keyboard.press("ArrowDown")
    expect(bits.row("format").locator("select")).to_have_value("bfloat16")
    assert bits.slider("bit").get_attribute("max") == "15"


def test_a_click_on_a_bit_flips_that_one(bits):
    bits.root.locator("[data-row=before] [data-bit='9']").click()
    assert bits.shown("bit") == "9 (fraction)"
    expect(bits.root.locator("[data-row=after] [data-bit='9']")).to_have_attribute("data-flipped", "")


def test_a_typed_value_is_rounded_to_the_format(bits):
    bits.type("value", "-0.1")
    assert numbers(bits)["value"] == -0.0999755859375
    assert bits.field("value").input_value() == "-0.0999755859375"
    bits.slider("value").focus()
    bits.page.keyboard.press("End")  # which moves the size alone
    assert numbers(bits)["value"] == -57344


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("value", "1e6", "Value must be a number from −65\u00a0504 to 65\u00a0504."),
        ("value", "1,5", "Value must be a number from −65\u00a0504 to 65\u00a0504."),
        ("value", "", "Value must be a number from −65\u00a0504 to 65\u00a0504."),
        ("bit", "16", "Bit must be a whole number from 0 to 15."),
        ("bit", "1.5", "Bit must be a whole number from 0 to 15."),
    ],
)
def test_what_cannot_be_set_is_refused_with_the_range(name, text, message, bits):
    before = numbers(bits)
    bits.type(name, text)
    assert bits.row(name).locator("[role=alert]").text_content() == message
    assert bits.field(name).get_attribute("aria-invalid") == "true"
    assert numbers(bits) == before
    bits.type(name, "3")
    assert bits.row(name).locator("[role=alert]").text_content() == ""


def test_another_format_keeps_what_it_can(bits):
    """The bit its distance from the sign, the value its size; what is too large becomes the largest."""
    select = bits.row("format").locator("select")
    bits.type("value", "60000")
    select.select_option("float8_e4m3fn")
    assert numbers(bits)["value"] == 448
    assert bits.shown("bit") == "6 (exponent)"
    select.select_option("float32")
    assert numbers(bits)["value"] == 448
    assert bits.shown("bit") == "30 (exponent)"
    assert bits.root.locator("[data-row=before] .bits-cell").count() == 32


def test_reset_returns_to_the_start_and_clears_the_address(bits):
    start = numbers(bits)
    bits.row("format").locator("select").select_option("float32")
    bits.type("value", "3")
    bits.page.wait_for_function("location.hash.includes('format=float32')")
    bits.press("reset")
    assert numbers(bits) == start
    bits.page.wait_for_function("location.hash === ''")


# The address, and copies


def test_an_address_brings_a_colleague_to_the_same_setting(open_page, live, bits):
    bits.row("format").locator("select").select_option("bfloat16")
    bits.type("value", "0.75")
    bits.type("bit", "9")
    bits.page.wait_for_function("location.hash.endsWith('bits:format=bfloat16,value=0.75,bit=9')")
    other = live(open_page(bits.page.url), KEY)
    assert numbers(other) == numbers(bits)
    assert bits.copied("link") == bits.page.url


def test_it_shares_the_address_with_other_explorers(open_page, live, bits):
    bits.type("bit", "9")
    bits.page.wait_for_function("location.hash.includes('bits:')")
    efficiency = live(bits.page, "efficiency")
    efficiency.type("write_time", 60)
    bits.page.wait_for_function("location.hash.includes('efficiency:')")
    again = open_page(bits.page.url)
    assert numbers(live(again, KEY))["bit"] == 9
    assert live(again, "efficiency").numbers()["write_time"] == 60


def test_an_address_that_cannot_be_obeyed_says_so(open_page, live, url):
    page = live(open_page(f"{url}#{KEY}:format=fp16,value=1e9,bit=3"), KEY)
    assert page.row("format").locator("[role=alert]").text_content().startswith("Format must be one of float16")
    assert page.row("value").locator("[role=alert]").text_content()
    assert numbers(page)["bit"] == 3


def test_what_is_copied_as_python_runs_and_gives_the_numbers_shown(bits):
    generator = random.Random(1985)
    for _ in range(5):
        visit(bits, random_setting(generator))
        program = bits.copied("python")
        results = {}
        exec(program, results)
        for name in ("value", "bit", "after"):
            np.testing.assert_array_equal(results[name], numbers(bits)[name])
        assert program.endswith(f"# {bits.shown('after')}\n")


def test_zero_keeps_its_sign_in_the_address_and_in_copies(open_page, live, bits):
    bits.type("value", "-0")
    assert bits.shown("value") == "−0"
    assert bits.shown("pattern") == "0x8000"
    bits.page.wait_for_function("location.hash.includes('value=-0.0')")
    assert live(open_page(bits.page.url), KEY).shown("pattern") == "0x8000"
    results = {}
    exec(bits.copied("python"), results)
    assert corruption.encode(results["value"], "float16") == 0x8000


# Looks


@pytest.mark.parametrize("format_", ["float16", "float32"])
def test_a_narrow_screen_shows_all_of_it(format_, open_page, live, url):
    page = live(open_page(url, width=400), KEY)
    page.row("format").locator("select").select_option(format_)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 400
    for part in page.root.locator("output, input, select, button, .bits-cell").all():
        box = part.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 400
    for target in page.root.locator("input, select, button").all():
        assert target.bounding_box()["height"] >= 32
    cells = [cell.bounding_box() for cell in page.root.locator("[data-row=before] .bits-cell").all()]
    for one, other in itertools.pairwise(cells):
        assert one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]


def test_it_follows_the_theme(bits):
    cell = bits.root.locator("[data-row=after] [data-flipped]")
    other = bits.root.locator("[data-row=after] [data-bit='3']")
    seen = set()
    for theme in ("light", "dark"):
        bits.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        styles = [
            part.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
            for part in (cell, other)
        ]
        assert styles[0] != styles[1]  # the flipped bit stands out
        seen.add(str(styles))
    assert len(seen) == 2


def test_every_control_has_a_name(bits):
    for role, name in [("combobox", "Format"), ("slider", "Value"), ("slider", "Bit")]:
        expect(bits.root.get_by_role(role, name=name, exact=True)).to_be_visible()
    for name in ("Value, as a number", "Bit, as a number"):
        expect(bits.root.get_by_role("textbox", name=name)).to_be_visible()
    for name in ("before", "after"):
        described = re.compile(f"{name}: sign [01], exponent [01]{{5}}, fraction [01]{{10}}")
        expect(bits.root.get_by_role("img", name=described)).to_be_visible()
