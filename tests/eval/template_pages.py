"""The pages by which the template's evidence is weighed: sites that have many
with gold, each passage with its label and a score of the page alone that comes
of models which never saw the site.

Those of crawl-to-the-future and daniel train the models of the page, too: they
are scored out of fold. So are the others whose site stands in the folds under
the same name in another set (big9 has some of crawl-to-the-future's sites).
"""

import collections
import dataclasses
import json
import pathlib
import pickle

import numpy

import common
import corpora as many
import corpus as corpora
import goldsets
import stages

MIN_GROUP = 5
SNAPSHOTS = many.SNAPSHOTS
# Whose templates are found by the program.
FOUND = ("daniel", *SNAPSHOTS)
TRAINING = ("crawl-to-the-future", "daniel", *SNAPSHOTS)
KEPT = common.OUT / "template" / "pages.pickle"


@dataclasses.dataclass
class Pages:
    """corpus: a corpus.Corpus without features; scores [passages], of the page
    alone; groups: {(set, site, year or ""): its pages, numbers}."""

    corpus: corpora.Corpus
    scores: numpy.ndarray
    groups: dict


def snapshot(name):
    """The goldsets.Set of a site's last snapshot."""
    site = many.snapshot(name)
    made = goldsets.Set(name, pathlib.Path(site.folders[0]), site.gold)
    made.groups = {page: name for page in site.pages}
    made.domains = {page: f"{name}.apache.org" for page in site.pages}
    return made


def names_of(domains):
    """The first label alone: news sites have one domain a country."""
    return numpy.array([domain.split(".")[0] for domain in domains])


def fold_by_name(corpus):
    """The corpus with its folds by the sites' names; pages that train nothing
    are in their site's fold if it has one."""
    trains = corpus.fold != corpora.NO_FOLD
    made = dataclasses.replace(
        corpus, domains=names_of(corpus.domains),
        weight=numpy.where(trains, corpus.weight, 0.0)).without(~trains)
    fold_of = dict(zip(made.domains[trains], made.fold[trains]))
    made.fold = numpy.array([fold_of.get(name, corpora.NO_FOLD)
                             for name in made.domains])
    return made


def groups_of(corpus, sets):
    """Of five pages and more."""
    found = collections.defaultdict(list)
    for number, (name, file) in enumerate(zip(corpus.sets, corpus.files)):
        if name not in sets:
            continue
        made = sets[name]
        page = corpora.page_name(made, file)
        group = made.groups.get(page, "")
        site, _, year = group.partition("-") if group[-4:].isdigit() \
            else (group, "", "")
        found[str(name), site, year].append(number)
    return {group: pages for group, pages in found.items()
            if len(pages) >= MIN_GROUP and group[1]}


def clusters_of(ctl, name, files):
    """[pages] of those that the program finds in one template: `files`,
    {number of a page: its file}. A site and year that are known are one."""
    if name not in FOUND:
        return [sorted(files)]
    where = [files[number] for number in files]
    found = json.loads(common.call(ctl, "--json", "cluster", *where))["pages"]
    cluster = {row["path"]: row["cluster"] for row in found}
    made = collections.defaultdict(list)
    for number, file in sorted(files.items()):
        made[cluster.get(str(file), file)].append(number)
    return list(made.values())


def make(program):
    sites = [snapshot(name) for name in many.SNAPSHOTS]
    corpus = fold_by_name(corpora.load(common.DATA, common.OUT / "data",
                                       program, sites))
    first = stages.first_stage(corpus, stages.chosen("page"))
    table = stages.second_table(corpus, program, first)
    second = stages.second_stage(corpus, table, first,
                                 stages.chosen("context"))
    sets = {made.name: made for made in (*goldsets.load(
        common.DATA, common.OUT / "data",
        ("crawl-to-the-future", "daniel", "big9")), *sites)}
    corpus.table.rows = numpy.zeros((0, 0), numpy.float32)
    return Pages(corpus, second.scores, groups_of(corpus, sets))


def load(program):
    """The Pages; kept in build/eval/template, because they take a while: to
    be removed when the models of the page were trained anew."""
    if not KEPT.exists():
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        made = make(program)
        with open(KEPT, "wb") as stream:
            pickle.dump(made, stream)
        return made
    with open(KEPT, "rb") as stream:
        return pickle.load(stream)
