"""Every notebook of the book: run and stored as the tests need it, and saying in prose what its outputs say."""

import ast
import copy
import html
import re
from functools import cache

import nbformat
import pytest

from relmath.notebook import Explorer
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


@cache
def explorer_of(name, key):
    """The explorer of a chapter, as its cells up to there make it."""
    known = {}
    for cell in code_cells(name):
        *steps, last = ast.parse(cell.source).body
        if not isinstance(last, ast.Expr):
            steps, last = [*steps, last], None
        exec(compile(ast.Module(steps, []), name, "exec"), known)
        made = eval(compile(ast.Expression(last.value), name, "eval"), known) if last else None
        if isinstance(made, Explorer) and made.key == key:
            return made
    raise LookupError(f"{name} has no explorer {key}")


@pytest.mark.parametrize(
    ("chapter", "key", "setting", "tone", "said"),
    [
        # No fleet is small enough for three weeks at a risk of a tenth, if a node fails every three weeks.
        (
            "failures/job-failure",
            "job-risk",
            {"nodes": 1, "node_mtbf": 500, "duration": 500},
            "doubtful",
            "single node",
        ),
        ("failures/job-failure", "job-risk", {}, "doubtful", "or one on 22 nodes"),
        ("failures/job-failure", "job-risk", {"duration": 2000}, "outside", "Expect 99 failures"),
        # The time lost in a period is never more than the period.
        (
            "failures/failure-rates",
            "burn-in",
            {"nodes": 100_000, "failure_cost": 20_000},
            "doubtful",
            "gives up little",
        ),
        # First order says 57 % of useful time where the exact count is at 86 %.
        ("checkpoints/size", "async", {"stall": 100, "persist": 31.6, "mtbf": 0.2}, "outside", "stands still"),
        ("checkpoints/size", "async", {}, "fine", "The stall sets the interval"),
    ],
)
def test_an_explorer_says_what_its_setting_bears(chapter, key, setting, tone, said):
    explorer = explorer_of(f"book/{chapter}.ipynb", key)
    units = {slider.name: slider.quantity.factor for slider in explorer.inputs}
    judged = explorer.judge(explorer.setting | {slider: value * units[slider] for slider, value in setting.items()})
    assert judged[0] == tone
    assert said in judged[1].replace("\N{NO-BREAK SPACE}", " ")
