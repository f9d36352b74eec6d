"""Pages that need nothing but their own folder: no other host, no dead weight, also when opened as files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.fileutil import copy_asset

HERE = Path(__file__).parent
# MathJax as this book uses it, of the 24 MB that the package holds: the fonts and rarer TeX commands load on demand.
MATHJAX_PARTS = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")
# What the theme copies and no page asks for: templates/static/webpack-macros.html leaves the script out, since its
# icons come from the style sheet's fonts.
UNUSED = ("**/*.map", "scripts/fontawesome*", "vendor/fontawesome/webfonts/*.ttf", "webpack-macros.html")


def configure(app: Sphinx, config: Config) -> None:
    """Take MathJax from the book itself, and our template before the theme's."""
    config.mathjax_path = f"mathjax/{MATHJAX_PARTS[0]}"
    config.templates_path.insert(0, str(HERE / "templates"))


def search_without_excerpts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """A file may not fetch another, so the search would fail at its excerpts: among files the titles must do."""
    if pagename == "search":
        app.add_js_file(
            None, body='if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;'
        )


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Bring MathJax's parts, and take away what no page loads."""
    if exception is not None:
        return
    static = Path(app.outdir) / "_static"
    package = Path(str(find_spec("sphinx-mathjax-offline").origin)).parent / "static" / "mathjax"
    for part in MATHJAX_PARTS:
        target = static / "mathjax" / part
        copy_asset(package / part, target if (package / part).is_dir() else target.parent)
    for pattern in UNUSED:
        for path in static.glob(pattern):
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", configure)
    app.connect("html-page-context", search_without_excerpts)
    app.connect("build-finished", finish, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
