"""The cache of executed notebooks, kept in a folder named by a digest of what their results depend on.

By itself the cache knows a notebook by its cells alone: after an edit in relmath it would go on showing what the old
code computed. Here other code is another folder, so a plain build is right, and going back finds the old results.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

RESULTS = ("relmath/**/*", "requirements.txt", "book/**/*.csv")  # what a cell's output depends on, besides the cell
PAGE_CODE = ("book/_ext/**/*",)  # what turns results into pages
PAGES = (*RESULTS, "book/**/*", "_config.yml", "_toc.yml")  # all that the built book depends on
CACHES_KEPT = 5


def digest(root: Path, patterns: Iterable[str]) -> str:
    """Digest of the names and contents, not the dates, of the files that match. Python's own caches do not count."""
    files = {path.relative_to(root).as_posix(): path for pattern in patterns for path in root.glob(pattern)}
    state = hashlib.sha256()
    for name, path in sorted(files.items()):
        if path.is_file() and "__pycache__" not in name and "/." not in name:
            content = path.read_bytes()
            state.update(f"{name}\0{len(content)}\0".encode())
            state.update(content)
    return state.hexdigest()[:16]


def name_the_cache(app: Sphinx, config: Config) -> None:
    """Point the notebooks' cache to the folder of the present code, and re-read every page when the code is another."""
    root = Path(app.srcdir)
    caches = Path(app.outdir).parent / "executed"
    cache = caches / f"{digest(root, RESULTS)}-python{platform.python_version()}"
    cache.mkdir(parents=True, exist_ok=True)
    os.utime(cache)
    config.nb_execution_cache_path = str(cache)
    config.page_code_digest = digest(root, PAGE_CODE)
    by_last_use = sorted(caches.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in by_last_use[:-CACHES_KEPT]:
        shutil.rmtree(old)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("page_code_digest", "", "env")  # "env": a change re-reads every page
    app.connect("config-inited", name_the_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":  # make keeps it beside the pages, and the tests refuse to look at stale ones
    print(digest(Path(), PAGES))
