"""The book's notebooks: which there are, and what of them the repository keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).parent.parent
KEPT_IN_CELLS = ("tags", "mystnb")  # what the build reads; the rest is an editor's note to itself
# Pictures and the random names of widgets make every diff large and differ each time. The build makes them anew.
DROPPED_OUTPUTS = ("image/png", "image/jpeg", "image/svg+xml", "application/vnd.jupyter.widget-view+json")


def pages(root: Path = ROOT) -> list[Path]:
    """Every page that the table of contents names, in reading order."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    return [next(root.glob(f"{name}.*")) for name in _names(toc)]


def notebooks(root: Path = ROOT) -> list[Path]:
    """Those of the pages that are notebooks."""
    return [page for page in pages(root) if page.suffix == ".ipynb"]


def _names(entry: dict) -> Iterator[str]:
    for key in ("root", "file"):
        if key in entry:
            yield entry[key]
    for key in ("parts", "chapters", "sections"):
        for child in entry.get(key, ()):
            yield from _names(child)


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave in a notebook only what a reader or a test needs; changes it and returns it."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in KEPT_IN_CELLS if key in cell.metadata})
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.metadata = nbformat.NotebookNode()
                for kind in DROPPED_OUTPUTS:
                    output.data.pop(kind, None)
    return notebook
