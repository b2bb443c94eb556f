#!/usr/bin/env python3
"""How right the fields of pages are: found, taught, and after a redesign.

usage: fields.py FOLDER [BUILD] [--half dev|test] [--referee FILE]
                 [--keep FOLDER]

FOLDER holds sites/<site>/{pages,gold.tsv} and redesigns/<case>/{before,after},
each as a site; one of both may be missing. BUILD is a build folder (default:
build/release). The referee is fields.py of ../shared/tools, or that of
$TEMPLATED_DATA; it chooses the examples and scores the answers. --keep keeps
the answers and the logs of field_table, which tell the chosen places. --half
measures one half of the folders only, and of `test` it prints the means and
no more: who improves the program may look at `dev`.

`recall` is the ratio of the fields that one of the first 20 columns has with
F1 >= 0.9, without an example; `named` the ratio of these whose name is right;
the numbers are numbers of examples. `learn` is the time to align all pages and
to read their columns, `apply` that to read the fields of a page. `stale` are
the values that the fields of `before` give on the pages of `after` and that are
not in the gold: there should be none.
"""

import argparse
import hashlib
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

COLUMNS = 20    # that a reader looks at
EXAMPLES = (1, 3)
REDESIGN_EXAMPLES = 3
GOOD = 0.9      # F1 of a field that is right
# As the referee compares: no white space or invisible characters.
SPACE = re.compile(r"[\s\u00a0\u200b-\u200f\u2060\ufeff]+")


def folded(text):
    text = html.unescape(html.unescape(text))
    return SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


