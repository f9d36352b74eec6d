"""The house itself: make, the pinned environment, the cache that knows its code, and the tools for notebooks."""

import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document
from package_digest import PAGES, RESULTS, digest
from reproducible import join_streams, remove_old_pages
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tools import environment
from tools.cosmetic import differences, same_value
from tools.notebooks import ROOT, tidy


def make(*arguments, folder=ROOT, **variables):
    command = ["make", "--no-print-directory", *arguments, *(f"{name}={value}" for name, value in variables.items())]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def requirements(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


# Make


def test_help_lists_every_target():
    recipes = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    listed = [line.split()[0] for line in make("help").stdout.splitlines()]
    assert listed == [name for name in recipes if name != "environment"]  # it serves the others


def test_a_missing_python_is_named():
    run = make("environment", PYTHON="python0.1")
    assert run.returncode
    assert "no python0.1 here" in run.stdout
    assert "PYTHON=" in run.stdout


@pytest.mark.parametrize(("version", "fits"), [((3, 10), 0), ((3, 11), 1), ((3, 13), 1), ((3, 14), 0)])
def test_the_range_of_pythons(version, fits):
    objection = environment.objection(version)
    assert (objection is None) == fits
    assert fits or f"{version[0]}.{version[1]}" in objection


def test_a_python_without_venv_is_told_the_package():
    assert "python3-venv" in environment.objection((3, 12), modules=("venv", "no_such_module"))


def test_an_environment_is_current_only_with_the_same_requirements_in_the_same_folder(tmp_path, monkeypatch):
    for folder in ("here", "there"):
        (tmp_path / folder / ".venv").mkdir(parents=True)
        for name in ("requirements.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, tmp_path / folder)
    monkeypatch.chdir(tmp_path / "here")
    assert environment.present_state() == []
    environment.READY.write_text("\n".join(environment.wanted_state()))
    assert environment.present_state() == environment.wanted_state()
    shutil.copy(environment.READY, tmp_path / "there" / ".venv")
    with open("requirements.txt", "a") as file:
        file.write("another==1.0\n")
    assert environment.present_state() != environment.wanted_state()
    monkeypatch.chdir(tmp_path / "there")
    assert environment.present_state() != environment.wanted_state()


# What is pinned, and what is kept


def test_every_pin_is_exact():
    pins = [line for line in requirements("requirements.txt") if not line.startswith((" ", "\t"))]
    assert pins
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9-]+(\[[a-z,]+\])?==[\w.!+]+( ; .*)?", pin)] == []


def test_every_requirement_is_pinned():
    wanted = {re.match(r"[\w-]+", line)[0] for line in requirements("requirements.in")}
    pinned = {re.match(r"[\w-]+", line)[0] for line in requirements("requirements.txt") if line[0].isalnum()}
    assert wanted <= pinned


def test_no_requirement_names_where_it_comes_from():
    text = "\n".join((ROOT / name).read_text() for name in ("requirements.txt", "requirements.in", "pyproject.toml"))
    assert re.findall(r"https?://|--(?:index-url|extra-index-url|find-links)", text) == []


def test_scripts_and_styles_are_our_own():
    """A vendored library would be minified, or say whose it is."""
    ours = {"relmath/notebook", "book/_static", "book/_ext"}
    made = re.compile(r"/(\.|_build/|__pycache__/)")
    files = [path for path in ROOT.rglob("*.*") if not made.search(path.as_posix().removeprefix(ROOT.as_posix()))]
    files = [path for path in files if path.suffix in {".js", ".css", ".woff", ".woff2", ".ttf", ".map"}]
    assert files
    assert {path.parent.relative_to(ROOT).as_posix() for path in files} <= ours
    assert {path.suffix for path in files} <= {".js", ".css"}
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if len(line) > 160 or "@license" in line or "sourceMappingURL" in line] == []


# The cache that knows its code


@pytest.fixture
def sources(tmp_path):
    """Return a tiny book: one notebook that prints what a tiny package says, and an ordinary page."""
    (tmp_path / "relmath").mkdir()
    (tmp_path / "relmath" / "__init__.py").write_text("answer = 'first answer'\n")
    (tmp_path / "requirements.txt").write_text("numpy==2.0\n")
    cell = nbformat.v4.new_code_cell("import relmath; print(relmath.answer)")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A chapter"), cell])
    nbformat.write(tidy(notebook), tmp_path / "index.ipynb")
    settings = [
        "extensions = ['myst_nb', 'package_digest', 'parallel_execution']",
        "nb_execution_mode = 'cache'",
        "exclude_patterns = ['_build']",
    ]
    (tmp_path / "conf.py").write_text("\n".join(settings))
    return tmp_path


def build(sources):
    """Build the tiny book, and return its page and the number of results kept."""
    out = sources / "_build"
    with docutils_namespace():
        Sphinx(sources, sources, out / "html", out / ".doctrees", "html", status=None, warningiserror=True).build()
    executed = len(list((out / "executed").glob("*/executed/*/base.ipynb")))
    return (out / "html" / "index.html").read_text(encoding="utf-8"), executed


