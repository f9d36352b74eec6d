"""What a first visit of a page transfers: the page and all that it loads in a browser, compressed as servers do."""

import gzip
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import sync_playwright

from benchmarks import Row
from tools.notebooks import ROOT, pages

BUDGET = 1.2  # MB
HTML = ROOT / "_build" / "html"


def measure() -> list[Row]:
    weights = {page.stem: transferred(HTML / page.relative_to(ROOT).with_suffix(".html")) for page in pages()}
    heaviest = max(weights, key=weights.__getitem__)
    return [
        Row(f"first visit of the heaviest page, {heaviest} [MB gzipped]", weights[heaviest] / 1e6, BUDGET, "at most")
    ]


def transferred(page: Path) -> int:
    loaded = set()
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=options
        )
        tab = browser.new_page()
        tab.on("request", lambda request: loaded.add(unquote(urlsplit(request.url).path)))
        tab.goto(page.as_uri())
        tab.wait_for_load_state("networkidle")
        browser.close()
    return sum(len(gzip.compress(Path(name).read_bytes())) for name in loaded if Path(name).is_file())
