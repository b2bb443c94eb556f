"""The pages that methods are compared on, and what each method makes of them.

Single pages: the five gold sets. Many pages of a site: crawl-to-the-future with
a folder per site and year (groups known: the folder is the cluster), daniel
with a folder per site of five pages or more, and the last snapshots of four
sites whose sources are known (groups found: the program clusters them).
"""

import collections
import concurrent.futures
import csv
import io
import shutil

import common
import goldsets

# Gold made of the pages' sources counts when it holds most of the text.
MIN_COMPLETENESS = 0.8
SNAPSHOTS = ("flink", "jena", "rocketmq", "sling")
# What the program does by itself: beside `auto`, which here is that of one
# page, a batch gives it the template.
WITH_TEMPLATE = common.Method("auto", True, ())
FIVE = 5
PROCESSES = 2
ROUNDS = 3

# Scores of a page: (P, R, F1) by words and by longest common subsequence (or
# None), and whether there was an extract at all.
Score = collections.namedtuple("Score", "word lcs is_there")
# CPU microseconds a page, MB/s, microseconds of learning a page or "".
Cost = collections.namedtuple("Cost", "us mb_per_s learn_us")


class Corpus:
    """Fields: name; title; gold, a folder; pages, the keys that are scored;
    folders to be extracted; threshold of a batch, or None for single pages;
    superset, a corpus of single pages that has all of these, or None; groups,
    {"type", say: {page: group}}.
    """

    def __init__(self, name, title, gold, pages, folders):
        self.name, self.title, self.gold = name, title, gold
        self.pages, self.folders = pages, folders
        self.threshold = self.superset = None
        self.groups = {}

    def has_many_pages(self):
        return self.threshold is not None


def single(gold):
    """Of a gold set."""
    made = Corpus(gold.name, gold.name, gold.gold,
                  sorted(goldsets.gold_words(common.DATA, gold.gold)),
                  [gold.pages])
    if gold.types:
        made.groups["type"] = gold.types
    if gold.name == "crawl-to-the-future":
        made.groups["site"] = gold.domains
        made.groups["site and year"] = gold.groups
    return made


def in_fives(groups):
    """{name: pages} with each group dealt into groups of FIVE and a rest."""
    dealt = {}
    for group, pages in groups.items():
        for begin in range(0, len(pages) - FIVE + 1, FIVE):
            dealt[f"{group}-{begin}"] = pages[begin:begin + FIVE]
    return dealt


def grouped(gold, one_page, threshold, deal=None):
    """Of a gold set that has many pages of a site; `one_page` is its other."""
    groups = goldsets.members(gold)
    name = f"{gold.name}-{'known' if threshold == '1' else 'found'}"
    title = f"{gold.name}, {len(groups)} groups, {name.split('-')[-1]}"
    if deal:
        groups = deal(groups)
        name, title = f"{name}-fives", f"{gold.name}, groups of five, known"
    folder = common.OUT / "groups" / name
    shutil.rmtree(folder, ignore_errors=True)
    for group, pages in groups.items():
        goldsets.copy_pages(gold, pages, folder / group)
    made = Corpus(name, title, gold.gold,
                  sorted(page for pages in groups.values() for page in pages),
                  [folder / group for group in groups])
    made.threshold, made.superset = threshold, one_page
    made.groups["site"] = gold.domains
    if threshold == "1" and not deal:
        made.groups["site and year"] = gold.groups
    return made


def snapshot(site):
    """The last one, with its pages that have good gold."""
    folder = common.unpack(site)
    last = sorted(p for p in folder.glob("20*") if p.is_dir())[-1]
    rows = (folder / "gold_source.tsv").read_text("utf-8").splitlines()[1:]
    score = goldsets.referee(common.DATA)
    good = {score.key(row.split("\t")[0].split("/", 1)[1]) for row in rows
            if row.startswith(last.name + "/")
            and float(row.split("\t")[5]) >= MIN_COMPLETENESS}
    gold = folder / "gold" / last.name
    pages = sorted(good & set(goldsets.gold_words(common.DATA, gold)))
    made = Corpus(site, f"{site}, {last.name}, groups found", gold, pages,
                  [last])
    made.threshold = "auto"
    return made


