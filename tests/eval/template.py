#!/usr/bin/python3
"""Train what `auto` makes of the other pages of a template, and say how good
it is on sites that have trained none of it.

usage: template.py [BUILD] [--out DIR]

Writes DIR/auto-template.model (default: conf/models): a forest that is added
to the log odds of the page alone, which come from models that never saw the
site (template_pages.py), so that it does not learn to trust them too much. It
has the sites of crawl-to-the-future, daniel and of four Apache projects, viewed
by samples of 2, 3, 5, 10 and 25 pages at once.

The figures are word F1 by the threshold of conf/models/auto-choice.model. A
site is scored by a forest that was trained without it, in all years and sets;
big9 trains nothing. The recipe, TRUST and the weights of sites were chosen from
some seventy settings by the same sites, dealt into eight folds. df_plus.py says
what df+ reaches. BUILD (default: build/release) must have templatectl,
tests/eval/passage_table and template_table. The figures go to
build/eval/TEMPLATE.md too.
"""

import argparse
import collections
import dataclasses
import datetime
import pathlib
import re
import sys

import numpy
import xgboost

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import decision  # noqa: E402
import evidence  # noqa: E402
import forest_check  # noqa: E402
import forest_model  # noqa: E402
import template_pages  # noqa: E402
import training  # noqa: E402

RECIPE = training.Recipe(trees=60, depth=4, eta=0.1, columns=0.5,
                         min_child_weight=100.0, total_weight=60_000.0,
                         rows=400_000)
LAMBDA = 10.0
# A site counts by its pages to this power: news sites have 5 to 100.
POWER = 0.25
# Sites of documentation are few.
WEIGHTS = dict.fromkeys(template_pages.SNAPSHOTS, 5.0)
# extract/auto/auto_template.c
TRUST = float(re.search(r"trust = ([0-9.]+)F;", (
    common.ROOT / "extract/auto/auto_template.c").read_text("utf-8"))[1])
# extract/auto/labels.c
MANY = numpy.float32(1 / 3)
MANY_PAGES = 2
DATES = 0.5
HARM = 0.005
BAD = 0.9


def threshold():
    text = (common.ROOT / "conf/models/auto-choice.model").read_text("utf-8")
    return float(re.search(r"DEFAULT_VALUE\(threshold, ([0-9.]+)\)", text)[1])


class Trainer:
    """Of template_pages.Pages and their evidence. weight, target and site of
    each view."""

    def __init__(self, made, table):
        corpus = dataclasses.replace(
            made.corpus, weight=numpy.ones(len(made.corpus.files)))
        weight, target = training.weights(corpus, made.scores)
        page = corpus.page_of[table.passage]
        self.table = table
        self.site = corpus.domains[page]
        self.weight = weight[table.passage] * weights_of(made)[page]
        self.target = target[table.passage]

    def without(self, site):
        """A booster that corrects the odds of the page alone."""
        weight = numpy.where(self.site == site, 0, self.weight)
        used, cost = training.draw(weight, RECIPE.rows, RECIPE.seed)
        data = xgboost.DMatrix(
            self.table.rows[used], label=self.target[used],
            weight=cost * (RECIPE.total_weight / cost.sum()),
            base_margin=self.table.column("odds")[used],
            nthread=training.THREADS)
        return xgboost.train({**RECIPE.parameters(), "reg_lambda": LAMBDA},
                             data, RECIPE.trees)

    def scores(self, booster, where):
        """Of some views [views]."""
        margin = booster.predict(
            xgboost.DMatrix(self.table.rows[where], nthread=training.THREADS),
            output_margin=True)
        trust = TRUST * numpy.sqrt(numpy.maximum(
            self.table.column("slot_presence")[where],
            self.table.column("frequency")[where]))
        odds = self.table.column("odds")[where]
        return self.limited(where, 1 / (1 + numpy.exp(-odds)),
                            1 / (1 + numpy.exp(-odds - trust * margin)))

    def limited(self, where, alone, scores):
        """As extract/auto/labels.c does it; but here a label that many pages
        contain has its score, because the table does not say what it
        labels."""
        frequency = self.table.column("frequency")[where]
        others = numpy.expm1(self.table.column("others")[where])
        is_many = (frequency > MANY) & \
            (numpy.rint(frequency * others) >= MANY_PAGES)
        is_label = numpy.rint(numpy.expm1(self.table.column("words")[where])) \
            < decision.MIN_REPEATED_WORDS
        own = numpy.where(self.table.column("slot_dates")[where] > DATES,
                          alone, numpy.maximum(alone, scores))
        return numpy.where(
            is_many & is_label, scores,
            numpy.where(is_many, numpy.minimum(alone, scores), own))

    def left_out(self, final):
        """[views]: scores by the forest that has not seen the site."""
        scores = numpy.zeros(len(self.site), numpy.float32)
        trained = set(self.site[self.weight > 0])
        for site in sorted(set(self.site)):
            where = numpy.flatnonzero(self.site == site)
            booster = self.without(site) if site in trained else final
            scores[where] = self.scores(booster, where)
        return scores


