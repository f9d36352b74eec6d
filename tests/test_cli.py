"""python -m relmath: what it prints, how it ends, and what it says to a wrong call."""

import csv
import io
import json
import shlex
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


def test_a_verdict_that_no_claim_of_a_chapter_has_gives_an_empty_table(capsys):
    none = ["ledger", "--verdict", "unsupported", "--chapter", "checkpoints/young", "--format"]
    assert cli.main([*none, "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert cli.main([*none, "csv"]) == 0
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
    [
        [],
        ["plan"],
        ["ledger", "--verdict", "perhaps"],
        ["ledger", "--chapter", "checkpoints/none"],
        ["ledger", "--x"],
        ["ledger", "--form", "csv"],
    ],
)
def test_a_wrong_call_gives_usage_and_status_2(capsys, arguments):
    assert cli.main(arguments) == 2
    usage = "usage: python -m relmath ledger [" if "ledger" in arguments else "usage: python -m relmath ["
    assert capsys.readouterr().err.startswith(usage)


def test_help_is_printed_and_gives_status_0(capsys):
    assert cli.main(["ledger", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: python -m relmath ledger")


def test_nothing_is_said_of_no_claims(capsys, monkeypatch):
    monkeypatch.setattr(cli, "CLAIMS", {})
    assert cli.main(["ledger"]) == 0
    assert capsys.readouterr().out == "Claims: none.\n"


WRONG = """
import sys
from relmath import __main__ as cli, ledger
from relmath.ledger.mechanism import Claim, Digits, Reproduced
ledger.CLAIMS["wrong"] = Claim("wrong", "A", "", "", "So.", {"it": Digits("1 s", lambda: 2)}, Reproduced())
sys.exit(cli.main(["ledger"]))
"""


@pytest.mark.parametrize(("program", "status"), [(["-m", "relmath", "ledger"], 0), (["-c", WRONG], 1)])
def test_a_reader_that_stops_early_hears_nothing(program, status):
    """As `python -m relmath ledger | head -1` does: nobody reads the pipe. What was found holds all the same."""
    process = subprocess.Popen([sys.executable, *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == status


@pytest.mark.parametrize("arguments", ["ledger", "ledger --format csv", "--help"])
@pytest.mark.parametrize(
    ("output", "reason"), [(">&-", "standard output is closed"), (">/dev/full", "No space left on device")]
)
def test_an_output_that_cannot_be_written_gives_a_sentence_and_status_1(arguments, output, reason):
    command = f"{shlex.quote(sys.executable)} -m relmath {arguments} {output}"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (1, f"python -m relmath: the output cannot be written: {reason}\n")


@pytest.mark.parametrize("output", [">&-", ">/dev/full"])
def test_a_wrong_call_needs_no_output(output):
    run = subprocess.run(["sh", "-c", f"{shlex.quote(sys.executable)} -m relmath {output}"], capture_output=True)
    assert run.returncode == 2


def test_it_needs_neither_sympy_nor_matplotlib():
    code = (
        "import sys; from relmath.__main__ import main; main(['ledger']); "
        "sys.exit(bool({'sympy', 'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL).returncode == 0