def test_the_digest_knows_contents_not_dates(sources):
    before = digest(sources, RESULTS)
    os.utime(sources / "relmath" / "__init__.py", (0, 0))
    (sources / "relmath" / "__pycache__").mkdir()
    (sources / "relmath" / "__pycache__" / "x.pyc").write_text("")
    assert digest(sources, RESULTS) == before
    seen = {before}
    for name in ("relmath/table.csv", "relmath/page.js", "requirements.txt"):
        (sources / name).write_text("new\n")
        seen.add(digest(sources, RESULTS))
    (sources / "relmath" / "table.csv").rename(sources / "relmath" / "other.csv")
    seen.add(digest(sources, RESULTS))
    assert len(seen) == 5


def test_an_edit_of_the_text_leaves_the_results_alone(sources):
    (sources / "book").mkdir()
    before = digest(sources, RESULTS), digest(sources, PAGES)
    (sources / "book" / "page.md").write_text("# A page\n")
    assert digest(sources, RESULTS) == before[0]
    assert digest(sources, PAGES) != before[1]


def test_a_build_shows_what_the_present_code_computes(sources, monkeypatch):
    """Three builds as a reader makes them: at first, after an edit in the package, and after taking it back."""
    monkeypatch.setenv("PYTHONPATH", str(sources))  # for the notebook's kernel
    package = sources / "relmath" / "__init__.py"
    page, executed = build(sources)
    assert ("first answer" in page, executed) == (True, 1)
    package.write_text("answer = 'second answer'\n")
    page, executed = build(sources)
    assert ("second answer" in page, "first answer" in page, executed) == (True, False, 2)
    package.write_text("answer = 'first answer'\n")
    page, executed = build(sources)
    assert ("first answer" in page, executed) == (True, 2)


def test_notebooks_are_executed_side_by_side(sources, monkeypatch):
    """Of two notebooks each waits for the other: one after the other would never end."""
    monkeypatch.setenv("PYTHONPATH", str(sources))
    for name, text in (("index", "# First\n\n```{toctree}\nsecond\n```"), ("second", "# Second")):
        cell = nbformat.v4.new_code_cell(
            "import pathlib, time\n"
            f"pathlib.Path('{name}.here').touch()\n"
            "while len(list(pathlib.Path().glob('*.here'))) < 2: time.sleep(0.1)"
        )
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text), cell])
        nbformat.write(tidy(notebook), sources / f"{name}.ipynb")
    assert build(sources)[1] == 2


# Builds that can be repeated


def test_what_a_cell_prints_is_one_block_however_it_arrives():
    def cell(*outputs):
        blocks = (nodes.literal_block(text, text, classes=["output", kind]) for kind, text in outputs)
        return nodes.container("", *blocks)

    document = new_document("")
    document += cell(("stream", "one"), ("stream", "\ntwo\n"), ("text_plain", "3"), ("stream", "four\n"))
    document += cell(("stream", "five\n"))
    join_streams(None, document)
    texts = [block.astext() for block in document.findall(nodes.literal_block)]
    assert texts == ["one\ntwo\n", "3", "four\n", "five\n"]


def test_pages_that_left_the_book_leave_the_folder(tmp_path):
    kept = ["index.html", "search.html", "book/young.html", "_static/part.html"]
    for name in [*kept, "book/old.html"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    remove_old_pages(SimpleNamespace(outdir=tmp_path, env=SimpleNamespace(found_docs={"book/young"})), None)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")} == set(kept)


# Stored outputs


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("sqrt(2)*sqrt(M)*sqrt(delta)", "sqrt(2*M*delta)", True),
        ("Eq(tau, sqrt(2*M*delta))", "Eq(tau, sqrt(2)*sqrt(M*delta))", True),
        ("1 - x/3 + O(x**2)", "-x/3 + 1 + O(x**2)", True),
        ("exp(lambda*t)", "exp(t*lambda)", True),
        ("within 1e-12", "within 1.0e-12", True),
        ("sqrt(2*M*delta)", "sqrt(M*delta)", False),
        ("1 - x/3 + O(x**2)", "1 - x/3 + O(x**3)", False),
        ("14.2 min", "14.3 min", False),
        ("14.2 min", "14.2 h", False),
        ("[1, 2]", "[1, 2, 3]", False),
        ("[x/2 + 1, {a: 2*x}]", "[1 + x/2, {a: x*2}]", True),
        ("[x/2 + 1, {a: 2*x}]", "[1 + x/2, {a: x*3}]", False),
    ],
)
def test_what_counts_as_a_cosmetic_change(old, new, same):
    assert same_value(old, new) == same


def test_only_unchanged_cells_are_compared():
    def notebook(*cells):
        return nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(source, id=f"cell{n}", outputs=[nbformat.v4.new_output("stream", text=text)])
                for n, (source, text) in enumerate(cells)
            ]
        )

    old = notebook(("a", "1.0"), ("b", "2.0"), ("c", "3.0"))
    new = notebook(("a", "1.00"), ("b", "2.1"), ("changed", "4.0"))
    assert [verdict for verdict, _ in differences(old, new)] == ["reprinted", "CHANGED"]
