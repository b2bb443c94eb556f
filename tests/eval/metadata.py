#!/usr/bin/env python3
"""How right the metadata of pages is: title, author and date of wcxb-dev.

usage: metadata.py [BUILD] [--pages even|odd|all] [--errors N]

The rules of extract/metadata/ were found on the pages of odd number; the first
ones that lowered a figure of those of even number, the default, were left out.
BUILD is a build folder (default: build/release); the data is that of
../shared, or $TEMPLATED_DATA.

A title is right when it is the gold's but for case, white space and
punctuation; authors when they are the same set of names; a date when it is the
same day (that of publication, or where the page tells none, of the last
change; the gold does not tell them apart, so `date or change` counts either of
them as right). `right` is the ratio of the pages
whose gold has one, `given` the ratio of these for which there is an answer,
`precise` the ratio of the given that is right, `extra` the pages without one in
the gold for which there is an answer. --errors prints as many wrong ones of
each field, by how often their kind occurs.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import unicodedata

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

COLUMNS = ("path", "title", "title_source", "author", "author_source",
           "published", "published_source", "modified", "modified_source",
           "type", "type_source", "site", "site_source", "language",
           "language_source")
FIELDS = ("title", "author", "date")
# Kinds of the gold that the page types of the program name otherwise.
SAME_KIND = {"listing": "collection"}


def folded(text):
    text = unicodedata.normalize("NFKC", text or "").casefold()
    return re.sub(r"[\W_]+", "", text)


def names(text):
    parts = re.split(r"[,;&|]|\band\b", text or "")
    return frozenset(filter(None, map(folded, parts)))


RIGHT = {
    "title": lambda gold, given: folded(gold) == folded(given),
    "author": lambda gold, given: names(gold) == names(given),
    "date": lambda gold, given: gold == given[:len(gold)],
}


def kind_of_error(field, gold, given):
    """In what the answer differs, in two or three words."""
    if not given:
        return "none given"
    if not gold:
        return "none in the gold"
    if field == "title":
        a, b = folded(gold), folded(given)
        return ("more than the gold" if a in b else
                "less than the gold" if b in a else "another")
    if field == "author":
        a, b = names(gold), names(given)
        return ("some of them" if b < a else "more than them" if a < b else
                "another")
    return "later" if given > gold else "earlier"


def read_gold(which):
    pages = {}
    with open(common.DATA / "data" / "wcxb-dev" / "pages.jsonl",
              encoding="utf-8") as file:
        for line in file:
            page = json.loads(line)
            if which == "all" or (int(page["id"]) % 2 == 1) == (
                    which == "odd"):
                pages[page["id"]] = page
    return pages


def read_metadata(build, pages):
    """{id: {column: value}}"""
    folder = common.DATA / "data" / "wcxb-dev" / "html"
    lines = "".join(f"{folder / page}.html.gz\t{row['url'] or ''}\n"
                    for page, row in pages.items())
    table = subprocess.run([build / "tests" / "eval" / "metadata_table"],
                           input=lines, capture_output=True, text=True,
                           check=True).stdout
    given = {}
    for line in table.splitlines():
        row = dict(zip(COLUMNS, line.split("\t")))
        row["date"] = row["published"] or row["modified"]
        row["date_source"] = row["published_source"] or row["modified_source"]
        given[pathlib.Path(row["path"]).name.partition(".")[0]] = row
    return given


def figures(field, pages, given):
    """Gold, right, given, precise, extra."""
    asked = [page for page in pages if pages[page][field]]
    answered = [page for page in asked if given[page][field]]
    right = sum(RIGHT[field](pages[page][field], given[page][field])
                for page in answered)
    extra = sum(bool(given[page][field]) for page in pages
                if not pages[page][field])
    return (len(asked), right / max(1, len(asked)),
            len(answered) / max(1, len(asked)),
            right / max(1, len(answered)), extra)


def either_date(pages, given):
    """`given`, with the date of the last change where that is the gold's."""
    return {key: row | {"date": row["modified"]}
            if pages[key]["date"] and RIGHT["date"](pages[key]["date"],
                                                    row["modified"]) else row
            for key, row in given.items()}


def tables(report, pages, given):
    types = sorted({page["type"] for page in pages.values()})
    report.table("Metadata: title, author, date", "field", "pages", "gold",
                 "right", "given", "precise", "extra")
    for field in FIELDS:
        for name in ("all", *types):
            some = {key: page for key, page in pages.items()
                    if name in ("all", page["type"])}
            report.row(field, name, *figures(field, some, given))
    report.row("date or change", "all",
               *figures("date", pages, either_date(pages, given)))
    report.table("Metadata: by the source of the answer", "field", "source",
                 "given", "precise")
    for field in FIELDS:
        sources = collections.defaultdict(list)
        for key, page in pages.items():
            if page[field] and given[key][field]:
                sources[given[key][field + "_source"]].append(
                    RIGHT[field](page[field], given[key][field]))
        for source, rights in sorted(sources.items()):
            report.row(field, source, len(rights), sum(rights) / len(rights))
    report.table("Metadata: page type", "gold", "pages", "given", "precise")
    for name in types:
        some = [given[key]["type"] for key in pages
                if pages[key]["type"] == name]
        answers = [kind for kind in some if kind]
        right = sum(kind == SAME_KIND.get(name, name) for kind in answers)
        report.row(name, len(some), len(answers) / len(some),
                   right / max(1, len(answers)))


def errors(report, pages, given, count):
    for field in FIELDS:
        wrong = collections.defaultdict(list)
        for key, page in pages.items():
            gold, answer = page[field] or "", given[key][field]
            if (gold or answer) and not (
                    gold and answer and RIGHT[field](gold, answer)):
                wrong[kind_of_error(field, gold, answer)].append(
                    (key, page["type"], gold, answer,
                     given[key][field + "_source"]))
        report.table(f"Metadata: wrong {field}s", "error", "pages", "page",
                     "type", "gold", "answer", "source")
        for kind, rows in sorted(wrong.items(), key=lambda r: -len(r[1])):
            for row in rows[:count]:
                report.row(kind, len(rows), *(
                    str(cell).replace("|", "/")[:80] for cell in row))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--pages", choices=("even", "odd", "all"),
                        default="even")
    parser.add_argument("--errors", type=int, default=0, metavar="N")
    options = parser.parse_args()
    if not common.has_data():
        return 0
    pages = read_gold(options.pages)
    given = read_metadata(options.build, pages)
    report = common.Report()
    report.say(f"Pages of wcxb-dev: {options.pages} ({len(pages)})")
    tables(report, pages, given)
    if options.errors:
        errors(report, pages, given, options.errors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