def weights_of(made):
    """[pages]: 0 for those that train nothing."""
    corpus = made.corpus
    weight = numpy.zeros(len(corpus.files))
    numbers = [page for (name, *_), pages in made.groups.items()
               if name in template_pages.TRAINING for page in pages]
    count = collections.Counter(corpus.domains[numbers])
    for page in numbers:
        weight[page] = count[corpus.domains[page]] ** (POWER - 1) * \
            WEIGHTS.get(str(corpus.sets[page]), 1.0)
    return weight


def f1_of(made, scores, pages):
    """{page: F1}."""
    corpus, limit, found = made.corpus, threshold(), {}
    for number in pages:
        page = corpus.pages[number]
        shown = page.choose(scores[corpus.slices[number]], limit)
        found[number] = decision.f_score(*page.precision_recall(shown))
    return {number: float(f1) for number, f1 in found.items()}


def by_size(made, table, scores, alone):
    """{size: {page: F1}}; a page that has no evidence is that alone."""
    found = {}
    for size in evidence.SIZES:
        views = table.size == size
        mixed = made.scores.copy()
        mixed[table.passage[views]] = scores[views]
        seen = set(made.corpus.page_of[table.passage[views]].tolist())
        found[size] = {**alone, **f1_of(made, mixed, seen & alone.keys())}
    return found


def mean(f1, pages):
    return sum(f1[page] for page in pages) / len(pages)


def sets_of(made):
    """{name: its pages}; the Apache sites are sets."""
    found = collections.defaultdict(list)
    for (name, *_), pages in made.groups.items():
        found[name] += pages
    return found


def show_curve(report, made, alone, found):
    report.table("Word F1 by the pages known, sites left out", "set", "pages",
                 "page alone", *map(str, evidence.SIZES))
    for name, pages in sets_of(made).items():
        report.row(name, len(pages), mean(alone, pages),
                   *(mean(found[size], pages) for size in evidence.SIZES))


def show_worst(report, made, alone, found):
    report.table("What the template does to a group (a site, of a year)",
                 "pages known", "groups", f"better by over {HARM}",
                 f"worse by over {HARM}", "worst", "by")
    for size in evidence.SIZES:
        moves = sorted(
            (mean(found[size], pages) - mean(alone, pages), " ".join(group))
            for group, pages in made.groups.items())
        report.row(size, len(moves), sum(move > HARM for move, _ in moves),
                   sum(move < -HARM for move, _ in moves), moves[0][1],
                   moves[0][0])


def show_pages(report, made, alone, f1):
    """Pages, and what the template does for those that were bad alone."""
    report.table("Pages, 25 known", "set", f"better by over {HARM}",
                 f"worse by over {HARM}", "alone under .9", "the same pages",
                 "by the template")
    for name, pages in sets_of(made).items():
        bad = [page for page in pages if alone[page] < BAD] or pages
        report.row(name, sum(f1[page] > alone[page] + HARM for page in pages),
                   sum(f1[page] < alone[page] - HARM for page in pages),
                   len(bad), mean(alone, bad), mean(f1, bad))


def show_groups(report, made, alone, f1):
    report.table("By site and year, 25 pages known", "set", "site", "year",
                 "pages", "page alone", "template", "difference")
    for group, pages in sorted(made.groups.items()):
        before, after = mean(alone, pages), mean(f1, pages)
        report.row(*group, len(pages), before, after, f"{after - before:+.4f}")


def write(report, folder, table, booster, made):
    folder.mkdir(parents=True, exist_ok=True)
    pages = sum(len(pages) for (name, *_), pages in made.groups.items()
                if name in template_pages.TRAINING)
    forest_model.write(folder / "auto-template.model", booster, table.names, [
        "Data: crawl-to-the-future, daniel and the Apache projects flink, "
        "jena, rocketmq and sling: NOTICE.",
        f"Trained by tests/eval/template.py on "
        f"{datetime.date.today().isoformat()}: {pages} pages, {RECIPE}, "
        f"lambda {LAMBDA:g}, added to the odds of the page alone."])
    stage = forest_check.Rows(table.names, table.names, table.rows, booster)
    forest_check.run(report, folder, [("template", stage)])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path,
                        default=common.ROOT / "conf" / "models")
    options = parser.parse_args()
    if not common.has_data():
        return 0
    report = common.Report()
    report.say("# Training of what a template says")
    made = template_pages.load(options.build / "tests/eval/passage_table")
    table = evidence.table(options.build, made)
    trainer = Trainer(made, table)
    final = trainer.without(None)
    alone = f1_of(made, made.scores,
                  [page for pages in made.groups.values() for page in pages])
    found = by_size(made, table, trainer.left_out(final), alone)
    show_curve(report, made, alone, found)
    show_worst(report, made, alone, found)
    show_pages(report, made, alone, found[evidence.SIZES[-1]])
    show_groups(report, made, alone, found[evidence.SIZES[-1]])
    write(report, options.out, table, final, made)
    report.write(common.OUT / "TEMPLATE.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
