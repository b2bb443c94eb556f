#!/usr/bin/python3
"""Choose how `auto` weighs what the other pages of a template say.

usage: template.py [BUILD] [--out DIR]

Extracts the last snapshots of flink, jena, rocketmq and sling by `templatectl
batch` with each point of a small grid, and scores them by words against the
gold that was made of the sites' sources. Of the points whose mean is within
SLACK of the best one the model gets that which changes the page's own scores
most (the highest slot_weight and repetition_weight, the lowest page_weight):
these sites are nearly without fault, and say what does harm, not what helps.
Beside it stands the mean of the sites by the points that the other sites
choose. Writes DIR/auto-template.model (default: conf/models).
"""

import argparse
import concurrent.futures
import datetime
import itertools
import pathlib
import shutil
import statistics
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import corpora  # noqa: E402

NAMES = ("page_weight", "slot_weight", "repetition_weight")
GRID = ((0.3, 0.5, 0.7), (0.0, 1.0, 2.0), (0.0, 1.0, 2.0))
SLACK = 0.002


def f1_of(ctl, corpus, point):
    out = common.OUT / "template" / corpus.name / "_".join(map(str, point))
    shutil.rmtree(out, ignore_errors=True)
    settings = [word for name, value in zip(NAMES, point)
                for word in ("--param", f"{name}={value}")]
    for folder in corpus.folders:
        common.call(ctl, "batch", "--method", "auto", *settings, "--out", out,
                    folder, may_fail=True)
    scores = corpora.score_pages(corpus, out, False)
    shutil.rmtree(out, ignore_errors=True)
    return statistics.fmean(score.word[2] for score in scores.values())


def measure(ctl, sites):
    """{point: {site: F1}}."""
    found = {point: {} for point in itertools.product(*GRID)}
    jobs = [(point, site) for point in found for site in sites]
    with concurrent.futures.ProcessPoolExecutor(corpora.PROCESSES) as pool:
        values = pool.map(f1_of, itertools.repeat(ctl),
                          (site for _, site in jobs),
                          (point for point, _ in jobs))
        for done, ((point, site), f1) in enumerate(zip(jobs, values)):
            found[point][site.name] = f1
            common.progress("template", done + 1, len(jobs))
    common.progress_clear()
    return found


def mean(row, without=None):
    return statistics.fmean(f1 for site, f1 in row.items() if site != without)


def choose(found, without=None):
    """The point, by all sites or by all but one."""
    best = max(mean(row, without) for row in found.values())
    near = [point for point, row in found.items()
            if mean(row, without) >= best - SLACK]
    return max(near, key=lambda p: (p[1] + p[2] - p[0],
                                    mean(found[p], without)))


def tables(report, found, point, sites):
    report.table("`auto` with the template: word F1", *NAMES, *sites, "mean")
    for some, row in sorted(found.items(), key=lambda x: -mean(x[1]))[:10]:
        report.row(*map(str, some), *row.values(), mean(row))
    report.say()
    report.say(f"Chosen: {dict(zip(NAMES, point))}, in sample "
               f"{mean(found[point]):.4f}.")
    others = {site: found[choose(found, site)][site] for site in sites}
    report.say(f"By the other sites' choice: {mean(others):.4f}.")
    return mean(others)


def write(path, found, point, crossed):
    lines = [
        "/*",
        " * auto-template 1: how `auto` weighs what the other pages of a",
        " * template say (extract/auto/auto_template.h).",
        " * Data: the sites of the Apache projects flink, jena, rocketmq and",
        " * sling (Apache-2.0), their last snapshots, with gold made of their",
        " * sources.",
        f" * Chosen by tests/eval/template.py on "
        f"{datetime.date.today().isoformat()}.",
        f" * Mean word F1 of the sites: {mean(found[point]):.4f} in sample, "
        f"{crossed:.4f} by the",
        " * choice of the other sites.",
        " */",
        *(f"DEFAULT_VALUE({name}, {value})" for name, value in zip(NAMES, point))]
    path.write_text("\n".join(lines) + "\n", "utf-8")


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
    sites = [corpora.snapshot(site) for site in corpora.SNAPSHOTS]
    found = measure(options.build / "daemon" / "templatectl", sites)
    point = choose(found)
    crossed = tables(report, found, point, [site.name for site in sites])
    write(options.out / "auto-template.model", found, point, crossed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
