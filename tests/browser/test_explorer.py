"""Explorers in a page opened from a file: what a reader sees and does, compared with what relmath computes."""

import itertools
import math
import random
import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness


@pytest.fixture(scope="module")
def young():
    return harness.young()


@pytest.fixture(scope="module")
def efficiency():
    return harness.efficiency()


@pytest.fixture(scope="module")
def url(tmp_path_factory, young, efficiency):
    return harness.write_page(tmp_path_factory.mktemp("explorers"), young, efficiency)


def random_setting(explorer, generator):
    """A value for each slider, in its unit, anywhere in its box."""
    setting = {}
    for slider in explorer.inputs:
        low, high = slider.box
        share = generator.random()
        setting[slider.name] = low * (high / low) ** share if slider.is_log else low + (high - low) * share
    return setting


def in_si(explorer, setting):
    return {slider.name: setting[slider.name] * slider.quantity.factor for slider in explorer.inputs}


# Numbers


@pytest.mark.parametrize("name", ["young", "efficiency"])
def test_every_number_is_relmaths_wherever_the_sliders_stand(name, request, open_page, live, url):
    explorer = request.getfixturevalue(name)
    page = live(open_page(url), name)
    generator = random.Random(1974)
    ends = [{slider.name: slider.box[end] for slider in explorer.inputs} for end in (0, 1)]
    for setting in [*ends, *(random_setting(explorer, generator) for _ in range(60))]:
        page.visit(setting)
        si = in_si(explorer, setting)
        assert page.numbers() == pytest.approx({**si, **explorer.values(si)}, rel=1e-9)


def test_what_is_shown_is_the_number_in_a_unit_that_suits_it(open_page, live, url):
    page = live(open_page(url), "young")
    assert page.shown("youngs_interval") == "14.24 min"
    page.type("mtbf", 100)
    assert page.shown("mtbf") == "4.167 d"
    page.type("write_time", 0.02)
    assert page.shown("write_time") == "20 ms"
    page.visit({"interval": 20, "write_time": 900, "mtbf": 0.25})
    assert page.shown("ratio") == "1"  # a bare whole number
    page.visit({"interval": 10, "write_time": 599.938, "mtbf": 1000})
    assert page.shown("together") == "99.998 %"  # and not 100.0


def test_the_page_shows_at_first_what_it_showed_before_any_script_ran(open_page, live, url):
    before = open_page(url, scripts=False).locator("#explorer-young")
    after = live(open_page(url), "young").root
    for part in (".explorer-legend", ".explorer-readouts", ".explorer-validity", ".explorer-setting"):
        assert after.locator(part).text_content() == before.locator(part).text_content()


# Controls


def test_sliders_obey_the_keyboard(open_page, live, url):
    page = live(open_page(url), "young")
    page.slider("write_time").focus()
    for key, least, most in [("ArrowRight", 25, 27), ("ArrowLeft", 24, 25), ("PageUp", 60, 90), ("End", 1000, 1000)]:
        page.page.keyboard.press(key)
        page.wait()
        assert least <= page.numbers()["write_time"] <= most
    assert page.slider("write_time").get_attribute("aria-valuetext") == "16.67 min"
    assert page.field("write_time").input_value() == "1000"


def test_a_slider_gives_three_digits(open_page, live, url):
    page = live(open_page(url), "young")
    page.slider("mtbf").focus()
    for _ in range(5):
        page.page.keyboard.press("ArrowRight")
        page.wait()
        assert re.fullmatch(r"\d\.\d{1,2}", page.field("mtbf").input_value())


def test_a_field_takes_any_number_in_the_box_and_moves_the_slider(open_page, live, url):
    page = live(open_page(url), "young")
    page.type("mtbf", 12.3456)
    assert page.numbers()["mtbf"] == pytest.approx(12.3456 * 3600, rel=1e-15)
    assert float(page.slider("mtbf").input_value()) == pytest.approx(300 * math.log(123.456) / math.log(1e4), abs=1)


@pytest.mark.parametrize("text", ["0.001", "2000", "-1", "24,5", ""])
def test_a_number_outside_the_box_is_refused_with_the_range(text, open_page, live, url):
    page = live(open_page(url), "young")
    page.type("write_time", text)
    error = page.row("write_time").locator("[role=alert]")
    assert error.text_content() == "Write time must be a number from 0.01 to 1000 s."
    assert page.field("write_time").get_attribute("aria-invalid") == "true"
    assert page.numbers()["write_time"] == 24.5
    page.type("write_time", 30)
    assert error.text_content() == ""
    assert page.numbers()["write_time"] == 30


def test_the_point_follows_the_mouse_in_the_chart(open_page, live, url):
    page = live(open_page(url), "young")
    box = page.root.locator(".explorer-picture svg").bounding_box()
    mouse = page.page.mouse
    mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 150)
    mouse.down()
    mouse.move(box["x"] + 0.99 * box["width"], box["y"] + 150)
    mouse.up()
    page.wait()
    assert page.field("interval").input_value() == "200"


