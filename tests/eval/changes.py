#!/usr/bin/env python3
"""changes.py [BUILD] [--keep] [--list]: do templates change, by the change detector?

Of real sites at several times (../shared/data/history and temporal) each pair
of states that follow each other: its older pages are grouped as `templatectl
cluster` does, of each group up to 16 pages are the sample, and template/change_detector.h
says what has become of them. changes.tsv says what it should be. Then the
rules, cross-validated: those chosen on all other sites judge a site.

BUILD is a build folder (default: build/release). --list: a line for each
template. --keep: copy the tables to tests/eval/CHANGES.md. Without data this
says so.
"""

import collections
import hashlib
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

SAMPLE = 16
MIN_PAGES = 3
AGREEMENTS = (600, 700, 800, 850, 900, 1000)
# The same site at other times is no other site.
DOMAINS = {"flink-2017": "flink", "flink-2022-redirects": "flink",
           "flink-2023": "flink"}
# What a redesign of the site left alone: files that other programs made.
UNTOUCHED = {"jubatus": ("jubakit/",), "sling": ("apidocs/", "components/",
                                                  "javadoc", "maven")}
EVENTS = ("changed", "replaced", "merged", "split", "vanished")
KINDS = ("none", "minor layout edit", "redesign")

NOTE = """\
A page that is gone (a redirect stub, or not in the snapshot) is gone; of some
sites the snapshots are samples, so that much is gone where nothing was. Where a
page is now: the clusters of both states together, at the threshold of the older
one. Merged and split are what became of clusters, whatever moved inside them.

The agreement of the program, 850, is the least of those with the widest gap:
the folds take the middle one of equals, as nothing here tells them apart.
"""

Step = collections.namedtuple("Step", "site old new kind")
Sample = collections.namedtuple("Sample", "step number pages kind rows")
Verdict = collections.namedtuple(
    "Verdict", "kind seen pages agreed disagreed paths_gone paths_come paths "
    "fragments_gone fragments_come fragments")


def archives(kind):
    return sorted(path.name.removesuffix(".tar.zst") for path in
                  (common.DATA / "data" / kind).glob("*.tar.zst"))


def steps():
    for site in archives("history"):
        folder = common.unpack(site)
        control = folder / "control-earlier"
        if control.is_dir():
            yield Step(site, control, folder / "before", "none")
        yield Step(site, folder / "before", folder / "after", "redesign")
    for site in archives("temporal"):
        folder = common.unpack(site)
        rows = (folder / "changes.tsv").read_text("utf-8").splitlines()[1:]
        for old, new, kind, *_ in (row.split("\t") for row in rows):
            yield Step(site, folder / old, folder / new, kind)


def clusters(build, threshold, *folders):
    """({path: cluster}, the threshold)."""
    said = json.loads(common.call(build / "daemon" / "templatectl", "--json",
                                  "cluster", "--threshold", threshold,
                                  *folders))
    return ({page["path"]: page["cluster"] for page in said["pages"]},
            said["threshold"])


def url_of(site, path):
    folder = path.removesuffix("index.html")
    return f"http://{site}.example/" + (
        folder if path.endswith("index.html") else path).replace("\t", "")


def is_untouched(step, paths):
    """Of no page does the redesign change anything by intent."""
    marks = UNTOUCHED.get(step.site, ())
    return all(any(mark in path for mark in marks) for path in paths)


def samples_of(build, step):
    before, threshold = clusters(build, "auto", step.old)
    both, _ = clusters(build, threshold, step.old, step.new)
    groups = collections.defaultdict(list)
    for path, number in before.items():
        groups[number].append(path)
    for number, paths in sorted(groups.items()):
        pages = sorted(paths, key=lambda p: hashlib.blake2b(
            p.encode()).digest())[:SAMPLE]
        homes = collections.Counter(both.get(f"{step.old}/{path}")
                                    for path in paths)
        home = homes.most_common(1)[0][0]
        rows = []
        for path in pages:
            new = step.new / path
            where = both.get(f"{step.new}/{path}", 0)
            rows.append("\t".join((
                "page", url_of(step.site, path), str(step.old / path),
                str(new) if new.exists() else "-",
                "1" if where == home else str(where + 2))))
        kind = step.kind
        if kind == "redesign" and is_untouched(step, paths):
            kind = "none"
        yield Sample(step, number, len(paths), kind, rows)


