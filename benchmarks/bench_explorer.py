"""How long a page's explorer takes to follow its slider, as the page itself measures it, in the system's Chromium."""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import Row
from tests.browser import harness

MOVES = """async (root) => {
    const slider = [...root.querySelectorAll("input[type=range]")].at(-1); // one on which all curves depend
    const times = [];
    for (let position = 0; position <= 300; position += 2) {
        const drawn = new Promise((resolve) => root.addEventListener("explorer-drawn", resolve, { once: true }));
        slider.value = position;
        slider.dispatchEvent(new Event("input"));
        times.push((await drawn).detail);
    }
    return times;
}"""


def measure() -> list[Row]:
    with TemporaryDirectory() as folder, harness.launched() as browser:
        page = browser.new_page()
        page.goto(harness.write_page(Path(folder), harness.young()))
        page.wait_for_selector(".explorer[aria-busy=false]")
        times = page.locator(".explorer").evaluate(MOVES)
    return [Row("redraw of an explorer after a step of its slider, median [ms]", median(times), 16, "at most")]
