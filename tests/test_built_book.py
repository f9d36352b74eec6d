"""The pages in _build/html: whole, fresh, and sufficient to themselves. `make book` makes them."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from package_digest import PAGES, digest

from tools.notebooks import ROOT, pages

HTML = ROOT / "_build" / "html"
CHAPTER_PAGES = [page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages()]
OTHER_PAGES = ["index.html", "search.html"]
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
OPENED_BY_THE_READER = {"canonical", "next", "prev", "index", "search", "author", "license"}
# Without which a library that can load parts of itself from elsewhere has no elsewhere to load from.
KNOWN_HOSTS = re.compile(r"(?:cdn|unpkg|jsdelivr|cdnjs|googleapis|gstatic|mybinder|googletagmanager|plausible)\.", re.I)

every_page = pytest.mark.parametrize("name", CHAPTER_PAGES + OTHER_PAGES)


class Page(HTMLParser):
    """A page's elements, its anchors, and its text outside code, formulas and scripts."""

    UNREAD = ("script", "style", "pre", "title")
    VOID = frozenset(  # elements that have no end
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
    )

    def __init__(self, path):
        super().__init__()
        self.elements, self.text, self.scripts, self._open = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.anchors = {attributes["id"] for _, attributes in self.elements if "id" in attributes}

    def handle_starttag(self, tag, attrs):
        attributes = {key: value or "" for key, value in attrs}
        self.elements.append((tag, attributes))
        if tag not in self.VOID:
            formula = "math" in attributes.get("class", "").split()
            self._open.append((tag, formula or tag in self.UNREAD))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if any(unread for _, unread in self._open):
            if self._open[-1][0] == "script":
                self.scripts.append(data)
        else:
            self.text.append(data)

    def links(self):
        return [value for _, attributes in self.elements for key, value in attributes.items() if key in ("href", "src")]

    def loaded(self):
        for tag, attributes in self.elements:
            if tag == "link" and not OPENED_BY_THE_READER & set(attributes.get("rel", "").split()):
                yield attributes["href"]
            elif attributes.get(LOADING.get(tag)):
                yield attributes[LOADING[tag]]


@cache
def read(path: Path) -> Page:
    return Page(path)


def local(link):
    parts = urlsplit(link)
    return not parts.scheme and not parts.netloc


def test_the_pages_are_those_of_the_present_sources():
    record = ROOT / "_build" / "pages.digest"
    assert record.exists(), "no complete build: run `make book`"
    assert record.read_text().strip() == digest(ROOT, PAGES), "the sources have changed since: run `make book`"


def test_every_page_of_the_contents_is_there_and_no_other():
    built = {path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts}
    assert built == {*CHAPTER_PAGES, *OTHER_PAGES}


@every_page
def test_links_lead_somewhere(name):
    broken = []
    for link in filter(local, read(HTML / name).links()):
        parts = urlsplit(link)
        target = (HTML / name).parent / unquote(parts.path) if parts.path else HTML / name
        if not target.is_file() or (
            parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).anchors
        ):
            broken.append(link)
    assert not broken


@every_page
def test_nothing_is_loaded_from_another_host(name):
    page = read(HTML / name)
    assert [link for link in page.loaded() if not local(link) and not link.startswith("data:")] == []
    assert [script for script in page.scripts if KNOWN_HOSTS.search(script)] == []


@pytest.mark.parametrize("kind", ["css", "js"])
def test_no_style_or_script_names_another_host(kind):
    loads = {"css": r"@import[^;]*//|url\(\s*['\"]?(?:https?:)?//", "js": r"\bimport\s*\(?\s*['\"](?:https?:)?//"}[kind]
    files = [path for path in (HTML / "_static").rglob(f"*.{kind}") if "mathjax" not in path.parts]
    assert files
    assert [path.name for path in files if re.search(loads, path.read_text(encoding="utf-8"))] == []
    assert [path.name for path in files if KNOWN_HOSTS.search(path.read_text(encoding="utf-8"))] == []


@every_page
def test_markup_is_rendered(name):
    text = " ".join(read(HTML / name).text)
    assert re.findall(r"\$\$|```|:::|\{(?:cite|eq|ref|numref|doc|prf|glue|math|py)\b[^}]*\}", text) == []


@every_page
def test_every_image_is_described(name):
    images = [attributes for tag, attributes in read(HTML / name).elements if tag == "img"]
    assert [image["src"] for image in images if image.get("alt", "").strip() in ("", image["src"])] == []


@pytest.mark.parametrize("name", CHAPTER_PAGES)
def test_no_trace_of_a_kernel(name):
    """The state of widgets has random names, and nothing on a page can use it."""
    assert "application/vnd.jupyter" not in (HTML / name).read_text(encoding="utf-8")


def test_the_api_gives_for_a_type_no_sentence():
    """Napoleon takes what stands before a colon in the first line about an attribute for its type."""
    text = (HTML / "book" / "reference" / "api.html").read_text(encoding="utf-8")
    types = re.findall(r"Type<span[^>]*>:</span></dt>\s*<dd[^>]*>(.*?)</dd>", text, re.DOTALL)
    plain = [re.sub(r"<[^>]*>", "", kind).strip() for kind in types]
    assert "float" in plain
    assert [kind for kind in plain if re.match("[A-Z][a-z]* [a-z]", kind)] == []
    assert "Alias for field number" not in text