def ask(build, samples, *rules):
    lines = []
    for i, sample in enumerate(samples):
        lines += [f"sample\t{i}", *sample.rows]
    done = subprocess.run(
        [build / "tests" / "eval" / "change_table", *rules],
        input="\n".join(lines) + "\n", text=True, capture_output=True,
        check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    found = []
    for line in done.stdout.splitlines():
        _, kind, *numbers = line.split("\t")[:12]
        found.append(Verdict(kind, *(float(n) if "." in n else int(n)
                                     for n in numbers)))
    return found


def decision_table(report, samples, decisions, title):
    counts = collections.Counter(
        (sample.kind, decision.kind)
        for sample, decision in zip(samples, decisions, strict=True))
    names = ("same", "unsure", *EVENTS)
    report.table(title, "label of the step", "templates", *names)
    for kind in KINDS:
        row = [counts[kind, name] for name in names]
        report.row(kind, sum(row), *row)


def domain(sample):
    return DOMAINS.get(sample.step.site, sample.step.site)


def telling(samples, decisions):
    """(sample, decision) where enough is left for a ratio to mean something."""
    return [pair for pair in zip(samples, decisions, strict=True)
            if pair[1].pages >= MIN_PAGES]


def ratios(pairs, kind, of, but=None):
    """But those of a site."""
    return [getattr(decision, of) for sample, decision in pairs
            if sample.kind == kind and domain(sample) != but]


def ratio_table(report, samples, by_agreement):
    report.table("Share that moved, in templates of at least three pages",
                 "agreement", "paths: most of none", "least of redesign",
                 "fragments: most of none", "least of redesign")
    for agreement, decisions in by_agreement.items():
        pairs = telling(samples, decisions)
        report.row(agreement, *(
            f"{best(ratios(pairs, kind, of)):.2f}"
            for of in ("paths", "fragments")
            for kind, best in (("none", max), ("redesign", min))))


def choose(samples, by_agreement, but=None):
    """(agreement, path ratio, fragment ratio): the widest gap between what
    moves by content and by redesign, of equal ones the middle one, and the
    middle of it; for fragments the middle between content and all."""
    rows = []
    for agreement, decisions in by_agreement.items():
        pairs = telling(samples, decisions)
        most = max(ratios(pairs, "none", "paths", but))
        least = min(ratios(pairs, "redesign", "paths", but))
        text = max(ratios(pairs, "none", "fragments", but))
        rows.append((round(least - most, 2), agreement,
                     round((least + most) / 2, 2), round((1 + text) / 2, 2)))
    widest = [row for row in rows if row[0] == max(rows)[0]]
    return widest[len(widest) // 2][1:]


def fold_table(report, samples, by_agreement):
    report.table("Rules chosen on all other sites", "site", "agreement",
                 "path ratio", "fragment ratio", "none: templates", "false",
                 "redesign: templates", "missed")
    sums = collections.Counter()
    for site in sorted({domain(sample) for sample in samples}):
        agreement, paths, fragments = choose(samples, by_agreement, site)
        counts = collections.Counter()
        for sample, decision in telling(samples, by_agreement[agreement]):
            if domain(sample) == site:
                fires = decision.paths > paths or decision.fragments > fragments
                counts[sample.kind] += 1
                counts[sample.kind, fires] += 1
        cells = (counts["none"], counts["none", True], counts["redesign"],
                 counts["redesign", False])
        sums.update(dict(enumerate(cells)))
        report.row(site, agreement, f"{paths:.2f}", f"{fragments:.2f}",
                   *cells)
    report.row("all", "", "", "", *(sums[i] for i in range(4)))
    agreement, paths, fragments = choose(samples, by_agreement)
    report.row("(chosen on all)", agreement, f"{paths:.2f}",
               f"{fragments:.2f}", "", "", "", "")
    report.say()
    report.say(NOTE.rstrip())


def list_all(samples, decisions):
    for sample, decision in zip(samples, decisions, strict=True):
        print(sample.step.site, sample.step.old.name, sample.step.new.name,
              sample.kind, f"template {sample.number}, {sample.pages} pages:",
              decision.kind, *(f"{name}={value}" for name, value in
                              zip(decision._fields[1:], decision[1:],
                                  strict=True)), sep="\t")


def tables(report, build, is_listed=False):
    samples = [sample for step in steps() for sample in samples_of(build, step)]
    decisions = ask(build, samples)
    if is_listed:
        list_all(samples, decisions)
    # files that were no pages in the first place
    pairs = [pair for pair in zip(samples, decisions, strict=True)
             if pair[1].seen > 0]
    many = [pair for pair in pairs if pair[0].pages >= MIN_PAGES]
    few = [pair for pair in pairs if pair[0].pages < MIN_PAGES]
    decision_table(report, *zip(*many, strict=True),
                  "Verdicts on templates of at least three pages")
    decision_table(report, *zip(*few, strict=True),
                  "Verdicts on groups of one or two pages")
    samples = [pair[0] for pair in many]
    by_agreement = {
        agreement: ask(build, samples, f"agreement={agreement}")
        for agreement in AGREEMENTS}
    ratio_table(report, samples, by_agreement)
    fold_table(report, samples, by_agreement)


def main():
    words = [word for word in sys.argv[1:] if word.startswith("--")]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in words]
    if not common.has_data():
        return 0
    report = common.Report()
    report.say("# Changes of templates: decisions on real sites")
    report.say()
    report.say("Made by `tests/eval/changes.py --keep`; "
               "its head says what is measured.")
    tables(report, common.build_folder(), "--list" in words)
    if "--keep" in words:
        report.write(pathlib.Path(__file__).parent / "CHANGES.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
