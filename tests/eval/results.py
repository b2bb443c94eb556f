"""The tables of RESULTS.md and RESULTS.tsv: how good every method is.

A run of everything is a Results: claims.py reads it, too.
"""

import collections
import csv
import pathlib
import statistics

import common
import corpora
import goldsets

DEFAULTS = pathlib.Path(__file__).with_name("defaults.tsv")
HEADS = ("method", "pages", "P", "R", "F1", "F1 LCS", "no extract",
         "CPU us/page", "MB/s", "defaults")
COLUMNS = ("set", "group", "method", "pages", "P", "R", "F1_word", "F1_lcs",
           "no_extract", "cpu_us_a_page", "mb_a_s")

# What defaults.tsv may say for the names of sets.
SHORT_NAMES = {
    "five": goldsets.NAMES,
    "many": tuple(f"{name}-{kind}" for name in goldsets.GROUPED
                  for kind in ("known", "found")),
}

# corpora; methods {name: Method}; scores {corpus: {method: {page: Score}}};
# costs {corpus: {method: Cost}}; defaults {method: row of defaults.tsv}.
Results = collections.namedtuple("Results",
                                 "corpora methods scores costs defaults")
# Of some pages by one method: means.
Figures = collections.namedtuple("Figures",
                                 "pages precision recall f1 lcs missing")


def read_defaults():
    """{method: row} of the methods whose defaults choose.py has chosen."""
    with DEFAULTS.open(encoding="utf-8", newline="") as file:
        return {row["method"]: row
                for row in csv.DictReader(file, delimiter="\t")}


def methods_of(options):
    """{name: Method}, of the table or of what was asked for."""
    table = common.methods(options.build / "daemon" / "templatectl")
    return {name: method for name, method in table.items()
            if not options.method or name in ("plain", "accb", *options.method)}


def measure(options):
    """By the options of `run`."""
    methods = methods_of(options)
    sets = corpora.load(options.quick)
    scores = corpora.measure(options.build, sets, methods.values(),
                             not options.no_lcs)
    costs = {} if options.no_cost else \
        corpora.costs(options.build, sets, methods.values())
    return Results(sets, methods, scores, costs, read_defaults())


def figures(scores):
    """Of Scores, at least one."""
    scores = list(scores)
    lcs = [score.lcs[2] for score in scores if score.lcs]
    return Figures(len(scores), *(
        statistics.fmean(score.word[i] for score in scores) for i in range(3)),
        statistics.fmean(lcs) if lcs else "",
        sum(not score.is_there for score in scores))


def mean_f1(results, corpus, method, group=None, kind="site"):
    """Word F1 of the pages, of a group's alone; None without any."""
    pages = results.scores.get(corpus, {}).get(method, {})
    if group is not None:
        groups = next(c for c in results.corpora
                      if c.name == corpus).groups[kind]
        pages = {p: s for p, s in pages.items() if groups.get(p) == group}
    return figures(pages.values()).f1 if pages else None


def ranked(results, corpus):
    """[(method, Figures)] of a corpus, best first."""
    rows = [(method, figures(pages.values()))
            for method, pages in results.scores[corpus.name].items()]
    return sorted(rows, key=lambda row: (-row[1].f1, row[0]))


def cost_cells(results, corpus, method):
    cost = results.costs.get(corpus.name, {}).get(method)
    return (f"{cost.us:.1f}", f"{cost.mb_per_s:.1f}") if cost else ("", "")


def is_chosen_on(row, corpus):
    """Whether the pages of the corpus had a part in the defaults."""
    names = SHORT_NAMES.get(row["sets"], row["sets"].split(","))
    return corpus.name in names or bool(
        corpus.superset and corpus.superset.name in names)


def default_cell(results, corpus, method):
    row = results.defaults.get(method)
    if not row or not is_chosen_on(row, corpus):
        return ""
    known = "not cross-validated" if row["cross_validated"] == "-" else \
        f"cross-validated {row['cross_validated']}"
    return f"in sample (mean {row['in_sample']}, {known})"


def say_how(report):
    report.say()
    report.say(
        "P, R and F1 are of words as bags, F1 LCS of the longest common "
        "subsequence of words, both by the referee and as means of pages; a "
        "page without an extract scores 0. CPU is the method's own work on a "
        "parsed page (tests/bench/bench_extract): parsing, which is the same "
        "for all, is the row `parse`, and what a method learns of a cluster "
        "is left out. \"In sample\": the method's defaults, or what it has "
        "learned, were chosen with these pages; beside it stand the mean of "
        "all sets that had a part in it, in sample and cross-validated by "
        "domain, of which the second is what other pages will see "
        "(tests/eval/defaults.tsv). The other methods have the values of their "
        "sources, or of no set.")


