"""Every notebook of the book: run and stored as the tests need it, and saying in prose what its outputs say."""

import copy
import html
import re

import nbformat
import pytest

from tools.notebooks import ROOT, notebooks, tidy

NOTEBOOKS = {path.relative_to(ROOT).as_posix(): nbformat.read(path, as_version=4) for path in notebooks()}
CHAPTERS = [name for name in NOTEBOOKS if name.count("/") > 1]  # book/part/chapter.ipynb; the first page is none

every_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
every_chapter = pytest.mark.parametrize("name", CHAPTERS)

BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
GROUPED = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f,](?=\d{3}(?!\d))")  # the space in 10 000


def code_cells(name):
    return [cell for cell in NOTEBOOKS[name].cells if cell.cell_type == "code"]


def prose(name):
    return [cell.source for cell in NOTEBOOKS[name].cells if cell.cell_type == "markdown"]


def shown(output):
    """What a reader sees of an output: no tags, scripts, or attributes."""
    if "text" in output:
        return output.text
    data = output.get("data", {})
    page = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", data.get("text/html", ""), flags=re.DOTALL)
    return " ".join([*(data.get(f"text/{kind}", "") for kind in ("plain", "latex", "markdown")), html.unescape(page)])


def numbers(text):
    """Its numbers as they are written; both as one and apart where digits stand in groups."""
    return {*NUMBER.findall(text), *NUMBER.findall(GROUPED.sub("", text))}


def test_the_book_has_chapters():
    assert CHAPTERS


@every_notebook
def test_every_code_cell_holds_its_run(name):
    """A cell without a stored run passes nbval whatever it prints."""
    counts = [cell.execution_count for cell in code_cells(name)]
    assert counts == list(range(1, len(counts) + 1)), "run `make refresh`"


@every_notebook
def test_no_output_is_an_error_or_a_warning(name):
    kinds = {output.get("name", output.output_type) for cell in code_cells(name) for output in cell.outputs}
    assert kinds <= {"stdout", "display_data", "execute_result"}


@every_notebook
def test_every_output_is_compared(name):
    ways_out = re.compile(r"NBVAL_|nbval-|raises-exception|skip-execution", re.IGNORECASE)
    assert not [cell.source for cell in code_cells(name) if ways_out.search(cell.source + str(cell.metadata))]


@every_notebook
def test_stored_as_refresh_leaves_it(name):
    notebook = NOTEBOOKS[name]
    assert tidy(copy.deepcopy(notebook)) == notebook, "run `make refresh`"


@every_notebook
def test_bold_numbers_are_computed(name):
    computed = set().union(*(numbers(shown(output)) for cell in code_cells(name) for output in cell.outputs))
    claimed = {
        (number, phrase)
        for text in prose(name)
        for phrase in BOLD.findall(text)
        for number in NUMBER.findall(GROUPED.sub("", phrase))
    }
    assert not {phrase for number, phrase in claimed if number not in computed}


@every_notebook
def test_every_figure_is_described(name):
    figures = [c for c in code_cells(name) if any("<Figure size" in shown(output) for output in c.outputs)]
    assert not [c.source for c in figures if not c.metadata.get("mystnb", {}).get("image", {}).get("alt", "").strip()]


@every_notebook
def test_displayed_formulas_stand_apart(name):
    """The build sets `$$` directly under a line of text as text."""
    for text in prose(name):
        outside = re.sub(r"\$\$.*?\$\$", lambda formula: "$$" + "\n" * formula[0].count("\n"), text, flags=re.DOTALL)
        assert not re.search(r"^.*\S.*\n\$\$", outside, re.MULTILINE), text


@every_chapter
def test_a_chapter_derives_checks_and_explores(name):
    code = "\n".join(cell.source for cell in code_cells(name))
    assert not [call for call in ("agree(", "claim(", "Explorer(") if call not in code]


@every_chapter
def test_exercises_have_live_solutions(name):
    exercises, solved, open_solution = [], [], None
    for cell in NOTEBOOKS[name].cells:
        if cell.cell_type == "markdown":
            exercises += re.findall(r"\{exercise(?:-start)?\}.*\n:label: (\S+)", cell.source)
            for solution in re.findall(r"\{solution-(?:start\} (\S+)|end\})", cell.source):
                open_solution = solution  # empty at an end
        elif open_solution:
            solved.append(open_solution)
    assert 3 <= len(exercises) <= 5
    assert set(solved) == set(exercises)
