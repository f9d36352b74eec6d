"""What a first visit of a page transfers: the page and all that it loads in a browser, compressed as servers do."""

import gzip
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import sync_playwright

from benchmarks import Row
from tools.notebooks import ROOT, notebooks

BUDGET = 1.2  # MB
HTML = ROOT / "_build" / "html"


def measure() -> list[Row]:
    return [
        Row(f"{page.stem}: first visit [MB gzipped]", transferred(page) / 1e6, BUDGET, "at most") for page in built()
    ]


def built() -> list[Path]:
    return [HTML / path.relative_to(ROOT).with_suffix(".html") for path in notebooks()]


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
