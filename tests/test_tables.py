"""The pages of the ledger and of the notation, built by Sphinx from the package as it is."""

import io
import re

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from relmath import ledger
from relmath.ledger.mechanism import Claim, Digits, Reproduced
from relmath.notebook import notation

PAGES = {
    "ledger": "# The ledger\n\n```{ledger}\n```\n",
    "notation": "# Notation\n\n```{notation}\n```\n",
    "summary": "# Summary\n\n```{claims} young-interval gpu-life\n```\n",
}
# The suffix is stated, since Sphinx would remember the one of an earlier build in the same process.
CONFIGURATION = """\
extensions = ["myst_parser", "sphinx_design", "sphinx.ext.mathjax", "tables"]
source_suffix = {".md": "markdown"}
"""


def build(folder, chapters):
    """The warnings of a build of the pages beside stubs of the chapters, and the pages by name."""
    texts = {f"reference/{name}": text for name, text in PAGES.items()}
    texts |= {chapter: f"# Chapter {chapter}\n" for chapter in chapters}
    texts["index"] = "# Book\n\n```{toctree}\n" + "\n".join(texts) + "\n```\n"
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "conf.py").write_text(CONFIGURATION)
    warnings = io.StringIO()
    out = folder / "_build"
    with patch_docutils(str(folder)), docutils_namespace():
        Sphinx(str(folder), str(folder), str(out), str(out / "doctrees"), "html", status=None, warning=warnings).build()
    return warnings.getvalue(), {name: (out / f"reference/{name}.html").read_text() for name in PAGES}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    chapters = sorted({claim.chapter for claim in ledger.CLAIMS.values()})
    return build(tmp_path_factory.mktemp("book"), chapters)


def test_it_builds_without_a_warning(built):
    warnings, _ = built
    assert warnings == ""


def test_the_ledger_shows_every_claim_with_its_values_and_links_its_chapter(built):
    page = built[1]["ledger"]
    entries = re.split(r'<div class="[^"]*sd-card', page)[1:]
    assert len(entries) == len(ledger.CLAIMS)
    by_id = {re.search(r'id="claim-([^"]*)"', entry)[1]: entry for entry in entries}
    assert set(by_id) == set(ledger.CLAIMS)
    for claim in ledger.CLAIMS.values():
        rows = re.findall(r"<tr.*?</tr>", by_id[claim.id].partition("<tbody>")[2], re.DOTALL)
        assert len(rows) == len(claim.values)
        assert f'href="../{claim.chapter}.html"' in by_id[claim.id]


def test_the_summary_counts_and_leads_to_each_verdict(built):
    page = built[1]["ledger"]
    for word in {claim.verdict.word for claim in ledger.CLAIMS.values()}:
        count = sum(claim.verdict.word == word for claim in ledger.CLAIMS.values())
        assert f'href="#{word}">{count} {word}</a>' in page
        assert f'<section id="{word}">' in page


def test_numbers_and_formulas_are_shown(built):
    page = built[1]["ledger"]
    assert re.search(r"27\.44 % \(printed\).*?27\.4385 %", page, re.DOTALL)
    assert r"\sqrt{2 \delta M + \frac{\delta^{2}}{3}} - \delta" in page


def test_chosen_claims_are_shown_as_in_the_ledger(built):
    ledgers, chosen = (re.split(r'<div class="[^"]*sd-card', built[1][name])[1:] for name in ("ledger", "summary"))
    assert [re.search(r'id="claim-([^"]*)"', entry)[1] for entry in chosen] == ["young-interval", "gpu-life"]
    for entry in chosen:
        card = entry.partition("Derived in")[0]
        assert any(card in shown for shown in ledgers)
        assert "Reproduced." in card


def test_the_notation_shows_every_symbol(built):
    page = built[1]["notation"]
    rows = re.findall(r"<tr.*?</tr>", page.partition("<tbody>")[2], re.DOTALL)
    assert len(rows) == len(notation.table())
    for row, entry in zip(rows, notation.table().values(), strict=True):
        assert f"\\({entry.latex}\\)" in row
        assert f"<code>{entry.code}</code>" in row.replace("<wbr>", "")
        assert f'<em lang="ru">{entry.term_ru}</em>' in row


def test_what_does_not_hold_and_a_chapter_that_is_missing_are_warnings(tmp_path, monkeypatch):
    """Warnings are errors in the book's build."""
    wrong = Claim("wrong", "A", "where", "nowhere/none", "It is so.", {"it": Digits("1 s", lambda: 2)}, Reproduced())
    monkeypatch.setattr("tables.CLAIMS", {"wrong": wrong})
    monkeypatch.setitem(PAGES, "summary", "# Summary\n\n```{claims} wrong wronger\n```\n")
    warnings, _ = build(tmp_path, [])
    assert "the ledger has no claim wronger" in warnings
    assert "wrong, it: stated 1 s, relmath gives 2.00 s" in warnings
    assert "unknown document: '../nowhere/none'" in warnings