class Referee:
    def __init__(self, program, table, folder):
        self.program, self.table, self.folder = program, table, folder

    def examples(self, site, count):
        """A file of examples for field_table."""
        path = self.folder / f"{site.parent.name}-{site.name}-{count}.tsv"
        lines = common.call(sys.executable, self.program, "--examples", count,
                            site).splitlines()
        rows = [(o["page"], field, value) for o in map(json.loads, lines)
                for field, values in o["fields"].items() for value in values]
        path.write_text("".join("\t".join(row) + "\n" for row in rows),
                        "utf-8")
        return path

    def answer(self, name, *arguments):
        """Run field_table; return its answers, a file, and its log."""
        answers = self.folder / f"{name}.jsonl"
        log = self.folder / f"{name}.log"
        with answers.open("wb") as out, log.open("wb") as err:
            done = subprocess.run(
                [str(a) for a in (self.table, *arguments)], stdout=out,
                stderr=err, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print(f"{name}: field_table failed: {done.returncode}")
        return answers, log.read_text("utf-8", "replace")

    def score(self, gold, answers, *arguments):
        return json.loads(common.call(
            sys.executable, self.program, gold, answers, "--json",
            *arguments))["sites"][0]


def folders(path):
    return sorted(p for p in path.iterdir() if p.is_dir()) \
        if path.is_dir() else []


def half_of(paths, half):
    """The sites of a half, by the first digit of the SHA-1 of the name; of
    the redesigns, which are few, every second one is `dev`."""
    odd = [hashlib.sha1(path.name.encode()).digest()[0] >> 4 & 1
           if path.parent.name == "sites" else place % 2
           for place, path in enumerate(paths)]
    return [path for path, is_odd in zip(paths, odd)
            if half is None or (half == "test") == bool(is_odd)]


def times_of(log):
    """(ms to learn all pages, ms to read the fields of a page)"""
    learn = re.findall(r"columns; (\d+) \+ (\d+) ms", log)
    apply = re.search(r"([\d.]+) ms a page", log)
    return (sum(int(a) + int(b) for a, b in learn),
            float(apply.group(1)) if apply else 0.0)


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def print_table(head, rows):
    width = [max(len(str(row[i])) for row in [head, *rows])
             for i in range(len(head))]
    for row in (head, *rows):
        print("  ".join(str(cell).ljust(width[i]) if i == 0 else
                        str(cell).rjust(width[i])
                        for i, cell in enumerate(row)).rstrip())


def number(value):
    return f"{value:.3f}"


def field_rows(site, found, taught):
    """A row of each field: its F1 in each way, and its column's name."""
    for row in found["fields"]:
        same = [next(r for r in o["fields"] if r["field"] == row["field"])
                for o in taught]
        name = row["column"] or "-"
        if row["column"] and not row["named"]:
            name += " (badly named)"
        if row["constant"]:
            name += " (constant)"
        yield (f"{site} {row['field']}", row["values"], number(row["f1"]),
               *(number(r["f1"]) for r in same), name)


def measure_sites(referee, sites):
    rows, fields = [], []
    for site in sites:
        answers, log = referee.answer(f"{site.name}-found", site / "pages")
        found = referee.score(site, answers, "--unnamed", "--at", COLUMNS)
        taught = []
        for count in EXAMPLES:
            file = referee.examples(site, count)
            answers, log = referee.answer(f"{site.name}-{count}",
                                          site / "pages", file)
            taught.append(referee.score(site, answers, "--taught", count))
        rows.append((site.name, found["pages"], found["good"],
                     found["well_named"], *(o["f1"] for o in taught),
                     *times_of(log)))
        fields += field_rows(site.name, found, taught)
    return rows, fields


def print_sites(rows, fields, total_only):
    head = ("site", "pages", "recall", "named",
            *(f"F1 of {n}" for n in EXAMPLES), "learn ms", "apply ms")
    shown = [(name, pages, *map(number, ratios), learn, number(apply))
             for name, pages, *ratios, learn, apply in rows]
    total = ["mean", sum(row[1] for row in rows)]
    total += [number(mean(row[i] for row in rows))
              for i in range(2, 4 + len(EXAMPLES))]
    total += [sum(row[-2] for row in rows),
              number(mean(row[-1] for row in rows))]
    print_table(head, [total] if total_only else [*shown, total])
    if total_only:
        return
    print()
    print_table(("field", "values", "found",
                 *(f"F1 of {n}" for n in EXAMPLES), "column"), fields)


def gold_of(site):
    values = {}
    for line in (site / "gold.tsv").read_text("utf-8").splitlines():
        page, field, value = line.split("\t")
        values.setdefault((page, field), set()).add(folded(value))
    return values


def count_wrong(site, answers):
    """(wrong values, all values) of the fields that the gold knows."""
    gold = gold_of(site)
    fields = {field for _, field in gold}
    wrong = given = 0
    for line in answers.read_text("utf-8").splitlines():
        page = json.loads(line)
        for field in fields & set(page.get("fields", ())):
            values = {folded(value) for value in page["fields"][field]}
            right = gold.get((page["page"], field), set())
            wrong += len(values - right)
            given += len(values)
    return wrong, given


def measure_redesigns(referee, cases):
    rows, fields = [], []
    for case in cases:
        before, after = case / "before", case / "after"
        file = referee.examples(before, REDESIGN_EXAMPLES)
        file = file.rename(file.with_name(f"{case.name}.tsv"))
        answers, log = referee.answer(f"{case.name}-before",
                                      before / "pages", file)
        old = referee.score(before, answers, "--taught", REDESIGN_EXAMPLES)
        answers, log = referee.answer(f"{case.name}-healed", before / "pages",
                                      file, after / "pages")
        healed = referee.score(after, answers, "--taught", REDESIGN_EXAMPLES)
        answers, _ = referee.answer(f"{case.name}-stale", before / "pages",
                                    file, after / "pages", "-")
        wrong, given = count_wrong(after, answers)
        lost = sum(row["f1"] < GOOD for row in healed["fields"])
        rows.append((case.name, healed["pages"], old["f1"], healed["f1"],
                     lost, wrong, given, times_of(log)[0]))
        fields += [(f"{case.name} {new['field']}", new["values"],
                    number(was["f1"]), number(new["f1"]), number(new["p"]),
                    number(new["r"]))
                   for was, new in zip(old["fields"], healed["fields"])]
    return rows, fields


def print_redesigns(rows, fields, total_only):
    head = ("redesign", "pages", "before", "after", "lost", "stale",
            "of values", "learn ms")
    shown = [(name, pages, number(old), number(new), *counts)
             for name, pages, old, new, *counts in rows]
    total = ("mean or sum", sum(row[1] for row in rows),
             *(number(mean(row[i] for row in rows)) for i in (2, 3)),
             *(sum(row[i] for row in rows) for i in range(4, len(head))))
    print()
    print_table(head, [total] if total_only else [*shown, total])
    if not total_only:
        print()
        print_table(("field", "values", "before", "after", "P", "R"), fields)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--referee", type=pathlib.Path,
                        default=common.DATA / "tools" / "fields.py")
    parser.add_argument("--half", choices=("dev", "test"))
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.referee.exists():
        print(f"skipped: there is no {arguments.referee}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        keep = arguments.keep or pathlib.Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        referee = Referee(
            arguments.referee,
            arguments.build.resolve() / "tests" / "eval" / "field_table", keep)
        total_only = arguments.half == "test"
        sites, cases = (half_of(folders(arguments.folder / kind),
                                arguments.half)
                        for kind in ("sites", "redesigns"))
        if sites:
            print_sites(*measure_sites(referee, sites), total_only)
        if cases:
            print_redesigns(*measure_redesigns(referee, cases), total_only)


if __name__ == "__main__":
    main()
