#!/usr/bin/env python3
"""pairs.py [BUILD] [--keep] [--list]: do clusters join the pages a reader joins?

A label is the word of a generator. pairs.tsv says of 300 pairs of pages near
the cut whether one selector for the title and one for the body would serve
both; its head says how they were drawn and judged. Prints how many of these
verdicts the clusters of `templatectl cluster` agree with, next to the labels
and to fixed thresholds, with the interval of 95 % that sampling the sites
again gives. Half of the pairs are disputed, and all are near the cut, so the
figures are far below those for any two pages of a site.

BUILD is a build folder (default: build/release). --list: the pairs on which
program and reader do not agree. --keep: copy the tables to tests/eval/PAIRS.md.
Without data this says so.
"""

import collections
import concurrent.futures
import json
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True

import clusters  # noqa: E402 (nothing is written beside the sources)
import common  # noqa: E402
import equivalences  # noqa: E402

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
VERDICTS = ("same", "different", "unclear")
DRAWS = ("disputed", "random")
FIXED = ("0.1", "0.15", "0.2", "0.25", "0.3")
PROGRAM = "program (auto)"
BEST = "best threshold of each site (oracle)"
LABELS = "labels as given"
SAMPLES = 2000
WEAK = ("weak", "path")  # labels that nobody can rely on
Pair = collections.namedtuple("Pair", "site page other verdict draw why")


def read():
    """The pairs, in the order of the table."""
    lines = [line for line in TABLE.read_text("utf-8").splitlines()
             if not line.startswith("#")]
    return [Pair(*line.split("\t")) for line in lines[1:]]


def clusters_of(build, pages, threshold):
    """{path: cluster}"""
    answer = json.loads(common.call(
        build / "daemon" / "templatectl", "--json", "cluster", "--threshold",
        threshold, pages))
    return {page["path"]: page["cluster"] for page in answer["pages"]}


def best_threshold(build, pages, labels):
    answer, _ = clusters.ask(build, "cas", pages, labels)
    return next(score["threshold"] for score in answer["report"]["scores"]
                if score["name"] == "best (oracle)")


def groups(build, site, rows):
    """{name of a grouping: {path: group}} of a site."""
    pages = common.unpack(site)
    label_of = {path: label
                for path, label in equivalences.labels_of(pages).items()
                if label.split("/")[0] not in WEAK}
    best = best_threshold(build, pages, clusters.labels_of(
        pages, pages, site, rows))
    return {
        PROGRAM: clusters_of(build, pages, "auto"),
        **{f"fixed {cut}": clusters_of(build, pages, cut) for cut in FIXED},
        BEST: clusters_of(build, pages, str(best)),
        LABELS: label_of,
        "labels with equivalences": equivalences.apply(rows, label_of),
    }


def join_all(build, pairs):
    """{name of a grouping: [whether it joins pair i; None: unknown]}"""
    table = equivalences.checked()
    with concurrent.futures.ThreadPoolExecutor(clusters.PROCESSES) as pool:
        tasks = {site: pool.submit(groups, build, site, table.get(site, ()))
                 for site in dict.fromkeys(pair.site for pair in pairs)}
    joined = collections.defaultdict(list)
    for pair in pairs:
        for name, group_of in tasks[pair.site].result().items():
            both = group_of.get(pair.page), group_of.get(pair.other)
            joined[name].append(
                None if None in both else both[0] == both[1])
    joined["one template for all"] = [True] * len(pairs)
    return joined


def scores(pairs, joined):
    """(agreement, same recall, different recall, number of pairs)"""
    right = {"same": [], "different": []}
    for pair, is_joined in zip(pairs, joined):
        if is_joined is not None and pair.verdict in right:
            right[pair.verdict].append(is_joined == (pair.verdict == "same"))
    both = right["same"] + right["different"]
    return (*(statistics.mean(values) if values else 0 for values in
              (both, right["same"], right["different"])), len(both))


def interval(pairs, joined):
    """The agreement of the 2.5th and of the 97.5th of 100 draws of sites."""
    by_site = collections.defaultdict(list)
    for row in zip(pairs, joined):
        by_site[row[0].site].append(row)
    chance, sites = random.Random(1), list(by_site.values())
    found = sorted(
        scores(*zip(*(row for site in chance.choices(sites, k=len(sites))
                      for row in site)))[0] for _ in range(SAMPLES))
    return found[SAMPLES // 40], found[-SAMPLES // 40]


def agreement_table(report, title, pairs, joined, indexes):
    report.table(title, "grouping", "pairs", "agreement", "95 %",
                 "same recall", "different recall", "mean of both")
    for name, values in joined.items():
        chosen = [pairs[i] for i in indexes], [values[i] for i in indexes]
        agreement, same, different, count = scores(*chosen)
        report.row(name, count, f"{agreement:.3f}",
                   "{:.3f} to {:.3f}".format(*interval(*chosen)),
                   f"{same:.3f}", f"{different:.3f}",
                   f"{(same + different) / 2:.3f}")


def site_table(report, pairs, joined):
    names = (PROGRAM, BEST, LABELS)
    report.table("Agreement by site", "site", *VERDICTS, *names)
    for site in dict.fromkeys(pair.site for pair in pairs):
        own = [i for i, pair in enumerate(pairs) if pair.site == site]
        verdicts = collections.Counter(pairs[i].verdict for i in own)
        agreements = [scores([pairs[i] for i in own],
                             [joined[name][i] for i in own])[0]
                      for name in names]
        report.row(site, *(verdicts[verdict] for verdict in VERDICTS),
                   *(f"{agreement:.2f}" for agreement in agreements))


def disagreements(report, pairs, joined):
    report.table("Pairs on which program and reader do not agree", "site",
                 "page", "other", "reader", "labels", "why")
    for pair, is_joined, label in zip(pairs, joined[PROGRAM], joined[LABELS]):
        if pair.verdict in ("same", "different") and \
                is_joined != (pair.verdict == "same"):
            report.row(pair.site, pair.page, pair.other, pair.verdict,
                       {True: "same", False: "different", None: ""}[label],
                       pair.why)


def tables(report, build, lists=False):
    pairs = read()
    joined = join_all(build, pairs)
    agreement_table(report, "Agreement with a reader, 300 pairs near the cut",
                    pairs, joined, range(len(pairs)))
    for draw in DRAWS:
        agreement_table(report, f"Of these, the {draw} pairs", pairs, joined,
                        [i for i, p in enumerate(pairs) if p.draw == draw])
    report.say()
    report.say("Pairs that are unclear to the reader do not count, nor those "
               "of a page without a label where the row is of labels. "
               "Disputed pairs were chosen because an earlier program, a draft "
               "of weighted terms and the labels did not agree, so one of "
               "these is wrong in each, and a fixed threshold that had no "
               "part in the choice looks better there than it is. All pairs "
               "are near the cut of the earlier program or of the draft.")
    site_table(report, pairs, joined)
    if lists:
        disagreements(report, pairs, joined)


def main():
    if not common.has_data():
        return 0
    words = [word for word in sys.argv[1:] if word.startswith("--")]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in words]
    report = common.Report()
    report.say("# Pairs of pages: do clusters join what a reader joins?")
    report.say()
    report.say("Made by `tests/eval/pairs.py --keep --list`; "
               "its head says what is measured.")
    tables(report, common.build_folder(), "--list" in words)
    if "--keep" in words:
        report.write(pathlib.Path(__file__).parent / "PAIRS.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
