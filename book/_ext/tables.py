"""The reference pages that are tables of the package itself: the ledger and the notation, as they are at the build."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sympy as sp
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_design.shared import create_component

import relmath
from relmath.ledger import CLAIMS
from relmath.ledger.mechanism import VERDICTS, Claim, Symbolic, Value
from relmath.notebook.notation import Entry, symbols, table

log = logging.getLogger(__name__)


class GeneratedPage(SphinxDirective):
    """A directive whose content comes from relmath, and is read again whenever relmath changes."""

    def note_package(self) -> None:
        """Make the page depend on every file of the package."""
        for path in Path(relmath.__file__).parent.rglob("*"):
            if path.suffix in {".py", ".csv"}:
                self.env.note_dependency(str(path))


class Ledger(GeneratedPage):
    """Every claim, by verdict, each with the values that relmath recomputes now."""

    def run(self) -> list[nodes.Node]:
        """Give a summary that leads to a section for each verdict."""
        self.note_package()
        by_verdict = {
            word: claims for word in VERDICTS if (claims := [c for c in CLAIMS.values() if c.verdict.word == word])
        }
        return [self.summary(by_verdict), *(self.section(word, claims) for word, claims in by_verdict.items())]

    def summary(self, by_verdict: dict[str, list[Claim]]) -> nodes.Node:
        """Give the number of claims with each verdict, linked to its section."""
        paragraph = nodes.paragraph("", f"{len(CLAIMS)} claims: ")
        for position, (word, claims) in enumerate(by_verdict.items()):
            paragraph += nodes.Text(", " if position else "")
            paragraph += nodes.reference("", f"{len(claims)} {word}", internal=True, refid=word)
        paragraph += nodes.Text(".")
        return paragraph

    def section(self, word: str, claims: list[Claim]) -> nodes.Node:
        """Give the claims with one verdict."""
        section = nodes.section("", nodes.title("", f"{word.capitalize()} ({len(claims)})"), ids=[word], names=[word])
        self.state.document.note_explicit_target(section, section)
        section += [self.entry(claim) for claim in claims]
        return section

    def entry(self, claim: Claim) -> nodes.Node:
        """Give a claim: what is said, why the verdict, its values, and where it comes from."""
        entry = create_component("claim", ["sd-card", "sd-sphinx-override", "sd-mb-3", "sd-p-3"])
        entry["ids"] = [f"claim-{claim.id}"]
        entry += nodes.paragraph("", "", nodes.strong("", claim.id), nodes.Text(f": {claim.says}"))
        entry += nodes.paragraph("", f"{claim.verdict.word.capitalize()}. {claim.verdict.reason}".rstrip())
        entry += make_table(["Value", "Stated", "relmath gives"], [self.row(claim, name) for name in claim.values])
        entry += nodes.paragraph(
            "",
            "",
            nodes.Text("Derived in "),
            self.link(claim.chapter),
            nodes.Text(f". Source {claim.source}: {claim.where}."),
            classes=["sd-text-muted", "sd-mb-0"],
        )
        return entry

    def row(self, claim: Claim, name: str) -> list[nodes.Node]:
        """Give a value: its name, what is stated and by whom, and what relmath finds now."""
        value = claim.values[name]
        outcome = value.check()
        if not outcome.holds:
            log.warning("%s, %s: stated %s, relmath gives %s", claim.id, name, value.text, outcome.recomputed)
        stated = nodes.inline("", "", _typeset(value), nodes.Text(f" ({value.by})"))
        return [nodes.Text(name), stated, nodes.Text(outcome.recomputed)]

    def link(self, chapter: str) -> nodes.Node:
        """Give a link to a chapter, by its title; Sphinx warns if there is no such chapter."""
        return pending_xref(
            "",
            nodes.inline("", chapter),
            refdomain="std",
            reftype="doc",
            reftarget=f"../{chapter}",
            refdoc=self.env.docname,
            refexplicit=False,
            refwarn=True,
        )


class Claims(Ledger):
    """The claims whose ids are given, as the ledger shows them."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Give an entry for each."""
        self.note_package()
        ids = self.arguments[0].split()
        if unknown := [id for id in ids if id not in CLAIMS]:
            raise self.error(f"the ledger has no claim {', '.join(unknown)}: relmath/ledger states them")
        return [self.entry(CLAIMS[id]) for id in ids]


class Notation(GeneratedPage):
    """The table of symbols."""

    def run(self) -> list[nodes.Node]:
        """Give the table, a row a symbol."""
        self.note_package()
        return [make_table(["Symbol", "In code", "Meaning"], map(_notation_row, table().values()))]


def _notation_row(entry: Entry) -> list[nodes.Node]:
    code = _html(f"<code>{entry.code.replace('_', '_<wbr>')}</code>")  # a long name may break where a word ends
    unit = "" if entry.unit == "1" else f" [{entry.unit}]"
    russian = _html(f'<em lang="ru">{entry.term_ru}</em>')
    meaning = nodes.inline("", "", nodes.Text(f"{entry.meaning}{unit}. "), russian)
    return [nodes.math("", entry.latex), code, meaning]


def _html(text: str) -> nodes.Node:
    return nodes.raw("", text, format="html")


def _typeset(value: Value) -> nodes.Node:
    """Give what is stated: a formula as it is written, anything else as its text."""
    if not isinstance(value, Symbolic):
        return nodes.Text(value.text)
    known = {name: symbols(name) for name in value.over}
    return nodes.math("", sp.latex(_flat(sp.parse_expr(value.text, known, evaluate=False)), order="none"))


def _flat(expression: Any) -> Any:
    """Join the products within products of an expression that was not evaluated: else 1/x is printed as 1 times 1/x."""
    if not expression.args:
        return expression
    parts = [_flat(part) for part in expression.args]
    if expression.is_Mul:
        factors = (factor for part in parts for factor in (part.args if part.is_Mul else (part,)))
        parts = [factor for factor in factors if factor != 1]
    return expression.func(*parts, evaluate=False)


def make_table(head: list[str], rows: Iterable[list[nodes.Node]]) -> nodes.Node:
    """Give a table whose columns are as wide as they need."""

    def row(cells: Iterable[nodes.Node]) -> nodes.Node:
        return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))

    columns = [nodes.colspec(colwidth=1) for _ in head]
    thead = nodes.thead("", row(map(nodes.Text, head)))
    group = nodes.tgroup("", *columns, thead, nodes.tbody("", *map(row, rows)), cols=len(head))
    return nodes.table("", group, classes=["colwidths-auto"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives with Sphinx."""
    app.add_directive("ledger", Ledger)
    app.add_directive("claims", Claims)
    app.add_directive("notation", Notation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
