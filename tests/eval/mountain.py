#!/usr/bin/env python3
"""The figures of the method `mountain` and of its models, as tables.

usage: mountain.py [--grid] [--programs DIR] [--shared DIR] [--cache DIR]

The universal model (conf/models/mountain.model) is trained on wcxb-dev by

    templatectl train mountain --gold SHARED/data/wcxb-dev/gold \\
        --out conf/models/mountain.model \\
        --note "data: the development split of WCXB v1.0 (Murrough Foley, Web \\
    Content eXtraction Benchmark, 2026), CC-BY-4.0" SHARED/data/wcxb-dev/html

so that its figure there is cross-validated: domains are dealt into five folds,
a model is trained on four of them and extracts the fifth. No other set was used
for it. A page counts by the word F1 of score.py, a set by the mean of its pages.

A site's own model is trained on ten pages of the site and year, spread evenly,
and tested on the others, beside the universal one and `accb` on the same pages.

--grid asks whether the source's window of 5 cells, span of 5 and peak factor of
3 are near the best here: cross-validated, one parameter at a time.
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import choose  # noqa: E402 (nothing is written beside the sources)
import goldsets  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAINING_PAGES = 10
GRID = (("window", (1, 3, 7, 9)), ("span", (3, 8)), ("peak", (1, 2, 4, 5)),
        ("blank", (100, 200)))

mean = choose.mean


class Ctl:
    """templatectl on pages of a gold set; scores by the referee."""

    def __init__(self, options, scratch):
        self.program = options.programs / "daemon" / "templatectl"
        self.shared = options.shared
        self.scratch = scratch

    def call(self, *arguments):
        return subprocess.run([self.program, *arguments], check=False,
                              stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def train(self, gold, pages, settings=()):
        """The model of these pages; None when they have one kind of ridges."""
        model = self.scratch / "trained.model"
        done = self.call("train", "mountain", "--gold", gold.gold, "--out",
                         model, *settings, *files_of(gold, pages))
        return model if done.returncode == 0 else None

    def f1(self, gold, pages, *arguments):
        """{page: word F1}."""
        truth = goldsets.gold_words(self.shared, gold.gold)
        with tempfile.TemporaryDirectory(dir=self.scratch) as out:
            done = self.call("extract", *arguments, "--out", out,
                             *files_of(gold, pages))
            if done.returncode != 0:
                sys.exit(done.stderr)
            return {page: goldsets.word_score(
                self.shared, truth[page],
                goldsets.extracted_words(self.shared, out, page))[2]
                for page in pages}


def files_of(gold, pages):
    files = (gold.pages / f"{page}{ending}" for page in pages
             for ending in (".html", ".html.gz"))
    return [path for path in files if path.exists()]


def pages_of(ctl, gold):
    return sorted(goldsets.gold_words(ctl.shared, gold.gold))


def cross_validated(ctl, gold, folds, setting=()):
    """Word F1 of all pages, each by a model of the other folds."""
    settings = [f"--param={name}={value}" for name, value in setting]
    f1 = {}
    for fold in range(choose.FOLDS):
        inside, outside = [], []
        for page in pages_of(ctl, gold):
            is_inside = folds[gold.domains[page]] == fold
            (inside if is_inside else outside).append(page)
        model = ctl.train(gold, outside, settings)
        f1.update(ctl.f1(gold, inside, "--method", "mountain", "--model",
                         model, *settings))
    return mean(f1.values())


def universal(ctl, sets, folds):
    print("The universal model, word F1")
    choose.head("set", "pages", "plain", "accb", "mountain", "")
    for gold in sets:
        pages = pages_of(ctl, gold)
        row = [mean(ctl.f1(gold, pages, "--method", method).values())
               for method in ("plain", "accb", "mountain")]
        choose.row(gold.name, len(pages), *row,
                   "trained on it" if gold.name == "wcxb-dev"
                   else "untouched")
        if gold.name == "wcxb-dev":
            row[2] = cross_validated(ctl, gold, folds)
            choose.row(gold.name, len(pages), *row,
                       "cross-validated by domain")


def grid(ctl, gold, folds):
    print("\nParameters on wcxb-dev, cross-validated by domain, word F1")
    choose.head("setting", "F1")
    choose.row("defaults", cross_validated(ctl, gold, folds))
    for name, values in GRID:
        for value in values:
            choose.row(f"{name}={value}",
                       cross_validated(ctl, gold, folds, ((name, value),)))


def site_oriented(ctl, gold):
    print(f"\nModels of a site's own, from {TRAINING_PAGES} pages, word F1 of "
          "its other pages")
    choose.head("site and year", "pages", "accb", "universal", "own")
    total = collections.defaultdict(list)
    for group, pages in sorted(goldsets.members(gold).items()):
        taken = {len(pages) * i // TRAINING_PAGES
                 for i in range(TRAINING_PAGES)}
        train = [page for i, page in enumerate(pages) if i in taken]
        test = [page for i, page in enumerate(pages) if i not in taken]
        model = ctl.train(gold, train)
        own = ("--model", model) if model else ()
        cells = []
        for name, arguments in (("accb", ("accb",)),
                                ("universal", ("mountain",)),
                                ("own", ("mountain", *own))):
            f1 = ctl.f1(gold, test, "--method", *arguments).values()
            total[name].extend(f1)
            cells.append(mean(f1))
        choose.row(group if model else f"{group} (no model)", len(test),
                   *cells)
    choose.row("all pages", len(total["own"]),
               *(mean(f1) for f1 in total.values()))


def main():
    data = os.environ.get("TEMPLATED_DATA", ROOT.parent / "shared")
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", action="store_true")
    for name, default in (("programs", ROOT / "build" / "release"),
                          ("shared", data),
                          ("cache", ROOT / "build" / "eval" / "data")):
        parser.add_argument(f"--{name}", type=pathlib.Path, default=default)
    options = parser.parse_args()
    if not (options.shared / "tools" / "score.py").exists():
        print(f"skipped: there is no data in {options.shared}; "
              "set --shared or TEMPLATED_DATA")
        return
    sets = goldsets.load(options.shared, options.cache)
    folds = choose.deal(sets)
    with tempfile.TemporaryDirectory() as scratch:
        ctl = Ctl(options, pathlib.Path(scratch))
        universal(ctl, sets, folds)
        site_oriented(ctl, sets[1])
        if options.grid:
            grid(ctl, sets[0], folds)


if __name__ == "__main__":
    main()
