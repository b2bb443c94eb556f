#!/usr/bin/python3
"""How good df+ is on crawl-to-the-future without having seen it.

usage: df_plus.py [BUILD]

Every setting of GRID extracts the pages of daniel's sites, of the four Apache
sites and of crawl-to-the-future by `templatectl batch`. The setting that is
best by the mean of the others' sets is the one whose figure counts on
crawl-to-the-future; beside it stand the defaults, which were chosen there.
"""

import concurrent.futures
import itertools
import shutil
import statistics
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import corpora  # noqa: E402
import goldsets  # noqa: E402

GRID = {"max_ratio": (0.25, 1 / 3, 0.5), "max_links": (0.2, 0.3, 0.5),
        "min_evidence": (0.9, 1.2, 1.5)}
DEFAULTS = (1 / 3, 0.3, 1.2)
NEWS = "crawl-to-the-future"


def sets():
    found = {gold.name: gold for gold in goldsets.load(
        common.DATA, common.OUT / "data", (NEWS, "daniel"))}
    return [corpora.grouped(found[NEWS], None, "1"),
            corpora.grouped(found["daniel"], None, "auto"),
            *(corpora.snapshot(site) for site in corpora.SNAPSHOTS)]


def f1_of(ctl, corpus, setting):
    out = common.OUT / "df_plus" / corpus.name / "_".join(map(str, setting))
    shutil.rmtree(out, ignore_errors=True)
    words = [word for name, value in zip(GRID, setting)
             for word in ("--param", f"{name}={value}")]
    for folder in corpus.folders:
        common.call(ctl, "batch", "--method", "df+", "--threshold",
                    corpus.threshold, *words, "--out", out, folder,
                    may_fail=True)
    scores = corpora.score_pages(corpus, out, False)
    shutil.rmtree(out, ignore_errors=True)
    return statistics.fmean(score.word[2] for score in scores.values())


def main():
    if not common.has_data():
        return 0
    ctl = common.build_folder() / "daemon" / "templatectl"
    found, report = sets(), common.Report()
    settings = list(itertools.product(*GRID.values()))
    with concurrent.futures.ProcessPoolExecutor(corpora.PROCESSES) as pool:
        rows = {setting: list(pool.map(
            f1_of, itertools.repeat(ctl), found, itertools.repeat(setting)))
            for setting in settings}
    best = max(settings, key=lambda setting: statistics.fmean(
        rows[setting][1:]))
    report.table("df+: word F1", *GRID, *(corpus.name for corpus in found),
                 "without the first")
    for setting in settings:
        report.row(*map(float, setting), *rows[setting],
                   statistics.fmean(rows[setting][1:]))
    report.say()
    report.say(f"Chosen by the others: {best}, on {NEWS} {rows[best][0]:.4f}; "
               f"the defaults {rows[DEFAULTS][0]:.4f}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