def test_many_events_are_one_redraw(open_page, live, url):
    page = live(open_page(url), "young")
    redraws = page.root.evaluate(
        """async (root) => {
            let redraws = 0;
            root.addEventListener("explorer-drawn", () => redraws++);
            const slider = root.querySelector("input[type=range]");
            for (let position = 0; position < 50; position++) {
                slider.value = position;
                slider.dispatchEvent(new Event("input"));
            }
            await new Promise((resolve) => setTimeout(resolve, 300));
            return redraws;
        }"""
    )
    assert redraws == 1


def test_reset_returns_to_the_start_and_clears_the_address(open_page, live, url):
    page = live(open_page(url), "young")
    start = page.numbers()
    page.visit({"interval": 50.0, "write_time": 100.0, "mtbf": 1.0})
    page.type("mtbf", "5000")
    page.press("reset")
    page.wait()
    assert page.numbers() == start
    assert page.root.locator("[role=alert]").all_text_contents() == ["", "", ""]
    page.page.wait_for_function("location.hash === ''")


def test_the_sentence_follows_the_numbers(open_page, live, url, young):
    page = live(open_page(url), "young")
    verdict = page.root.locator(".explorer-validity")
    for write_time, mtbf in [(24.5, 4.14), (144.0, 0.4), (1000.0, 0.1)]:
        page.visit({"interval": 14.2, "write_time": write_time, "mtbf": mtbf})
        tone, sentence = young.judge({"write_time": write_time, "mtbf": mtbf * 3600})
        assert verdict.get_attribute("data-tone") == tone
        assert verdict.text_content() == sentence
    assert verdict.get_attribute("aria-live") == "polite"


# The address


def test_an_address_brings_a_colleague_to_the_same_setting(open_page, live, url):
    page = live(open_page(url), "young")
    page.type("write_time", 33.25)
    page.slider("mtbf").focus()
    page.page.keyboard.press("ArrowRight")
    page.wait()
    # The address follows a little later: not the first change, but the last one must stand in it.
    page.page.wait_for_function(f"location.hash.includes('write_time=33.25,mtbf={page.field('mtbf').input_value()}')")
    other = live(open_page(page.page.url), "young")
    assert other.numbers() == page.numbers()
    assert page.copied("link") == page.page.url


def test_an_address_leads_to_its_explorer(open_page, live, url):
    page = open_page(f"{url}#efficiency:mtbf=2;young:mtbf=2")
    live(page, "young")
    expect(live(page, "efficiency").root).to_be_in_viewport()
    assert page.locator("#explorer-young").bounding_box()["y"] < 0


def test_explorers_share_the_address(open_page, live, url):
    page = open_page(url)
    first, second = live(page, "young"), live(page, "efficiency")
    first.type("write_time", 30)
    page.wait_for_function("location.hash.includes('young:')")
    second.type("write_time", 60)
    page.wait_for_function("location.hash.includes('efficiency:')")
    assert re.fullmatch(r".*#young:[^;]*write_time=30[^;]*;efficiency:[^;]*write_time=60[^;]*", page.url)
    again = open_page(page.url)
    assert live(again, "young").numbers()["write_time"] == 30
    assert live(again, "efficiency").numbers()["write_time"] == 60


def test_an_address_with_a_value_outside_the_box_says_so(open_page, live, url):
    page = live(open_page(f"{url}#young:write_time=1e9,mtbf=abc,interval=20"), "young")
    assert page.numbers()["interval"] == 1200
    assert page.numbers()["write_time"] == 24.5
    assert page.row("write_time").locator("[role=alert]").text_content()
    assert page.row("mtbf").locator("[role=alert]").text_content()


def test_an_encoded_address_is_understood(open_page, live, url):
    page = live(open_page(f"{url}#young%3Awrite_time%3D30%2Cmtbf%3D2"), "young")
    assert page.numbers()["write_time"] == 30


def test_anchors_of_the_page_still_work(open_page, live, url):
    page = live(open_page(f"{url}#below"), "young")
    page.page.wait_for_timeout(500)  # longer than an explorer waits before it writes an address
    assert page.page.url.endswith("#below")
    page.type("write_time", 30)
    page.page.evaluate("location.hash = '#top'")
    expect(page.page.locator("#top")).to_be_in_viewport()
    assert page.numbers()["write_time"] == 30


# Copies


@pytest.mark.parametrize("name", ["young", "efficiency"])
def test_what_is_copied_as_python_runs_and_gives_the_numbers_shown(name, request, open_page, live, url):
    explorer = request.getfixturevalue(name)
    page = live(open_page(url), name)
    generator = random.Random(2006)
    for _ in range(5):
        page.visit(random_setting(explorer, generator))
        program = page.copied("python")
        results = {}
        exec(program, results)
        assert page.numbers() == pytest.approx({name: results[name] for name in page.numbers()}, rel=1e-9)
        for formula in explorer.formulas:
            assert f"# {page.shown(formula.name)}\n" in program


