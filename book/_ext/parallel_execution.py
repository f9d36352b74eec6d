"""Notebooks that need executing are executed side by side before Sphinx reads them; by itself it goes one by one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.util.display import progress_message

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def fill_the_cache(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute the notebooks that are about to be read, and keep their results where Sphinx will look for them.

    One that fails is not cached, so that Sphinx executes it again and tells what is wrong with it.
    """
    cache = get_cache(app.config.nb_execution_cache_path)
    pages = [env.doc2path(name) for name in docnames]
    notebooks = [page for page in pages if page.endswith(".ipynb")]
    for notebook in notebooks:
        cache.add_nb_to_project(notebook)
    executor = load_executor("local-parallel", cache)
    executor.logger.setLevel(logging.ERROR)
    if waiting := executor.get_records(filter_uris=notebooks):
        with progress_message(f"executing {len(waiting)} notebooks"):
            executor.run_and_cache(filter_uris=notebooks, timeout=app.config.nb_execution_timeout)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", fill_the_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
