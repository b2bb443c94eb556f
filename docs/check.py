"""Check the manual after it was built.

Each link leads to an existing page and anchor; no page loads anything from
another host; every word is in the dictionary or in words.txt. Links to other
hosts are not followed: the check needs no network.
"""

import html.parser
import pathlib
import re
import subprocess
import urllib.parse

LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"),
         ("source", "src"), ("link", "href")}
SILENT = {"code", "pre", "script", "style", "kbd", "svg", "title"}
VOID = {"br", "img", "hr", "input", "link", "meta", "path", "line", "circle",
        "rect", "polyline", "source"}
# Not in dictionaries: addresses, files, names of programs, abbreviations.
NO_WORD = re.compile(r"\S*[\d_/@.:=\\](?=\S)\S*|\b[A-Z]{2,}s?\b|"
                     r"\b\w*[a-z][A-Z]\w*")


class Page(html.parser.HTMLParser):
    """The identifiers, the links and the words of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.words = set(), [], [], []
        self.open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.ids.add(value)
            elif (tag, name) in LOADS:
                self.loads.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not SILENT & set(self.open):
            self.words.append(data)


def links(pages, folder):
    findings = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    findings.append(f"{path}: loads {link}")
                continue
            target = (path.parent / parts.path).resolve() if parts.path \
                else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                findings.append(f"{path}: {link}: no such file")
            elif parts.fragment and target in pages and \
                    urllib.parse.unquote(parts.fragment) \
                    not in pages[target].ids:
                findings.append(f"{path}: {link}: no such anchor")
    for sheet in folder.rglob("*.css"):
        for link in re.findall(r"url\(['\"]?((?!data:)[^'\")]*)",
                               sheet.read_text("utf-8")):
            if link.startswith("/") or not (sheet.parent / link).exists():
                findings.append(f"{sheet}: loads {link}")
    return findings


def sources(root):
    """Check links to files of the project in files outside the manual."""
    findings = []
    for path in (*root.glob("*.md"), root / "docs" / "README.md"):
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)",
                               path.read_text("utf-8")):
            if "://" not in link and not (path.parent / link).exists():
                findings.append(f"{path}: {link}: no such file")
    return findings


def unknown_words(text, ours):
    """Return the words that neither aspell nor words.txt contains."""
    known = set(ours.read_text("utf-8").split())
    asked = subprocess.run(
        ["aspell", "list", "--lang=en", "--encoding=utf-8"], check=True,
        input=text, text=True, encoding="utf-8", capture_output=True)
    return {word.removesuffix("'s") for word in asked.stdout.split()} - known


def spelling(pages, ours):
    texts = {path: NO_WORD.sub(" ", " ".join(page.words))
             for path, page in pages.items()}
    unknown = unknown_words("\n".join(texts.values()), ours)
    findings = []
    for word in sorted(unknown):
        first = next((path for path, text in texts.items()
                      if re.search(rf"\b{re.escape(word)}\b", text)), "")
        findings.append(f"{first}: {word}: not in the dictionary; correct it, "
                        "or add it to docs/words.txt")
    return findings


def run(root, folder, ours):
    """Return findings about the manual in the folder, as lines."""
    pages = {path.resolve(): Page(path.read_text("utf-8"))
             for path in sorted(pathlib.Path(folder).rglob("*.html"))
             if path.name not in ("genindex.html",)}
    prose = {path: page for path, page in pages.items()
             if path.name != "search.html"}
    return [*links(pages, pathlib.Path(folder)), *sources(root),
            *spelling(prose, ours)]
