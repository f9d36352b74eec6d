"""The built book in a real browser, as files and over HTTP, with no other host to be reached."""

import functools
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

from tools.notebooks import ROOT, notebooks, pages

HTML = ROOT / "_build" / "html"
PAGES = [page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages()]
CHAPTERS = [page.relative_to(ROOT).with_suffix(".html").as_posix() for page in notebooks()]
NO_ANSWER = re.compile("NaN|undefined|Infinity|not defined")
BELOW_0 = re.compile(r"−[\d.]+\s(ms|s|min|h|d|weeks|years)\b")  # which no sentence says of a time
CHAPTER = next(name for name in PAGES if name.count("/") > 1)


@pytest.fixture(scope="module")
def server():
    """Return the address of the book on a server on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def settle(page):
    """Wait until formulas and explorers are drawn; `goto` has waited for what the page names."""
    page.evaluate("() => window.MathJax?.startup?.promise")
    for explorer in page.locator(".explorer").all():
        expect(explorer).to_have_attribute("aria-busy", "false")


@pytest.mark.parametrize("name", PAGES)
def test_a_file_shows_everything(open_page, name):
    page = open_page((HTML / name).as_uri())
    settle(page)
    assert page.locator("mjx-container").count() >= page.locator(".math").count()
    assert page.locator("mjx-merror").count() == 0
    assert page.locator("img").evaluate_all("all => all.filter(image => !image.naturalWidth).length") == 0
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, "a phone scrolls the page sideways"
    formulas = page.locator("div.math[id] > mjx-container")  # the numbered ones, which look whole if they are cut off
    assert formulas.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length") == 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_explorers_have_an_answer_where_a_key_takes_their_sliders(open_page, name):
    page = open_page((HTML / name).as_uri())
    settle(page)
    for explorer in page.locator(".explorer").all():
        answers = explorer.locator(".explorer-legend, .explorer-readouts, .explorer-validity")
        for slider in explorer.locator("input[type=range]").all():
            at_end = []
            for key in ("Home", "End"):
                slider.press(key)
                expect(explorer).to_have_attribute("aria-busy", "false")
                at_end.append(" ".join(answers.all_inner_texts()))
                assert not NO_ANSWER.search(at_end[-1])
                assert not BELOW_0.search(explorer.locator(".explorer-validity").inner_text())
            assert at_end[0] != at_end[1], f"{slider.get_attribute('aria-label')} changes nothing"


@pytest.mark.parametrize("name", PAGES)
def test_a_server_delivers_the_same(open_page, server, name):
    page = open_page(f"{server}/{name}")
    settle(page)
    assert page.locator("mjx-container").count() >= page.locator(".math").count()


def test_the_address_of_the_book_leads_to_its_first_page(open_page, server):
    for address in (server, (HTML / "index.html").as_uri()):
        page = open_page(address)
        page.wait_for_url(f"**/{PAGES[0]}")


@pytest.mark.parametrize("served", [False, True])
def test_search_finds_a_chapter(open_page, server, served):
    """Over HTTP with excerpts; from files, where none can be had, with the titles alone."""
    found = "book/checkpoints/daly.html"
    page = open_page(f"{server}/{PAGES[0]}" if served else (HTML / PAGES[0]).as_uri())
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").fill("Lambert")
    page.keyboard.press("Enter")
    result = page.locator(f'#search-results a[href^="{found}"]').first
    expect(result).to_be_visible()
    expect(page.locator("#search-results h2")).to_have_text("Search Results")
    excerpts = page.locator("#search-results p.context")
    expect(excerpts.first).to_be_visible() if served else expect(excerpts).to_have_count(0)
    result.click()
    page.wait_for_url(f"**/{found}*")


def test_dark_mode_turns_page_and_figures_dark(open_page):
    page = open_page((HTML / CHAPTER).as_uri())
    settle(page)

    def shade(selector, style):
        return page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{style}")

    assert page.locator("html").get_attribute("data-theme") == "light"
    light = shade("body", "backgroundColor")
    assert shade(".cell_output > img", "filter") == "none"
    while page.locator("html").get_attribute("data-mode") != "dark":  # the button goes round dark, light, automatic
        page.locator(".theme-switch-button").first.click()
    assert shade("body", "backgroundColor") != light
    assert "invert" in shade(".cell_output > img", "filter")
    assert shade(".cell_output > img", "backgroundColor") == "rgba(0, 0, 0, 0)"  # no slab behind it
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_the_first_paint_has_the_colours_that_the_reader_asked_for(open_page):
    page = open_page((HTML / CHAPTER).as_uri(), dark=True)
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_paper_is_white(open_page):
    page = open_page((HTML / CHAPTER).as_uri(), dark=True)
    page.emulate_media(media="print")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.emulate_media(media="screen")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_without_scripts_the_text_is_there(open_page):
    page = open_page((HTML / CHAPTER).as_uri(), scripts=False)
    expect(page.locator("article h1")).to_be_visible()
    assert page.locator("details.hide summary").first.is_visible()