def test_without_a_clipboard_the_text_is_shown(open_page, live, url):
    page = live(open_page(url, width=400), "young")
    page.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')) }")
    page.press("python")
    area = page.root.locator("textarea")
    expect(area).to_be_focused()
    assert "checkpoints.young(write_time, mtbf)" in area.input_value()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert area.evaluate("area => area.selectionEnd - area.selectionStart === area.value.length")


# Looks


def luminance(colour):
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def computed(locator, what):
    return locator.evaluate(f"(e) => getComputedStyle(e)['{what}']")


def test_colours_follow_the_theme_at_once_and_stand_out_in_both(open_page, live, url):
    page = live(open_page(url), "young")
    lines = page.root.locator(".explorer-picture .mark-line path").all()
    label = page.root.locator(".explorer-picture .role-axis-title text").first
    seen = []
    assert len(lines) == 3
    for theme in ("light", "dark"):
        page.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        paper = computed(page.page.locator("body"), "backgroundColor")
        strokes = [computed(line, "stroke") for line in lines]
        assert all(contrast(stroke, paper) >= 3 for stroke in strokes)
        assert contrast(computed(label, "fill"), paper) >= 7
        seen.append(strokes)
    assert not set(seen[0]) & set(seen[1])
    assert len({computed(line, "strokeDasharray") for line in lines}) == 3  # not by colour alone


def test_a_narrow_screen_shows_all_of_it(open_page, live, url):
    page = live(open_page(url, width=400), "young")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 400
    for number in page.root.locator("output, input, button").all():
        box = number.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 400
    for target in page.root.locator("input, button").all():
        assert target.bounding_box()["height"] >= 32
    for axis in page.root.locator(".role-axis-label").all():
        labels = [text.bounding_box() for text in axis.locator("text").all()]
        for one, other in itertools.combinations(labels, 2):
            beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            above = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
            assert beside or above


def test_the_chart_follows_the_width(open_page, live, url):
    page = live(open_page(url, width=1000), "young")
    chart = page.root.locator(".explorer-picture svg")
    for width in (500, 800):
        page.page.set_viewport_size({"width": width, "height": 900})
        room = page.root.locator(".explorer-picture").bounding_box()["width"]
        page.page.wait_for_function(
            "([chart, room]) => Math.abs(chart.getBoundingClientRect().width - room) < 2",
            arg=[chart.element_handle(), room],
        )


def test_focus_is_seen(open_page, live, url):
    page = live(open_page(url), "young")
    page.field("interval").focus()
    assert computed(page.field("interval"), "outlineStyle") == "solid"


def test_every_control_has_a_name(open_page, live, url):
    page = live(open_page(url), "young")
    for slider, name in [("interval", "Interval τ"), ("write_time", "Write time δ"), ("mtbf", "MTBF of the job M")]:
        assert page.root.get_by_role("slider", name=name, exact=True).get_attribute("id").endswith(slider)
    expect(page.root.get_by_role("textbox", name="MTBF of the job, in h")).to_be_visible()
    expect(page.root.locator("[role=graphics-document]")).to_have_attribute("aria-label", re.compile("overhead"))


# Without scripts, and on paper


def test_without_scripts_there_is_a_still_picture_and_every_number(open_page, url):
    root = open_page(url, scripts=False).locator("#explorer-young")
    expect(root.get_by_role("img", name="overhead")).to_be_visible()
    assert root.locator(".explorer-picture .mark-line path").count() == 3
    expect(root.locator(".explorer-setting")).to_have_text(
        "Interval 14.2 min, Write time 24.5 s, MTBF of the job 4.14 h"
    )
    expect(root.locator(".explorer-sliders")).to_be_hidden()
    expect(root.locator(".explorer-actions")).to_be_hidden()


def test_paper_shows_the_chart_and_the_setting_in_words(open_page, live, url):
    page = live(open_page(url), "young")
    page.type("mtbf", 8)
    expect(page.root.locator(".explorer-setting")).to_be_hidden()
    page.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.page.emulate_media(media="print")
    expect(page.root.locator(".explorer-setting")).to_be_visible()
    for line in page.root.locator(".explorer-picture .mark-line path").all():
        assert contrast(computed(line, "stroke"), "rgb(255, 255, 255)") >= 3
    expect(page.root.locator(".explorer-picture svg")).to_be_visible()
    expect(page.root.locator(".explorer-setting")).to_have_text(
        "Interval 14.2 min, Write time 24.5 s, MTBF of the job 8 h"
    )
    expect(page.root.locator(".explorer-sliders")).to_be_hidden()
