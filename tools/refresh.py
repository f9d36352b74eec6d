"""Run the notebooks and store their outputs, tidied: ``python -m tools.refresh [NOTEBOOK ...]``, all by default."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tools.notebooks import ROOT, notebooks, tidy


def execute(path: Path) -> nbformat.NotebookNode:
    """Run one notebook where it lies, and return it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        coalesce_streams=True,
        store_widget_state=False,
        shutdown_kernel="immediate",  # a chapter leaves nothing to save, and a farewell takes a second
        extra_arguments=["--log-level=ERROR"],  # else each kernel warns that it talks over a local socket
        resources={"metadata": {"path": str(path.parent)}},
    )
    return client.execute()


def refresh(path: Path) -> bool:
    """Store the outputs of one notebook, and tell whether that changed its file; a failing cell leaves it alone."""
    notebook = execute(path)
    text = nbformat.writes(tidy(notebook)) + "\n"
    changed = text != path.read_text(encoding="utf-8")
    if changed:
        path.write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    for chosen in [Path(name).resolve() for name in sys.argv[1:]] or notebooks():
        print(f"{chosen.relative_to(ROOT)}: {'changed' if refresh(chosen) else 'as it was'}", flush=True)
