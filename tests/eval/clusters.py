#!/usr/bin/env python3
"""clusters.py [BUILD]: how well thresholds find the templates inside a site.

Single linkage of every site of the data, and of every snapshot of the sites
that have several, against the labels of their pages, by the adjusted Rand
index; a site counts by the mean of its snapshots, and every figure is two: by
the labels as they are given, and with equivalences.tsv. And the two parameters
of the rule in cluster/threshold.h, cross-validated: those that are best on all
other sites make the figure of a site. BUILD is a build folder (default:
build/release). Without data this says so.
"""

import collections
import concurrent.futures
import itertools
import json
import statistics
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import equivalences  # noqa: E402

MEASURES = ("cp", "cps", "ctss", "cpc", "ccs", "cas", "wcas")
CUTS = ("site", "template", "plateau", "suggestion", "best (oracle)")
# What labels.tsv says of files that are no pages.
NO_PAGES = ("redirect", "redirect-stub", "not-html")
PROCESSES = 2

# cluster/threshold.h: the thresholds that are tried, and labels that are needed.
THRESHOLDS = range(25, 801, 5)
MIN_PAGES = 11
DEFAULTS = range(150, 251, 25)
SLOPES = (0.5, 1, 1.5, 2)

# {cut: adjusted Rand index}, the same with equivalences, the agreement with
# the witness and with the labels at each of THRESHOLDS, and the witness's ratio
# of the pages.
Found = collections.namedtuple("Found", "scores equal agreement truth ratio")


def folders():
    """(site, folder of pages, labels file), each snapshot for itself."""
    table = equivalences.checked()
    for site, has_snapshots in common.labelled_sites().items():
        folder = common.unpack(site)
        for pages in sorted(p for p in folder.glob("2*") if p.is_dir()) \
                if has_snapshots else [folder]:
            yield site, pages, labels_of(folder, pages, site,
                                         table.get(site, ()))


def labels_of(folder, pages, site, rows=()):
    """A file with the labels of the folder `pages` below `folder`.

    Beside it, by equal_labels(), is one as the rows of equivalences have them.
    """
    prefix = "" if pages == folder else pages.name + "/"
    out = common.OUT / "labels" / f"{site}-{pages.name}.tsv"
    out.parent.mkdir(parents=True, exist_ok=True)
    label_of = equivalences.labels_of(folder)
    for file, labels in ((out, label_of),
                         (equal_labels(out),
                          equivalences.apply(rows, label_of))):
        file.write_text("".join(
            f"{path[len(prefix):]}\t{labels[path]}\n"
            for path, label in label_of.items() if path.startswith(prefix)
            and label.split("/")[0] not in NO_PAGES), "utf-8")
    return out


def equal_labels(labels):
    return labels.with_suffix(".equal.tsv")


def ask(build, measure, pages, labels):
    """The answer, and its {cut: adjusted Rand index}."""
    answer = json.loads(common.call(
        build / "daemon" / "templatectl", "--json", "cluster", "--measure",
        measure, "--threshold", "auto", "--report", "--labels", labels, pages))
    scores = {s["name"]: s["adjusted_rand"]
              for s in answer["report"]["scores"]}
    scores.setdefault("plateau", scores["template"])
    return answer, scores


def measure_one(build, measure, pages, labels):
    """None when too few pages have a label."""
    answer, scores = ask(build, measure, pages, labels)
    if answer["quality"]["labelled"] < MIN_PAGES:
        return None
    report = answer["report"]
    return Found(scores, ask(build, measure, pages, equal_labels(labels))[1],
                 report["witness"]["agreement"], report["scores_curve"],
                 report["witness"]["ratio"])


def measure_all(build):
    """{measure: {site: [Found]}}."""
    found = {m: collections.defaultdict(list) for m in MEASURES}
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        tasks = [(m, site, pool.submit(measure_one, build, m, pages, labels))
                 for site, pages, labels in folders() for m in MEASURES]
        for m, site, task in tasks:
            if task.result():
                found[m][site].append(task.result())
    return found


def choose(found, measure, default, slope):
    """The adjusted Rand index at the threshold that witness.h would choose."""
    best = min(range(len(THRESHOLDS)), key=lambda i: (
        slope * abs(THRESHOLDS[i] - default) / 1000
        - found.ratio * found.agreement[i],
        abs(THRESHOLDS[i] - default), i))
    if found.agreement[best] > 0:
        return found.truth[best]
    # the witness knows too little: cluster/threshold.h
    return found.scores["plateau"] if measure == "cpc" else \
        found.truth[THRESHOLDS.index(default)]


def host_of(site):
    """Of a site that is there twice, flink and flink.apache.org, the same."""
    return site.split(".", 1)[0]


def cross_validate(sites, measure):
    """(best in sample, its mean, mean of the sites by the others' best)."""
    grid = list(itertools.product(DEFAULTS, SLOPES))
    score = {(rule, site): statistics.mean(
        choose(f, measure, *rule) for f in rows)
             for rule in grid for site, rows in sites.items()}

    def mean(rule, left_out=""):
        return statistics.mean(score[rule, s] for s in sites
                               if host_of(s) != host_of(left_out))

    best = max(grid, key=mean)
    by_site = {s: max(grid, key=lambda rule: mean(rule, s)) for s in sites}
    return best, mean(best), statistics.mean(
        score[by_site[s], s] for s in sites), by_site


def cut_table(report, sites, measure):
    report.table(f"Clusters against labels: {measure}, adjusted Rand index by "
                 "the labels as given / with equivalences",
                 "site", "snapshots", *CUTS)
    rows = {site: [(statistics.mean(f.scores[cut] for f in found),
                    statistics.mean(f.equal[cut] for f in found))
                   for cut in CUTS]
            for site, found in sites.items()}
    for site, row in rows.items():
        report.row(site, len(sites[site]),
                   *(f"{given:.3f} / {equal:.3f}" for given, equal in row))
    report.row("mean of the sites", "", *(
        "**" + " / ".join(f"{statistics.mean(values):.3f}"
                          for values in zip(*column)) + "**"
        for column in zip(*rows.values())))


def rule_table(report, found):
    report.table("The rule of cluster/threshold.h, cross-validated by site",
                 "measure", "as it is", "best default, slope", "in sample",
                 "cross-validated", "chosen without a site (times)")
    for measure, sites in found.items():
        shipped = statistics.mean(
            statistics.mean(f.scores["suggestion"] for f in rows)
            for rows in sites.values())
        best, inside, outside, by_site = cross_validate(sites, measure)
        chosen = collections.Counter(by_site.values()).most_common()
        report.row(measure, f"{shipped:.3f}", f"{best[0]}, {best[1]:g}",
                   f"{inside:.3f}", f"{outside:.3f}",
                   "; ".join(f"{default}, {slope:g} ({count})"
                             for (default, slope), count in chosen))


def tables(report, build):
    found = measure_all(build)
    for measure, sites in found.items():
        cut_table(report, sites, measure)
    report.say()
    report.say("site: the paper's threshold for cp, cps and ctss; template: "
               "the default of the measure; plateau: cluster/threshold.h, the "
               "default where there is none; suggestion: --threshold auto; the "
               "oracle knows the labels. The suggestion for ccs has learned "
               "of these sites: merges.py leaves them out. Snapshots with "
               f"fewer than {MIN_PAGES} labels are left out. Where one label "
               "is all that is left of a site, one cluster more makes 0.")
    rule_table(report, found)


def main():
    if not common.has_data():
        return 0
    report = common.Report()
    report.say("# Thresholds inside a site")
    tables(report, common.build_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main())
