#!/usr/bin/env python3
"""Labels that one template prints, and labels that several print.

usage: equivalences.py

Labels are kinds of pages by the word of a generator. equivalences.tsv says
what was seen in the pages themselves: two labels are one template where both
have the same frame and the same slots in the same arrangement, so that one
form with parts that are optional or repeated printed them; a label is several
where the main areas of its pages have other containers.

    site    as of ../shared/data
    kind    several: pages of the labels whose path matches get another name;
            one: all of the labels, those names among them, get it
    paths   a regular expression; with `one` it may be empty, for all pages
    name    any, or a label: with `several` pages join it
    seen    in a few words
    page, other  an example of each side

Run as a program this holds the table against the data and counts the labels.
"""

import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
Row = collections.namedtuple(
    "Row", "site kind labels paths name seen page other")


def read(table=TABLE):
    """{site: its rows, first those of `several`}."""
    rows = collections.defaultdict(list)
    for line in table.read_text("utf-8").splitlines()[1:]:
        row = Row(*line.split("\t"))
        rows[row.site].append(row._replace(labels=row.labels.split()))
    for own in rows.values():
        own.sort(key=lambda row: row.kind != "several")
    return rows


def is_meant(row, path, label):
    return label in row.labels and bool(re.search(row.paths, path))


def apply(rows, label_of):
    """{path: label} as the rows of a site have it."""
    found = dict(label_of)
    for row in rows:
        for path, label in found.items():
            if is_meant(row, path, label):
                found[path] = row.name
    return found


def findings(rows, label_of):
    """What is wrong with the rows of a site that has these labels."""
    wrong, found = [], dict(label_of)
    for row in rows:
        names = set(found.values())
        wrong += [f"there is no label {label}" for label in row.labels
                  if label not in names]
        meant = {path for path, label in found.items()
                 if is_meant(row, path, label)}
        if row.kind not in ("one", "several"):
            wrong.append(f"{row.kind}: neither one nor several")
        if not meant:
            wrong.append(f"{row.paths}: no page of {row.labels[0]}")
        if row.page not in meant:
            wrong.append(f"{row.page}: not of {row.labels[0]}, {row.paths}")
        if found.get(row.other) is None or \
                (row.other in meant) != (row.kind == "one"):
            wrong.append(f"{row.other}: no example of the other side")
        found = apply([row], found)
    return [f"{TABLE.name}: {rows[0].site}: {finding}" for finding in wrong]


def labels_of(folder):
    """{path: label} of the data of a site."""
    rows = (folder / "labels.tsv").read_text("utf-8").splitlines()
    return {path: label for path, label, *_ in
            (row.split("\t") for row in rows) if path != "path"}


def checked():
    """As read(); ends the program where the data has no such site or label."""
    table, sites = read(), common.labelled_sites()
    wrong = [f"{TABLE.name}: there is no site {site}"
             for site in table if site not in sites]
    for site in table.keys() & sites:
        wrong += findings(table[site], labels_of(common.unpack(site)))
    if wrong:
        sys.exit("\n".join(wrong))
    return table


def main():
    if not common.has_data():
        return 0
    report = common.Report()
    report.table("Labels, and what is left of them", "site", "as given",
                 "with equivalences")
    for site, rows in checked().items():
        label_of = labels_of(common.unpack(site))
        report.row(site, *(len(set(labels.values())) for labels in (
            label_of, apply(rows, label_of))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