def summary(report, results):
    """One row a method of single pages: F1 by set, and the means."""
    sets = [c for c in results.corpora if not c.has_many_pages()]
    if len(sets) < 2:
        return
    rows = []
    for method in results.scores[sets[0].name]:
        f1 = [mean_f1(results, corpus.name, method) for corpus in sets]
        rows.append((statistics.fmean(f1), method, f1))
    report.table("Single pages: word F1", "method", *(c.name for c in sets),
                 "mean of the sets", "cross-validated", "CPU us/page",
                 "to accb")
    for mean, method, f1 in sorted(rows, reverse=True):
        cost = results.costs.get(sets[0].name, {})
        own, accb = cost.get(method), cost.get("accb")
        row = results.defaults.get(method)
        report.row(method, *f1, mean, row["cross_validated"]
                   if row and row["sets"] == "five" else "",
                   f"{own.us:.1f}" if own else "",
                   f"{own.us / accb.us:.2f}" if own and accb else "")


def many_summary(report, results):
    """One row a method: F1 by corpus of many pages."""
    sets = [c for c in results.corpora if c.has_many_pages()]
    if not sets:
        return
    rows = []
    for method in results.scores[sets[0].name]:
        f1 = [mean_f1(results, corpus.name, method) for corpus in sets]
        rows.append((statistics.fmean(f1), method, f1))
    report.table("Many pages of a site: word F1 on the same pages", "method",
                 "needs a template", *(c.name for c in sets),
                 "mean of the sets")
    for mean, method, f1 in sorted(rows, reverse=True):
        needs = method not in results.methods or \
            results.methods[method].needs_template
        report.row(method, "yes" if needs else "", *f1, mean)


def set_table(report, results, corpus):
    report.table(corpus.title, *HEADS)
    for method, f in ranked(results, corpus):
        report.row(method, *f, *cost_cells(results, corpus, method),
                   default_cell(results, corpus, method))
    parse = results.costs.get(corpus.name, {}).get("parse")
    if parse:
        report.row("`parse`", *[""] * 6, f"{parse.us:.1f}",
                   f"{parse.mb_per_s:.1f}", "")


def group_table(report, results, corpus, kind):
    groups = corpus.groups[kind]
    sizes = collections.Counter(groups[page] for page in corpus.pages
                                if page in groups)
    names = [name for name, _ in sizes.most_common()]
    report.table(f"{corpus.title}: word F1 by {kind}", "method",
                 *(f"{name} ({sizes[name]})" for name in names))
    for method, _ in ranked(results, corpus):
        report.row(method, *(mean_f1(results, corpus.name, method, name, kind)
                             for name in names))


def learn_table(report, results):
    rows = {method: [results.costs[c.name][method].learn_us
                     if method in results.costs.get(c.name, {}) else ""
                     for c in results.corpora if c.has_many_pages()]
            for method in results.methods}
    rows = {method: cells for method, cells in rows.items() if any(cells)}
    if rows:
        report.table("Learning from a sample: CPU us for each of its pages",
                     "method", *(c.name for c in results.corpora
                                 if c.has_many_pages()))
        for method, cells in rows.items():
            report.row(method, *cells)


def tables(report, results):
    say_how(report)
    summary(report, results)
    many_summary(report, results)
    for corpus in results.corpora:
        set_table(report, results, corpus)
        for kind in ("type", "site"):
            if kind in corpus.groups and (
                    corpus.name in ("wcxb-dev", "crawl-to-the-future")):
                group_table(report, results, corpus, kind)
    learn_table(report, results)


def parts(results, corpus, method):
    """(name, Figures) of all pages and of each group."""
    pages = results.scores[corpus.name][method]
    yield "all", figures(pages.values())
    for kind, groups in corpus.groups.items():
        members = collections.defaultdict(list)
        for page, score in pages.items():
            if page in groups:
                members[groups[page]].append(score)
        for group, scores in sorted(members.items()):
            yield f"{kind} {group}", figures(scores)


def write_tsv(path, results):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        for corpus in results.corpora:
            for method in results.scores[corpus.name]:
                for group, f in parts(results, corpus, method):
                    cost = cost_cells(results, corpus, method) \
                        if group == "all" else ("", "")
                    writer.writerow([corpus.name, group, method, f.pages, *(
                        f"{v:.4f}" if isinstance(v, float) else v
                        for v in f[1:]), *cost])
