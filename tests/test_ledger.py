"""Every claim holds by relmath's own route; every chapter uses its claims, and no others; every kind can fail."""

import ast
from pathlib import Path

import nbformat
import numpy as np
import pytest

from relmath import checkpoints, ledger
from relmath.ledger.mechanism import Bound, Corrected, Digits, Range, Statement, Symbolic
from relmath.units import minute

BOOK = Path(__file__).parents[1] / "book"
VALUES = [(claim.id, name) for claim in ledger.CLAIMS.values() for name in claim.values]


@pytest.mark.parametrize(("id", "name"), VALUES)
def test_relmath_finds_what_the_ledger_states(id, name):
    value = ledger.CLAIMS[id].values[name]
    holds, recomputed = value.check()
    assert holds, f"stated {value.text}, recomputed {recomputed}"


def test_no_claim_is_hidden_by_another_with_its_id():
    assert len(ledger.CLAIMS) == sum(len(part.CLAIMS) for part in ledger.PARTS)


def test_every_claim_has_a_known_source_and_every_correction_a_reason():
    for claim in ledger.CLAIMS.values():
        assert claim.source in ledger.SOURCES
        assert claim.says.endswith(".")
        assert claim.verdict.word == "reproduced" or claim.verdict.reason


@pytest.mark.parametrize("chapter", sorted({claim.chapter for claim in ledger.CLAIMS.values()}))
def test_a_chapter_uses_exactly_its_claims(chapter):
    assert claims_in(BOOK / f"{chapter}.ipynb") == {c.id for c in ledger.CLAIMS.values() if c.chapter == chapter}


def test_no_notebook_uses_a_claim_of_another_chapter():
    for notebook in BOOK.rglob("*.ipynb"):
        if "_build" not in notebook.parts:
            chapter = notebook.relative_to(BOOK).with_suffix("").as_posix()
            assert claims_in(notebook) <= {c.id for c in ledger.CLAIMS.values() if c.chapter == chapter}, chapter


def claims_in(notebook):
    """The ids that a notebook's code passes to claim()."""
    cells = nbformat.read(notebook, as_version=4).cells
    trees = [ast.parse(cell.source) for cell in cells if cell.cell_type == "code"]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {call.args[0].value for call in calls if isinstance(call.func, ast.Name) and call.func.id == "claim"}


# Each kind of value accepts what is stated, and nothing else.


@pytest.mark.parametrize("text", ["14.2 min", "14.24 min", "14 min"])
def test_digits_are_their_own_tolerance(text):
    assert Digits(text, lambda: 14.2429 * minute).check() == (True, Digits(text, float).show(14.2429 * minute))


@pytest.mark.parametrize(
    "text", ["14.3 min", "14.1 min", "14.23 min", "14.25 min", "24.2 min", "14.2 s", "-14.2 min", "15 min"]
)
def test_one_changed_digit_fails(text):
    assert not Digits(text, lambda: 14.2429 * minute).check().holds


@pytest.mark.parametrize("text", ["24 s", "25 s", "24.5 s", "24.50 s"])
def test_a_tie_may_be_rounded_either_way(text):
    assert Digits(text, lambda: 24.5).check().holds


def test_each_digit_of_the_ledger_matters():
    """Whichever last digit of whichever quantity is changed by one, its claim no longer holds."""
    digits = [value for claim in ledger.CLAIMS.values() for value in claim.values.values() if type(value) is Digits]
    assert digits
    for value in digits:
        number, _, unit = value.text.partition(" ")
        changed = number[:-1] + str((int(number[-1]) + 1) % 10)
        assert not Digits(f"{changed} {unit}".rstrip(), value.recompute).check().holds, value.text


def test_digits_are_shown_with_two_more():
    assert Digits("14.2 min", float).show(14.2429 * minute) == "14.243 min"
    assert Digits("2 450 GB", float).show(2.45e12) == "2450.00 GB"
    assert Digits("1.18e6", float).show(1_180_400) == "1180400"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_matches_no_digits_and_no_range(value):
    assert not Digits("0.5", lambda: value).check().holds
    assert not Range("0 to 1", lambda: value).check().holds


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("< 2", 1.99, True),
        ("< 2", 2.0, False),
        ("<= 2", 2.0, True),
        ("> 99 %", 0.991, True),
        ("> 99 %", 0.99, False),
        (">= 99 %", 0.99, True),
        ("< 2", np.nan, False),
    ],
)
def test_bounds(text, value, holds):
    assert Bound(text, lambda: value).check().holds is holds


@pytest.mark.parametrize(("value", "holds"), [(0.1, True), (0.25, True), (0.0999, False), (0.2501, False)])
def test_ranges_include_their_ends(value, holds):
    assert Range("10 to 25 %", lambda: value).check().holds is holds


def test_statements():
    assert Statement("true", lambda: np.bool_(True)).check() == (True, "true")
    assert Statement("true", lambda: False).check() == (False, "false")
    assert Statement("false", lambda: False).check().holds


def test_a_formula_is_compared_with_its_function():
    over = {"delta": (1.0, 10.0), "M": (100.0, 1e4)}
    assert Symbolic("sqrt(2*delta*M)", checkpoints.young, over=over).check() == (True, "the same at 100 points")
    assert not Symbolic("sqrt(2.0001*delta*M)", checkpoints.young, over=over).check().holds
    assert not Symbolic("sqrt(2*delta*M)", checkpoints.daly, over=over).check().holds
    assert not Symbolic("sqrt(2*delta*M)", lambda d, m: d * np.nan, over=over).check().holds


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Digits, "14.2 min."), (Digits, "about 14"), (Digits, "14 parsec"), (Bound, "2 %"), (Range, "10 - 25 %")],
)
def test_a_text_that_cannot_be_read_fails_at_once(kind, text):
    with pytest.raises(ValueError, match="text must"):
        kind(text, float)


def test_a_correction_needs_its_reason():
    with pytest.raises(TypeError):
        Corrected()
