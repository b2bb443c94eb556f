#!/usr/bin/python3
"""Train the trees that judge merges, and say how good their threshold is.

usage: merges.py [BUILD] [--out FILE] [--test FOLDER]

The merges of every site of the data, and of the first, middle and last
snapshot of those that have several, as `templatectl cluster --report` tells
them, with the ratio of page pairs that have the same label. A site counts by
the mean of its snapshots, a family of F sites 1/sqrt(F) for each: what a
family is says the generator in the labels. For the figures the families are
dealt into ten folds; a site is cut by trees that saw no site of its family,
or, below 10 pages, by the links. The trees also learn from samples of 25, 60
and 150 pages of each site, because most sites are small when the daemon first
chooses. The trees learn the labels as they are given;
figures are told by those, and again with equivalences.tsv.
Then trees of all sites are written to FILE (default:
conf/models/merges.model).

--test: sites that train nothing, one in each folder below FOLDER, with a
labels.tsv as those of ../shared: cut by the trees of all others.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import sys

import numpy
import xgboost

sys.dont_write_bytecode = True

import clusters  # noqa: E402 (nothing is written beside the sources)
import common  # noqa: E402

PARAMETERS = {"max_depth": 3, "eta": 0.1, "subsample": 0.5,
              "colsample_bytree": 0.4, "min_child_weight": 3,
              "objective": "binary:logistic", "tree_method": "hist",
              "max_bin": 64, "nthread": 1, "base_score": 0.5}
TREES = 60
BAGS = 10  # ensembles of other seeds, whose mean is steadier than each
FOLDS = 10
SAMPLES = ((25, 2), (60, 2), (150, 1))  # pages, number of samples
HIGHEST, STEP, SLACK = 800, 5, 0.005  # cluster/merge_model.h
DEFAULT = 200           # cluster/signature.h
MIN_PAGES = 10          # cluster/threshold.h
NOT_FEATURES = {"threshold", "pages", "right", "known", "probability"}

Site = collections.namedtuple(
    "Site", "name family pages rows threshold pairs right known curve scores")


def family_of(labels, name):
    """The generator that most labels name; "path" and "body" are none."""
    names = collections.Counter(
        re.match(r"[a-z]*", row.split("\t")[1].lower())[0]
        for row in labels.read_text("utf-8").splitlines())
    family = names.most_common(1)[0][0] if names else ""
    return name if family in ("", "path", "body", "label") else family


def read_site(build, name, folder, labels):
    """None when too few pages have a label."""
    answer = json.loads(common.call(
        build / "daemon" / "templatectl", "--json", "cluster", "--measure",
        "wcas", "--threshold", "auto", "--report", "--labels", labels, folder))
    report = answer["report"]
    merges = report["merges"]
    if answer["quality"]["labelled"] < clusters.MIN_PAGES or not merges:
        return None
    names = [key for key in merges[0] if key not in NOT_FEATURES]
    column = {key: numpy.array([merge[key] for merge in merges])
              for key in ("right", "known")}
    return Site(
        name, family_of(labels, name), report["pages"],
        numpy.array([[merge[key] for key in names] for merge in merges],
                    numpy.float32),
        numpy.array([round(merge["threshold"] * 1000) for merge in merges]),
        numpy.array([float(numpy.prod(merge["pages"])) for merge in merges]),
        column["right"], column["known"], report["scores_curve"],
        {s["name"]: s["adjusted_rand"] for s in report["scores"]}), names


def given():
    """(site, folder, labels), some snapshots of each."""
    by_site = collections.defaultdict(list)
    for site, folder, labels in clusters.folders():
        by_site[site].append((site, folder, labels))
    for rows in by_site.values():
        yield from {row[1]: row for row in (
            rows[0], rows[len(rows) // 2], rows[-1])}.values()


def others(folder):
    for labels in sorted(folder.glob("*/labels.tsv")):
        site = labels.parent.name
        yield f"other/{site}", labels.parent, clusters.labels_of(
            labels.parent, labels.parent, site)


def read_all(build, rows):
    with concurrent.futures.ThreadPoolExecutor(clusters.PROCESSES) as pool:
        found = list(pool.map(lambda row: read_site(build, *row), rows))
    found = [site for site in found if site]
    return [site for site, _ in found], found[0][1] if found else []


def with_equivalences(build, sites, rows):
    """The same sites, to be scored with equivalences.tsv."""
    again, _ = read_all(build, [
        (name, folder, clusters.equal_labels(labels))
        for name, folder, labels in rows])
    return [site._replace(curve=equal.curve, scores=equal.scores)
            for site, equal in zip(sites, again, strict=True)]


def draw(row, size, number):
    """A row with some pages of a site; None when it has few more."""
    name, folder, labels = row
    paths = [line.split("\t")[0]
             for line in labels.read_text("utf-8").splitlines()]
    paths = [path for path in paths if (folder / path).is_file()]
    if len(paths) <= 1.3 * size:
        return None
    place = common.OUT / "samples" / f"{name}-{folder.name}-{size}-{number}"
    shutil.rmtree(place, ignore_errors=True)
    for path in random.Random(f"{folder.name} {size} {number}").sample(
            paths, size):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        os.link(folder / path, place / path)
    return name, place, labels


def read_samples(build, rows):
    drawn = [draw(row, size, number) for row in rows
             for size, count in SAMPLES for number in range(count)]
    sites, _ = read_all(build, [row for row in drawn if row])
    shutil.rmtree(common.OUT / "samples")
    return sites


def weights(sites):
    """Of each site, by its snapshots and by its family."""
    snapshots = collections.Counter(site.name for site in sites)
    families = collections.Counter(
        family for _, family in {(s.name, s.family) for s in sites})
    return [1 / snapshots[s.name] / math.sqrt(families[s.family])
            for s in sites]


def train(sites):
    """Ensembles, by the logistic loss; a merge weighs the root of its pairs."""
    rows, right, weight = [], [], []
    for site, share in zip(sites, weights(sites)):
        known = site.known > 0
        if not known.any():
            continue
        own = numpy.sqrt(site.known[known])
        rows.append(site.rows[known])
        right.append(site.right[known])
        weight.append(own / own.sum() * share * 100)
    data = xgboost.DMatrix(numpy.concatenate(rows),
                           numpy.concatenate(right),
                           weight=numpy.concatenate(weight))
    return [xgboost.train(dict(PARAMETERS, seed=seed), data, TREES)
            for seed in range(BAGS)]


def predict(ensembles, rows):
    """The probability by the mean of their log odds."""
    data = xgboost.DMatrix(rows)
    odds = numpy.mean([ensemble.predict(data, output_margin=True)
                       for ensemble in ensembles], axis=0)
    return 1 / (1 + numpy.exp(-odds))


def choose(site, probability):
    """As merges_choose() of cluster/merge_model.c."""
    gain = numpy.zeros(HIGHEST // STEP + 1)
    weight = numpy.sqrt(site.pairs)
    numpy.add.at(gain, site.threshold // STEP, weight * (2 * probability - 1))
    total = gain.cumsum()[1:]
    good = numpy.flatnonzero(
        total >= total.max() - SLACK * weight.sum()) + 1
    return int(min(good, key=lambda i: abs(i - DEFAULT // STEP))) * STEP


def score(site, threshold):
    """The curve has the thresholds 25, 30, ..."""
    first = clusters.THRESHOLDS[0]
    return site.curve[max(threshold - first, 0) // clusters.THRESHOLDS.step]


def cut(ensembles, sites):
    """{site: adjusted Rand index}, the mean of its snapshots."""
    found = collections.defaultdict(list)
    for site in sites:
        value = site.scores["suggestion"]  # of small sites it is by links
        if site.pages >= MIN_PAGES:
            value = score(site, choose(site,
                                       predict(ensembles, site.rows)))
        found[site.name].append(value)
    return {name: statistics.mean(values) for name, values in found.items()}


def deal(sites):
    """{family: fold}, the families with most sites first."""
    sizes = collections.Counter(s.family for s in sites)
    load, fold_of = [0] * FOLDS, {}
    for family, size in sorted(sizes.items(), key=lambda x: (-x[1], x[0])):
        fold_of[family] = load.index(min(load))
        load[fold_of[family]] += size
    return fold_of


def cross_validate(sites, samples):
    fold_of, found = deal(sites), {}
    for fold in range(FOLDS):
        inside = [s for s in sites if fold_of[s.family] == fold]
        rest = [s for s in sites + samples if fold_of[s.family] != fold]
        if inside:
            found.update(cut(train(rest), inside))
    return found


def table(report, title, sites, found):
    fixed = ("suggestion", "template", "best (oracle)")
    report.table(title, "site", "family", "left out", "shipped", "preset",
                 "best threshold (oracle)")
    rows = []
    for name, value in sorted(found.items(), key=lambda item: item[1]):
        own = [s for s in sites if s.name == name]
        rows.append([value] + [statistics.mean(s.scores[key] for s in own)
                               for key in fixed])
        report.row(name, own[0].family, *(f"{v:.3f}" for v in rows[-1]))
    report.row(f"mean of {len(rows)}", "", *(
        f"**{statistics.mean(column):.3f}**" for column in zip(*rows)))
    report.row("worst tenth", "", *(
        f"{numpy.quantile(column, 0.1):.3f}" for column in zip(*rows)))
    low = [row for row in rows if row[0] < 0.5 <= row[-1]]
    report.say(f"Under .5 where the best threshold is not: {len(low)}")


def nodes_of(tree, names):
    """The 7 splits and 8 leaves of a tree of depth 3 or less."""
    splits, leaves = [None] * 7, [0.0] * 8

    def put(node, at):
        is_leaf = "leaf" in node
        if at >= 7:
            leaves[at - 7] = node["leaf"]
            return
        # where a tree ends early both sides go on with the same leaf
        splits[at] = (names[0], 0.0) if is_leaf else (
            names[int(node["split"][1:])], node["split_condition"])
        below = [node, node] if is_leaf else [
            next(c for c in node["children"] if c["nodeid"] == node[key])
            for key in ("yes", "no")]
        for side, child in enumerate(below):
            put(child, 2 * at + 1 + side)

    put(tree, 0)
    return splits, leaves


def number(value):
    """As C writes a float that has these bits."""
    text = f"{numpy.float32(value):.9g}"
    return text + ("F" if "." in text or "e" in text else ".0F")


def write(path, ensembles, names, sites):
    lines = ["/*", " * merges 1: which merges of a dendrogram are right "
             "(cluster/merge_model.h).",
             " * Data: the labelled sites of shared/data, by their "
             "generators' words.",
             f" * Trained by tests/eval/merges.py on "
             f"{datetime.date.today().isoformat()}: "
             f"{len({s.name for s in sites})} sites, "
             f"{sum(len(s.rows) for s in sites)} merges.", " */", "BASE(0.0)"]
    dumps = [dump for ensemble in ensembles
             for dump in ensemble.get_dump(dump_format="json")]
    for dump in dumps:
        splits, leaves = nodes_of(json.loads(dump), names)
        leaves = [leaf / len(ensembles) for leaf in leaves]
        lines.append("TREE(" + ", ".join(
            f"SPLIT({name}, {number(value)})" for name, value in splits)
            + ",\n\t" + ", ".join(map(number, leaves)) + ")")
    path.write_text("\n".join(lines) + "\n", "utf-8")


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path,
                        default=common.ROOT / "conf/models/merges.model")
    parser.add_argument("--test", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = read_options()
    if not common.has_data():
        return 0
    report = common.Report()
    report.say("# The threshold by the merges")
    rows = list(given())
    sites, names = read_all(options.build.resolve(), rows)
    samples = read_samples(options.build.resolve(), rows)
    for title, scored in (
            ("labels as given", sites),
            ("with equivalences", with_equivalences(
                options.build.resolve(), sites, rows))):
        table(report, f"Adjusted Rand index, families left out: {title}",
              scored, cross_validate(scored, samples))
    ensembles = train(sites + samples)
    write(options.out, ensembles, names, sites)
    if options.test:
        fresh, _ = read_all(options.build.resolve(), others(options.test))
        table(report, "Sites that trained nothing", fresh,
              cut(ensembles, fresh))
    return 0


if __name__ == "__main__":
    sys.exit(main())
