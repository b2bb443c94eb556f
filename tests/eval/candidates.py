#!/usr/bin/env python3
"""candidates.py [BUILD]: when a redesign breaks a selector, is the right
candidate among the first three?

Every redesign of ../shared/data/history and ../shared/data/temporal whose pages
have the same path before and after. The program candidate_table takes elements
all over an old page, each with the best selector that holds on three old pages
or more, and prints those that break. A candidate is right when it selects what
the old selector did: on half of the pages that broke, the element with the very
text that was there before. Only selectors whose text is still somewhere count;
what became of the text is told, too.

Printed: a row a redesign (selectors that broke, of these with their text still
there, right first, right among three), then by kind of element. Nothing was
fitted: a weight of text between 0.4 and 0.85 gives the same figures. Without
data this says so.
"""

import collections
import subprocess
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

PAGES = 10
ELEMENTS = 200
LONG = 200  # bytes of a value: a container

Row = collections.namedtuple("Row", "selector varies fails possible place best"
                             " value")


def kind_of(row):
    last = row.selector.split(" ")[-1].split(">")[-1]
    name = last.split(":")[0].split(".")[0].split("[")[0]
    if name in ("h1", "h2", "h3", "h4", "title"):
        return "heading, title"
    if name in ("meta", "link", "img"):
        return "meta, link, img"
    if len(row.value.encode()) >= LONG:
        return "long text"
    if name == "a":
        return "link in text"
    return "other, varies" if row.varies == "1" else "other, constant"


def pages_of(folder):
    return {str(p.relative_to(folder)): p for p in folder.rglob("*.htm*")}


def pairs_of(before, after):
    """Pages that are there in both, spread over the names."""
    old, new = pages_of(before), pages_of(after)
    names = sorted(n for n in old.keys() & new.keys()
                   if old[n].read_bytes() != new[n].read_bytes())
    step = max(1, len(names) // PAGES)
    return [(old[n], new[n]) for n in names[step // 2::step][:PAGES]]


def archives(kind):
    return sorted(path.name.removesuffix(".tar.zst") for path in
                  (common.DATA / "data" / kind).glob("*.tar.zst"))


def redesigns():
    """(name, old folder, new folder) of each."""
    for name in archives("history"):
        if "redirects" not in name:
            folder = common.unpack(name)
            yield name, folder / "before", folder / "after"
    for name in archives("temporal"):
        folder = common.unpack(name)
        rows = (folder / "changes.tsv").read_text("utf-8").splitlines()[1:]
        for old, new, kind, *_ in (row.split("\t") for row in rows):
            if kind == "redesign":
                yield f"{name} {new}", folder / old, folder / new


def broken(program, pairs):
    """The table's rows."""
    lines = "".join(f"{old}\t{new}\n" for old, new in pairs)
    done = subprocess.run([str(program), str(ELEMENTS)], input=lines,
                          text=True, capture_output=True, check=True)
    return [Row(line[0], line[1], *map(int, line[2:5]), *line[5:])
            for line in (text.split("\t")
                         for text in done.stdout.splitlines())]


def counts(rows):
    """(broken, the text is there, right first, right among three)."""
    there = [row for row in rows if row.possible * 2 >= row.fails]
    return (len(rows), len(there), sum(row.place == 1 for row in there),
            sum(0 < row.place <= 3 for row in there))


def ratio(part, whole):
    return part / whole if whole else ""


def say(report, name, rows, *more):
    every, there, first, three = counts(rows)
    report.row(name, *more, every, there, ratio(first, there),
               ratio(three, there))


def mean(report, name, cases):
    ratios = [(ratio(first, there), ratio(three, there))
              for _, there, first, three in map(counts, cases) if there]
    if ratios:
        report.row(name, "", "", "",
                   *(sum(column) / len(ratios) for column in zip(*ratios)))


def tables(report, build):
    program = build / "tests" / "eval" / "candidate_table"
    cases = {}
    report.table("Candidates by redesign", "redesign", "pages", "broken",
                 "text there", "first", "first three")
    for name, old, new in redesigns():
        pairs = pairs_of(old, new)
        cases[name] = broken(program, pairs)
        say(report, name, cases[name], len(pairs))
    mean(report, "mean", cases.values())
    kinds = collections.defaultdict(list)
    for rows in cases.values():
        for row in rows:
            kinds[kind_of(row)].append(row)
    report.table("Candidates by kind", "kind", "broken", "text there", "first",
                 "first three")
    for kind in sorted(kinds):
        say(report, kind, kinds[kind])


def main():
    if not common.has_data():
        return
    report = common.Report()
    tables(report, common.build_folder())


if __name__ == "__main__":
    main()
