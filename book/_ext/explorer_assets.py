"""What explorers need in a built page: a still picture, Vega as one script, and their own script and style.

Script and style lie in the built ``_static`` only and are named in those pages only that hold an explorer: the 0.9 MB
of Vega are nothing that a page of prose should load. Nothing of it may lie in the book's own ``_static``, whose
scripts Jupyter Book adds to every page.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import vl_convert

from relmath.notebook.page import FONT, STILL

VEGA = f"vega-{vl_convert.__version__}.js"


def write_assets(folder: Path) -> None:
    """Write the scripts and the style, unless they are there and the same."""
    folder.mkdir(parents=True, exist_ok=True)
    package = resources.files("relmath.notebook")
    for name in ("explorer.js", "bits.js", "explorer.css"):
        text = (package / name).read_text(encoding="utf-8")
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text:
            (folder / name).write_text(text, encoding="utf-8")
    if not (folder / VEGA).exists():
        # It is written as a module, which a browser will not load from a file. Inside a function it is a plain script,
        # whose names stay its own; it sets window.vegaEmbed.
        (folder / VEGA).write_text(f"(()=>{{{vl_convert.javascript_bundle()}}})();", encoding="utf-8")


def with_pictures(html: str) -> str:
    """Draw the still picture of each explorer where the notebook left the chart for it."""
    return re.sub(
        f'<script type="{re.escape(STILL)}">(.*?)</script>', lambda chart: picture(json.loads(chart[1])), html
    )


def picture(chart: dict[str, Any]) -> str:
    """Draw a chart as SVG, in the font and the ink of the page around it."""
    key = chart["usermeta"]["key"]
    svg = vl_convert.vegalite_to_svg(chart)
    svg = re.sub(r"-?\d+\.\d\d+(?=[^<>]*>)", lambda number: f"{float(number[0]):.1f}", svg)  # in tags, not in labels
    clips: dict[str, str] = {}  # Vega numbers them on from picture to picture; here they are this picture's own

    def own(clip: re.Match[str]) -> str:
        return clips.setdefault(clip[0], f"explorer-{key}-clip{len(clips) + 1}")

    svg = re.sub(r'(?<=[#"])clip\d+', own, svg)
    svg = svg.replace(f' font-family="{FONT}"', "")
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(chart["description"])}"', 1)


def _write(app: Any) -> None:
    if app.builder.format == "html":
        write_assets(Path(app.outdir) / "_static")


def _add(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body", "")
    charts, bits = '<div class="explorer"' in body, '<div class="explorer explorer-bits"' in body
    if charts or bits:
        app.add_css_file("explorer.css")
        app.add_js_file("explorer.js", loading_method="defer", priority=600)  # after Vega
    if charts:
        context["body"] = with_pictures(body)
        app.add_js_file(VEGA, loading_method="defer")
    if bits:
        app.add_js_file("bits.js", loading_method="defer", priority=700)  # after what it shares with the others


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx; the files are written before any page, so that each page names them by their checksum."""
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
