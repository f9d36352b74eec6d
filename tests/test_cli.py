"""python -m relmath: what it prints, how it ends, and what it says to a wrong call."""

import csv
import io
import json
import subprocess
import sys

import pytest

from relmath import __main__ as cli
from relmath import ledger
from relmath.ledger.mechanism import Claim, Digits, Reproduced

VALUES = sum(len(claim.values) for claim in ledger.CLAIMS.values())


def test_text_shows_every_claim_within_100_columns(capsys):
    assert cli.main(["ledger"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 100 for line in out.splitlines())
    assert all(f"{claim.id}   {claim.verdict.word}   {claim.chapter}\n" in out for claim in ledger.CLAIMS.values())
    assert "- as printed: printed 27.44 %; recomputed 27.4385 %\n" in out
    assert out.endswith("Every value holds.\n")


def test_json_and_csv_hold_the_same_rows(capsys):
    assert cli.main(["ledger", "--format", "json"]) == 0
    from_json = json.loads(capsys.readouterr().out)
    assert cli.main(["ledger", "--format", "csv"]) == 0
    from_csv = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(from_json) == VALUES
    assert from_csv == [{key: str(value) for key, value in row.items()} for row in from_json]


def test_filters(capsys):
    assert cli.main(["ledger", "--verdict", "corrected", "--chapter", "checkpoints/daly", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {(row["verdict"], row["chapter"]) for row in rows} == {("corrected", "checkpoints/daly")}
    assert len(rows) < VALUES


def test_a_verdict_that_no_claim_has_gives_an_empty_table(capsys):
    assert cli.main(["ledger", "--verdict", "unsupported", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert cli.main(["ledger", "--verdict", "unsupported", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("id,verdict,")


@pytest.mark.parametrize("format", ["text", "json", "csv"])
def test_a_claim_that_does_not_hold_is_told_and_gives_status_1(monkeypatch, capsys, format):
    wrong = Claim(
        "wrong", "A", "where", "checkpoints/young", "It is so.", {"it": Digits("1 s", lambda: 2)}, Reproduced()
    )
    monkeypatch.setitem(ledger.CLAIMS, "wrong", wrong)
    assert cli.main(["ledger", "--format", format]) == 1
    out = capsys.readouterr().out
    assert "wrong" in out
    if format == "text":
        assert "- it: printed 1 s; DOES NOT HOLD: recomputed 2.00 s\n" in out
        assert out.endswith("Values that do not hold: 1.\n")


@pytest.mark.parametrize(
    "arguments",
    [[], ["plan"], ["ledger", "--verdict", "perhaps"], ["ledger", "--chapter", "checkpoints/none"], ["ledger", "--x"]],
)
def test_a_wrong_call_gives_usage_and_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m relmath")


def test_a_reader_that_stops_early_hears_nothing():
    """As `python -m relmath ledger | head -1` does: more is printed than a pipe holds, and nobody reads it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "relmath", "ledger"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_it_needs_neither_sympy_nor_matplotlib():
    code = (
        "import sys; from relmath.__main__ import main; main(['ledger']); "
        "sys.exit(bool({'sympy', 'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL).returncode == 0
