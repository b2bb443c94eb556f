"""Extraction by the cut of the clusters: templates against whole sites."""

import shutil

import common
import corpora
import results

CUTS = (("auto", "auto"), ("template", 0.2), ("site", 0.7))


def measure_one(ctl, corpus, method, threshold, out):
    shutil.rmtree(out, ignore_errors=True)
    common.call(ctl, "batch", "--method", method, "--measure", "cas",
                "--threshold", threshold, "--out", out, *corpus.folders,
                may_fail=True)
    return results.figures(
        corpora.score_pages(corpus, out, False).values())


def tables(report, build):
    ctl = build / "daemon" / "templatectl"
    report.table("Many pages: by the cut of the clusters (cas)", "site",
                 "snapshot", "method", "cut", "pages", "P", "R", "F1")
    for site in corpora.SNAPSHOTS:
        corpus = corpora.snapshot(site)
        for method in ("df", "auto"):
            for cut, threshold in CUTS:
                out = common.OUT / "extracts" / site / f"{method}-{cut}"
                figures = measure_one(ctl, corpus, method, threshold, out)
                report.row(site, corpus.folders[0].name, method, cut,
                           *figures[:4])
