"""Real Chromium for the tests: pages opened in it must be silent and must ask no other host for anything."""

import os
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import harness

expect.set_options(timeout=60_000)  # patience, not a budget: a busy machine is slow


@pytest.fixture(scope="session")
def browser():
    """The system's Chromium, without a window and with an empty profile."""
    if harness.chromium() is None:
        message = "no Chromium on the path: install one, as in `apt install chromium`, to test what pages do"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    with harness.launched() as browser:
        yield browser


@pytest.fixture
def open_page(browser):
    """A function that opens an address; the test fails if that page complains or looks beyond its own host."""
    contexts, complaints = [], []

    def open_page(url, *, width=1000, dark=False, scripts=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        own = urlsplit(url)[:2]

        def stay_home(route):
            if urlsplit(route.request.url)[:2] == own:
                route.continue_()
            else:
                complaints.append(f"asks for {route.request.url}")
                route.abort()

        context.route("**/*", stay_home)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and complaints.append(said.text))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints


class Live:
    """An explorer in an open page, worked as a reader works it."""

    def __init__(self, page, key):
        self.page, self.key = page, key
        self.root = page.locator(f"#explorer-{key}")
        self.wait()

    def wait(self):
        """Wait until the numbers are those of the sliders."""
        expect(self.root).to_have_attribute("aria-busy", "false")

    def row(self, name):
        return self.root.locator(f'.explorer-slider[data-name="{name}"]')

    def slider(self, name):
        return self.row(name).locator("input[type=range]")

    def field(self, name):
        return self.row(name).locator("input[type=text]")

    def type(self, name, text):
        """Type a number into the field beside a slider, and leave the field."""
        self.field(name).fill(str(text))
        self.field(name).blur()
        self.wait()

    def setting(self, values):
        """The part of an address that sets the sliders, each in its unit."""
        return f"{self.key}:{','.join(f'{name}={value!r}' for name, value in values.items())}"

    def visit(self, values):
        """Set the sliders, each in its unit, by the page's address."""
        self.page.evaluate("hash => { location.hash = hash }", self.setting(values))
        self.page.wait_for_function(
            "hash => decodeURIComponent(location.hash) === '#' + hash", arg=self.setting(values)
        )
        self.wait()

    def numbers(self):
        """Every number shown, with all its digits, in SI."""
        outputs = self.root.locator("output[data-name]")
        return dict(outputs.evaluate_all("all => all.map(o => [o.dataset.name, Number(o.dataset.value)])"))

    def shown(self, name):
        return self.root.locator(f'output[data-name="{name}"]').first.text_content()

    def press(self, action):
        self.root.locator(f"[data-action={action}]").click()

    def copied(self, action):
        """What a button puts on the clipboard."""
        self.press(action)
        expect(self.root.locator("[role=status]")).to_contain_text("copied")
        return self.page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def live():
    return Live
