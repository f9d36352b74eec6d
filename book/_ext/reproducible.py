"""Two builds of the same sources are the same, byte for byte, whatever a kernel did or an old build left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def join_streams(app: Sphinx, doctree: nodes.document) -> None:
    """Make one block of what a cell prints at a stretch; a kernel sends it in as many pieces as the clock will have.

    MyST-NB's own ``nb_merge_streams`` adds an empty line wherever a piece begins with the end of a line.
    """
    for block in list(doctree.findall(nodes.literal_block)):
        previous = block.previous_sibling() if block.parent else None
        if "stream" in block["classes"] and previous is not None and previous.get("classes") == block["classes"]:
            text = previous.astext() + block.astext()
            previous.rawsource = text
            previous.children = [nodes.Text(text)]
            block.parent.remove(block)


def drop_widget_state(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Keep the state of widgets out of the page: only a kernel could use it, and its names are random."""
    scripts = context["script_files"]  # Sphinx's own list for this page, so changed in place
    scripts[:] = [script for script in scripts if getattr(script, "attributes", {}).get("type") != WIDGET_STATE]


def remove_old_pages(app: Sphinx, exception: Exception | None) -> None:
    """Remove the page of a chapter that has been renamed or taken out, which Sphinx would leave there."""
    if exception is None:
        present = {f"{name}.html" for name in (*app.env.found_docs, "index", "search")}
        for path in Path(app.outdir).rglob("*.html"):
            name = path.relative_to(app.outdir).as_posix()
            if name not in present and not name.startswith("_"):
                path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", join_streams)
    app.connect("html-page-context", drop_widget_state, priority=900)  # after those that add scripts
    app.connect("build-finished", remove_old_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
