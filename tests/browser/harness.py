"""A page with explorers and a browser to open it in, for tests and benchmarks that must not wait for the book."""

import runpy
import shutil
from contextlib import contextmanager
from pathlib import Path

import sympy as sp
from playwright.sync_api import sync_playwright

from relmath import checkpoints
from relmath.notebook.bits import BitExplorer
from relmath.notebook.explorer import Curve, Explorer, Readout, Slider, Validity
from relmath.notebook.notation import symbols

ASSETS = runpy.run_path(str(Path(__file__).parents[2] / "book" / "_ext" / "explorer_assets.py"))
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Explorers</title>
<link rel="stylesheet" href="explorer.css">
<script defer src="{vega}"></script>
<script defer src="explorer.js"></script>
<script defer src="bits.js"></script>
<style>
html {{ --pst-color-background: #ffffff; --pst-color-text-base: #222832; }}
html[data-theme="dark"] {{ --pst-color-background: #14181e; --pst-color-text-base: #ced6dd; }}
body {{ background: var(--pst-color-background); font-family: sans-serif; margin: 1rem; }}
</style>
</head>
<body><h1 id="top">Explorers</h1>{explorers}<h2 id="below">Below</h2></body>
</html>
"""

delta, M, tau = symbols("delta M tau")
OPTIMUM = M * (1 + sp.LambertW(-sp.exp(-1 - delta / M)))
SLIDERS = (
    Slider(delta, "Write time", "second", (0.01, 1000), 24.5),
    Slider(M, "MTBF of the job", "hour", (0.1, 1000), 4.14),
)


def young() -> Explorer:
    """What an interval costs to first order, and how far Young's is from the best."""
    interval = Readout("Young's interval", sp.sqrt(2 * delta * M), checkpoints.young, "minute")
    best = Readout("exact optimum", OPTIMUM, checkpoints.optimal, "minute")
    least = sp.sqrt(2 * delta / M)
    excess = Readout("Young's interval is long by", interval.symbol / best.symbol - 1, unit="percent", name="excess")
    ratio = Readout("write time per MTBF", delta / M, name="ratio")
    text = "δ/M = {ratio}: Young's interval is {excess} long"
    return Explorer(
        key="young",
        x=Slider(tau, "Interval", "minute", (0.5, 200), 14.2),
        sliders=SLIDERS,
        y="overhead, of useful time",
        y_unit="percent",
        y_range=(0.1, 100),
        y_log=True,
        curves=[
            Curve("together", delta / tau + tau / (2 * M), checkpoints.first_order_overhead),
            Curve("writing", delta / tau),
            Curve("rework", tau / (2 * M)),
        ],
        readouts=[
            interval,
            Readout(
                "overhead there", least, checkpoints.first_order_overhead, "percent", at={"interval": checkpoints.young}
            ),
            best,
            excess,
            ratio,
        ],
        markers=[interval, best],
        validity=[
            Validity(ratio.symbol < 0.02, "fine", f"{text}."),
            Validity(ratio.symbol < 2, "doubtful", f"{text}: take the exact optimum."),
            Validity(True, "outside", f"{text}: hardly any interval survives to its end."),
        ],
    )


def efficiency() -> Explorer:
    """The useful share of time, exactly and to first order, on an even axis."""
    share = tau / (M * (sp.exp((tau + delta) / M) - 1))
    best = Readout("exact optimum", OPTIMUM, checkpoints.optimal, "minute")
    return Explorer(
        key="efficiency",
        x=Slider(tau, "Interval", "minute", (1, 60), 14.2, log=False),
        sliders=SLIDERS,
        y="efficiency",
        y_unit="percent",
        y_range=(0, 100),
        curves=[Curve("exact", share, checkpoints.efficiency), Curve("first order", 1 - delta / tau - tau / (2 * M))],
        readouts=[
            best,
            Readout(
                "efficiency there",
                share.subs(tau, OPTIMUM),
                checkpoints.efficiency,
                "percent",
                at={"interval": checkpoints.optimal},
            ),
        ],
        markers=[best],
    )


def write_page(folder: Path, *explorers: Explorer | BitExplorer) -> str:
    """Write a page that holds the explorers, with what they need beside it, and give its address."""
    ASSETS["write_assets"](folder)
    bodies = "\n".join(explorer._repr_mimebundle_()[0]["text/html"] for explorer in explorers)
    page = folder / "index.html"
    page.write_text(PAGE.format(vega=ASSETS["VEGA"], explorers=ASSETS["with_pictures"](bodies)), encoding="utf-8")
    return page.as_uri()


def chromium() -> str | None:
    """Where the system's Chromium is, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def launched():
    """Chromium without a window, with an empty profile, and with nothing to do but what it is told."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()
