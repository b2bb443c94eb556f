#!/usr/bin/env python3
"""Our Markdown against that of wcxb-dev, both parsed again.

usage: markdown.py [BUILD [METHOD...]]

Both are read by cmark-gfm (Debian: cmark-gfm, python3-lxml), so that only what
a parser of CommonMark sees counts. Of every page the headings (with their
level), items of lists, blocks of code, cells of tables and links (with their
address) are compared as multisets of words: macro means over the pages where
one of both has any. What is missed is split: its words were not kept (the
method's doing), or they were, as something else (the renderer's, or the page
says otherwise than the gold). `all` is the word F1 of the rendered text.
Methods: accb, or those that are named.
"""

import collections
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import urllib.parse

import lxml.html

import common
import goldsets

KINDS = ("heading", "item", "code", "cell", "link")
HEADINGS = {f"h{level}": level for level in range(1, 7)}


def words_of(score, element, without=()):
    """The words of an element, but for those of the elements `without`."""
    parts = []

    def visit(node):
        if node.tag in without and node is not element:
            parts.append(" ")
        else:
            parts.append(node.text or "")
            for child in node:
                visit(child)
                parts.append(child.tail or "")
            if node.tag not in ("a", "em", "strong", "code", "img", "sub",
                                "sup"):
                parts.append(" ")

    visit(element)
    return tuple(score.words("".join(parts)))


def address(href, base):
    """An address without what makes no difference to where it leads."""
    try:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin(base, href))
        path = urllib.parse.unquote(parts.path).rstrip("/")
        return parts.netloc.lower(), path, urllib.parse.unquote(parts.query)
    except ValueError:
        return href


def read(score, path, url):
    """{kind: Counter of its parts} of a Markdown file, and all its words."""
    html = common.call("cmark-gfm", "--unsafe", "-e", "table", "-t", "html",
                       path)
    parts = {kind: collections.Counter() for kind in KINDS}
    if not html.strip():
        return parts, []
    tree = lxml.html.fragment_fromstring(html, create_parent="div")
    for element in tree.iter(lxml.etree.Element):
        tag = element.tag
        if tag in HEADINGS:
            found = "heading", (HEADINGS[tag], words_of(score, element))
        elif tag == "li":
            found = "item", words_of(score, element, ("ul", "ol"))
        elif tag == "pre":
            found = "code", words_of(score, element)
        elif tag in ("td", "th"):
            found = "cell", words_of(score, element)
        elif tag == "a":
            found = "link", (address(element.get("href", ""), url),
                             words_of(score, element))
        else:
            continue
        if found[1] and found[1][-1]:
            parts[found[0]][found[1]] += 1
    return parts, list(words_of(score, tree))


def missed(parts, kept, kind, totals):
    """Count what of the gold was missed, and whether its words were kept."""
    joined = " " + " ".join(kept) + " "
    for part, count in parts.items():
        text = part[-1] if kind in ("heading", "link") else part
        is_kept = f" {' '.join(text)} " in joined
        totals[kind, "kept" if is_kept else "dropped"] += count


def score_page(score, page, method, ctl, folder):
    """(page's F1 of each kind, what it missed)."""
    data = common.DATA / "data" / "wcxb-dev"
    gold, gold_words = read(score, data / "markdown" / f"{page['id']}.md",
                            page["url"])
    path = folder / f"{page['id']}.md"
    path.write_text(common.call(
        ctl, "extract", "--method", method, "--format", "md", "--url",
        page["url"], data / "html" / f"{page['id']}.html.gz",
        may_fail=True), "utf-8")
    ours, our_words = read(score, path, page["url"])
    totals = collections.Counter()
    rows = {"all": score.prf(score.bag(gold_words, our_words),
                             len(our_words), len(gold_words))}
    for kind in KINDS:
        counts = [sum(parts[kind].values()) for parts in (ours, gold)]
        if any(counts):
            both = sum((ours[kind] & gold[kind]).values())
            rows[kind] = score.prf(both, *counts)
        missed(gold[kind] - ours[kind], our_words, kind, totals)
        totals[kind, "gold"] += counts[1]
        totals[kind, "ours"] += counts[0]
    return rows, totals


def evaluate(report, ctl, method):
    score = goldsets.referee(common.DATA)
    data = common.DATA / "data" / "wcxb-dev"
    pages = [json.loads(line) for line in
             (data / "pages.jsonl").read_text("utf-8").splitlines()]
    pages = [page for page in pages
             if (data / "markdown" / f"{page['id']}.md").exists()]
    sums = collections.defaultdict(list)
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        for rows, counts in pool.map(
                lambda page: score_page(score, page, method, ctl,
                                        pathlib.Path(folder)), pages):
            totals += counts
            for kind, row in rows.items():
                sums[kind].append(row)
    report.table(f"Markdown, {method}: {len(pages)} pages of wcxb-dev",
                 "part", "pages", "P", "R", "F1", "ours", "gold",
                 "missed: dropped", "missed: kept as something else")
    for kind in ("all", *KINDS):
        rows = sums[kind]
        mean = [sum(row[i] for row in rows) / len(rows) for i in range(3)]
        report.row(kind, len(rows), *mean, *(
            totals[kind, column]
            for column in ("ours", "gold", "dropped", "kept")))


def main():
    if not common.has_data():
        return
    report = common.Report()
    ctl = common.build_folder() / "daemon" / "templatectl"
    for method in sys.argv[2:] or ("accb",):
        evaluate(report, ctl, method)


if __name__ == "__main__":
    main()
