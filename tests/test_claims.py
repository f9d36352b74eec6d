"""claim() compares a chapter's value with the ledger, by each kind of value, and prints a line a value."""

import re

import numpy as np
import pytest
import sympy as sp

from relmath import ledger
from relmath.ledger.mechanism import Bound, Claim, Corrected, Digits, Range, Reproduced, Statement, Symbolic
from relmath.notebook.claims import claim
from relmath.notebook.notation import symbols

delta, M = symbols("delta M")
YOUNG = sp.sqrt(2 * delta * M)


def never():
    raise AssertionError("a chapter's value is compared with what is stated, not with what relmath computes")


REPRODUCED = Reproduced()


def state(monkeypatch, verdict=REPRODUCED, **values):
    stated = Claim("example", "A", "where", "checkpoints/young", "It is so.", values, verdict)
    monkeypatch.setitem(ledger.CLAIMS, "example", stated)


def test_a_quantity(monkeypatch, capsys):
    state(monkeypatch, interval=Digits("14.2 min", never))
    claim("example", YOUNG.subs({delta: sp.Rational(49, 2), M: 14904}))
    assert capsys.readouterr().out == "example   printed 14.2 min   derived 14.243 min   reproduced\n"


def test_several_values(monkeypatch, capsys):
    state(
        monkeypatch,
        Corrected("Because."),
        low=Bound("< 2 %", never),
        high=Range("33 to 38 d", never, by="ours"),
        formula=Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}),
        so=Statement("true", never),
    )
    claim("example", {"so": sp.true, "formula": 2 * YOUNG / 2, "high": 34 * 86400, "low": sp.Rational(1, 100)})
    assert capsys.readouterr().out.splitlines() == [
        "example, low       printed < 2 %   derived 1.000 %   corrected",
        "example, high      ours 33 to 38 d   derived 34.00 d   corrected",
        "example, formula   printed sqrt(2*delta*M)   derived the same   corrected",
        "example, so        printed true   derived true   corrected",
    ]


@pytest.mark.parametrize(
    ("stated", "derived"),
    [
        (Digits("14.2 min", never), 14.1 * 60),
        (Bound("< 2 %", never), sp.Rational(2, 100)),
        (Range("33 to 38 d", never), 39 * 86400),
        (Statement("true", never), False),
        (Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}), sp.sqrt(3 * delta * M)),
        (Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}), -YOUNG),
        (Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}), sp.I * YOUNG),
        (Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}), YOUNG + sp.Float("1e-12")),
    ],
)
def test_what_does_not_match_fails(monkeypatch, stated, derived):
    state(monkeypatch, it=stated)
    with pytest.raises(AssertionError, match="example: the ledger states"):
        claim("example", derived)


def test_what_does_not_match_is_told_in_the_unit_of_the_ledger(monkeypatch):
    state(monkeypatch, it=Digits("14.2 min", never))
    with pytest.raises(AssertionError, match=r"states 14\.2 min, but the chapter derives 0\.237 min, in SI 14\.2000"):
        claim("example", 14.2)


@pytest.mark.parametrize("derived", [delta, sp.oo, sp.nan, sp.I, None, [854.6], True])
def test_a_quantity_must_be_a_real_number(monkeypatch, derived):
    state(monkeypatch, it=Digits("14.2 min", never))
    with pytest.raises(ValueError, match="must be a real number"):
        claim("example", derived)


@pytest.mark.parametrize("derived", [delta, sp.Eq(delta, M), 2, 1, None, np.array([True, True])])
def test_a_statement_must_be_true_or_false(monkeypatch, derived):
    state(monkeypatch, it=Statement("true", never))
    with pytest.raises(ValueError, match="must be true or false"):
        claim("example", derived)


def test_a_formula_must_be_in_the_symbols_of_the_notation(monkeypatch):
    state(monkeypatch, it=Symbolic("sqrt(2*delta*M)", never, over={"delta": (1, 10), "M": (100, 1e4)}))
    for derived in (sp.sqrt(2 * sp.Symbol("d") * M), None, True):
        with pytest.raises(ValueError, match=r"expression in symbols\('delta M'\), but is"):
            claim("example", derived)


def test_an_unknown_claim_is_named_with_the_nearest():
    with pytest.raises(ValueError, match="no claim 'young-intervals'; did you mean 'young-interval'"):
        claim("young-intervals", 1)


@pytest.mark.parametrize("id", [None, 5, []])
def test_an_id_that_is_none_is_named(id):
    with pytest.raises(ValueError, match=f"no claim {re.escape(repr(id))}"):
        claim(id, 1)


def test_names_of_values_must_be_the_ledgers(monkeypatch):
    state(monkeypatch, a=Digits("1", never), b=Digits("2", never))
    for value in (1, {"a": 1}, {"a": 1, "b": 2, "c": 3}):
        with pytest.raises(ValueError, match="a value for each of: a; b"):
            claim("example", value)
