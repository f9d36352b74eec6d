"""The command line: ``python -m relmath``."""

from __future__ import annotations

import argparse
import contextlib
import csv
import errno
import io
import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from relmath import __version__
from relmath.ledger import CLAIMS, SOURCES
from relmath.ledger.mechanism import VERDICTS, Claim, Outcome

WIDTH = 100
Checked = list[tuple[Claim, dict[str, Outcome]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 after a wrong call, or 1 if not all holds or can be written."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:  # so that it is written at once, and an error met once
        try:
            status = _run(arguments)
        except SystemExit as end:  # of argparse, after a help text or a wrong call
            status = int(end.code or 0)
    text = printed.getvalue()
    return status if not text or _write(text) else 1


def _write(text: str) -> bool:
    """Write to standard output, and tell whether whoever reads it has as much as they want."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        print(text, end="", flush=True)
    except OSError as error:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at the end
        if not isinstance(error, BrokenPipeError):  # after which the reader has seen enough, as `head` has
            print(f"python -m relmath: the output cannot be written: {error.strerror}", file=sys.stderr)
            return False
    return True


def _run(arguments: Sequence[str] | None) -> int:
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        options.command.error(f"unrecognized arguments: {' '.join(unknown)}")
    chosen = [
        claim
        for claim in CLAIMS.values()
        if options.verdict in (None, claim.verdict.word) and options.chapter in (None, claim.chapter)
    ]
    checked = [(claim, claim.check()) for claim in chosen]
    FORMATS[options.format](checked)
    return 0 if all(outcome.holds for _, outcomes in checked for outcome in outcomes.values()) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m relmath", description="Reliability mathematics for GPU fleets.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"relmath {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    ledger = commands.add_parser(
        "ledger",
        help="recompute every statement of the sources",
        description="Recompute the statements of the sources. The exit status is 1 if one is not as the ledger has it.",
        allow_abbrev=False,
    )
    ledger.set_defaults(command=ledger)
    ledger.add_argument("--verdict", choices=VERDICTS, help="only claims with this verdict")
    chapters = sorted({claim.chapter for claim in CLAIMS.values()})
    ledger.add_argument("--chapter", choices=chapters, help="only claims of this chapter")
    ledger.add_argument("--format", choices=FORMATS, default="text", help="text, the default, is for reading")
    return parser


def _print_text(checked: Checked) -> None:
    for claim, outcomes in checked:
        print(f"{claim.id}   {claim.verdict.word}   {claim.chapter}")
        _print_wrapped(claim.says)
        for name, outcome in outcomes.items():
            stated = claim.values[name]
            relation = "recomputed" if outcome.holds else "DOES NOT HOLD: recomputed"
            _print_wrapped(f"- {name}: {stated.by} {stated.text}; {relation} {outcome.recomputed}", hanging="  ")
        if claim.verdict.reason:
            _print_wrapped(claim.verdict.reason)
        _print_wrapped(f"Source {claim.source}: {claim.where}.")
        print()
    verdicts = Counter(claim.verdict.word for claim, _ in checked)
    counts = ", ".join(f"{verdicts[word]} {word}" for word in VERDICTS if verdicts[word]) or "none"
    failed = sum(not outcome.holds for _, outcomes in checked for outcome in outcomes.values())
    holding = f" Values that do not hold: {failed}." if failed else " Every value holds." if checked else ""
    print(f"Claims: {counts}.{holding}")


def _print_wrapped(text: str, hanging: str = "") -> None:
    print(textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  " + hanging, break_on_hyphens=False))


class Row(NamedTuple):
    """A value of a claim, as a row of a table."""

    id: str
    verdict: str
    chapter: str
    source: str
    where: str
    says: str
    value: str
    by: str
    stated: str
    recomputed: str
    holds: bool
    reason: str


def _rows(checked: Checked) -> list[Row]:
    return [
        Row(
            claim.id,
            claim.verdict.word,
            claim.chapter,
            SOURCES[claim.source],
            claim.where,
            claim.says,
            name,
            claim.values[name].by,
            claim.values[name].text,
            outcome.recomputed,
            outcome.holds,
            claim.verdict.reason,
        )
        for claim, outcomes in checked
        for name, outcome in outcomes.items()
    ]


def _print_json(checked: Checked) -> None:
    print(json.dumps([row._asdict() for row in _rows(checked)], indent=2, ensure_ascii=False))


def _print_csv(checked: Checked) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(_rows(checked))


FORMATS = {"text": _print_text, "json": _print_json, "csv": _print_csv}


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a Greek letter shows a question mark
    sys.exit(main())