def load(is_quick):
    """All of them; quick: wcxb-dev alone."""
    names = goldsets.NAMES[:1] if is_quick else goldsets.NAMES
    sets = {gold.name: gold for gold in goldsets.load(
        common.DATA, common.OUT / "data", names)}
    found = {name: single(gold) for name, gold in sets.items()}
    corpora = list(found.values())
    if not is_quick:
        for name, threshold in (("crawl-to-the-future", "1"),
                                ("daniel", "auto")):
            corpora.append(grouped(sets[name], found[name], threshold))
        corpora.append(grouped(sets["crawl-to-the-future"],
                               found["crawl-to-the-future"], "1", in_fives))
        corpora += [snapshot(site) for site in SNAPSHOTS]
    return corpora


def extract(ctl, corpus, method, out):
    """A page that has no template in a found group has no extract, either."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for folder in corpus.folders:
        if method.needs_template:
            common.call(ctl, "batch", "--method", method.name, "--threshold",
                        corpus.threshold, "--out", out, folder, may_fail=True)
        else:
            common.call(ctl, "extract", "--method", method.name, "--out", out,
                        folder, may_fail=True)


def score_pages(corpus, out, has_lcs):
    """{page: Score}."""
    gold = goldsets.gold_words(common.DATA, corpus.gold)
    scores = {}
    for page in corpus.pages:
        got = goldsets.extracted_words(common.DATA, out, page)
        scores[page] = Score(
            goldsets.word_score(common.DATA, gold[page], got),
            goldsets.lcs_score(common.DATA, gold[page], got) if has_lcs
            else None, got is not None)
    return scores


def label(method):
    """Its name in the tables."""
    return "auto, template" if method == WITH_TEMPLATE else method.name


def measure_one(ctl, corpus, method, has_lcs):
    out = common.OUT / "extracts" / corpus.name / label(method)
    extract(ctl, corpus, method, out)
    return score_pages(corpus, out, has_lcs)


def jobs_of(corpora, methods):
    """(corpus, method) of what is to be extracted, the long ones first."""
    jobs = []
    for corpus in corpora:
        for method in [*methods, WITH_TEMPLATE]:
            if corpus.superset and not method.needs_template or \
                    not corpus.has_many_pages() and method.needs_template:
                continue
            jobs.append((corpus, method))
    return sorted(jobs, key=lambda job: -len(job[0].pages))


def measure(build, corpora, methods, has_lcs):
    """{corpus: {method: {page: Score}}}, by name."""
    ctl = build / "daemon" / "templatectl"
    scores = {corpus.name: {} for corpus in corpora}
    jobs = jobs_of(corpora, methods)
    with concurrent.futures.ProcessPoolExecutor(PROCESSES) as pool:
        futures = {pool.submit(measure_one, ctl, corpus, method, has_lcs):
                   (corpus, method) for corpus, method in jobs}
        for done, future in enumerate(
                concurrent.futures.as_completed(futures)):
            corpus, method = futures[future]
            scores[corpus.name][label(method)] = future.result()
            common.progress(f"extract: {corpus.name} {label(method)}",
                            done + 1, len(jobs))
    common.progress_clear()
    for corpus in corpora:
        if corpus.superset:
            for name, pages in scores[corpus.superset.name].items():
                scores[corpus.name][name] = {page: pages[page]
                                             for page in corpus.pages}
    return scores


def costs_of(build, corpus, methods):
    """{method: Cost} of a corpus; "parse" is one, too."""
    wanted = [m for m in methods if corpus.has_many_pages()
              or not m.needs_template]
    if corpus.superset:
        wanted = [m for m in methods if m.needs_template]
    command = [build / "tests" / "bench" / "bench_extract", "--tsv",
               "--rounds", ROUNDS]
    for method in wanted:
        command += ["--method", method.name]
    text = common.call(*command, *corpus.folders)
    return {row["method"]: Cost(float(row["us_a_page"]), float(row["MB_a_s"]),
                                row["learn_us"])
            for row in csv.DictReader(io.StringIO(text), delimiter="\t")}


def costs(build, corpora, methods):
    """{corpus: {method: Cost}}, one after the other."""
    found = {}
    for done, corpus in enumerate(corpora):
        common.progress(f"time: {corpus.name}", done, len(corpora))
        found[corpus.name] = costs_of(build, corpus, methods)
        if corpus.superset:
            found[corpus.name] = {**found[corpus.superset.name],
                                  **found[corpus.name]}
    common.progress_clear()
    return found
