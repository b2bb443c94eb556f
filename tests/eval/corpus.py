"""The pages that train `auto`, and those that only measure it, with their gold
and their folds.

Gold sets have conventions that contradict each other (whether a teaser, a
comment, a caption belongs to the content), and a page does not say by which it
will be judged: `auto` learns from all sets whose licence allows it. What is for
research alone (RESEARCH) trains nothing.
"""

import dataclasses
import functools
import multiprocessing
import re

import numpy

import decision
import goldsets
import labels
import passages
import training

SETS = ("wcxb-dev", "dragnet", "daniel", "crawl-to-the-future")
RESEARCH = ("big9", "cleaneval-en-dev")
# Whose gold is what: enum scope of extract/core/extractor.h. That of articles
# is their body, that of wcxb-dev all that a page is about.
SCOPES = {"body": ("dragnet", "daniel", "crawl-to-the-future"),
          "page": ("wcxb-dev",)}
NO_FOLD = -1
# A page of a set counts so much: wcxb-dev is the one with other pages than
# articles, and its forums are what the others teach to be comments.
WEIGHTS = {"wcxb-dev": 2.0}
TYPE_WEIGHTS = {"forum": 2.0}
COMMENT_RATIO = 0.5
LABELLED = 0.5


@dataclasses.dataclass
class Corpus:
    """Arrays [pages]: files, sets, types ("" where it is not known), domains,
    fold (NO_FOLD: trains nothing), weight, gold_words, total_words, pages (of
    decision.Page); [passages]: page_of, words, may_show, labels, comments
    (labels, of pages with has_comments); slices: the passages of each page;
    table: a passages.Table."""

    files: list
    sets: numpy.ndarray
    types: numpy.ndarray
    domains: numpy.ndarray
    fold: numpy.ndarray
    weight: numpy.ndarray
    gold_words: numpy.ndarray
    total_words: numpy.ndarray
    has_comments: numpy.ndarray
    pages: list
    page_of: numpy.ndarray
    words: numpy.ndarray
    may_show: numpy.ndarray
    labels: numpy.ndarray
    comments: numpy.ndarray
    slices: list
    table: passages.Table

    def score(self, scores, scope=None):
        """[pages]: F1, cross-fitted by the sets of the scope (None: all)."""
        return decision.cross_fitted(self.measure(scores), self.fold,
                                     self.share(scope))

    def measure(self, scores):
        return decision.measure(self.pages, self.slices, scores)

    def has_scope(self, scope):
        """[pages]: whether its gold has it; None: any."""
        return numpy.isin(self.sets, SCOPES[scope] if scope else self.sets)

    def share(self, scope=None):
        """[pages]: weights by which each set of the scope that trains counts
        the same."""
        trains = (self.fold != NO_FOLD) & self.has_scope(scope)
        share = numpy.zeros(len(self.pages))
        for name in set(self.sets[trains]):
            own = trains & (self.sets == name)
            share[own] = 1 / numpy.count_nonzero(own)
        return share

    def without(self, is_out):
        """The same, but these pages [pages] train nothing."""
        fold = numpy.full(len(self.pages), NO_FOLD)
        left = numpy.flatnonzero((self.fold != NO_FOLD) & ~is_out)
        fold[left] = training.deal(self.kinds()[left], self.domains[left])
        return dataclasses.replace(self, fold=fold)

    def kinds(self):
        """[pages]: what a fold is to have its share of."""
        return numpy.char.add(self.sets, self.types)


def page_name(gold, path):
    """Of a file of a set."""
    return re.sub(r"\.html?(\.gz)?$", "", str(path.relative_to(gold.pages)))


def page_files(gold):
    """{page: its file}, sorted."""
    return {page_name(gold, path): path
            for path in sorted(gold.pages.rglob("*.htm*"))}


def keys_of(table, where):
    """[passages]: equal for those of which one is shown; -1: for none."""
    keys = table.hash[where].view(numpy.int64)
    _, first, which = numpy.unique(keys, return_index=True,
                                   return_inverse=True)
    return numpy.where(table.is_pre[where], -1, first[which])


def read_page(shared, texts, gold, comments, rest):
    """(decision.Page, labels, labels of the comments) of one page; rest: of
    the passages is_readable, keys, is_pre.

    What cannot be read is nowhere in the gold: where an article stands in a
    textarea too, to be copied, the gold is the other one.
    """
    is_readable, keys, is_pre = rest
    words_of = goldsets.referee(shared).words
    texts = [words_of(text.decode("utf-8", "replace")) for text in texts]
    page = decision.Page(texts, gold, is_readable, keys)
    readable = [words if may_show else []
                for words, may_show in zip(texts, page.may_show)]
    label = labels.labels(readable, gold, is_pre)
    left = [words if own < LABELLED else []
            for words, own in zip(readable, label)]
    return page, label, labels.labels(left, comments, is_pre)


def holds_comments(table, where, label):
    """Whether the gold of a page is mostly of what its markup calls comments:
    some of dragnet was never divided, and teaches nothing."""
    is_comment = table.rows[where, table.names.index("to_class_comment")] < 30
    words = table.words[where] * (label >= LABELLED)
    return words[is_comment].sum() > COMMENT_RATIO * max(words.sum(), 1)


def comments_of(shared, gold_set, name):
    """The words of a page's comments; none where the set does not say."""
    path = gold_set.gold / f"{name}.comments.txt"
    if not path.exists():
        return []
    return goldsets.referee(shared).words(path.read_text("utf-8", "replace"))


def found(shared, cache, more):
    """Of all sets, and more: (set, page, file, words of its gold) each,
    sorted."""
    for gold_set in (*goldsets.load(shared, cache, (*SETS, *RESEARCH)), *more):
        gold = goldsets.gold_words(shared, gold_set.gold)
        for name, path in page_files(gold_set).items():
            if name in gold:
                yield gold_set, name, path, gold[name][0]


def load(shared, cache, program, more=()):
    """The Corpus, by the program passage_table; `more` sets train nothing."""
    sources = list(found(shared, cache, more))
    files = [path for _, _, path, _ in sources]
    table = passages.table(program, files)
    slices = table.pages()
    comments = [comments_of(shared, *source[:2]) for source in sources]
    with multiprocessing.Pool(training.THREADS) as pool:
        read = pool.starmap(functools.partial(read_page, shared), [
            (table.texts[where], gold, said,
             (table.is_readable[where], keys_of(table, where),
              table.is_pre[where]))
            for where, (_, _, _, gold), said in zip(slices, sources,
                                                    comments)], 8)
    table.texts.clear()
    pages = [page for page, _, _ in read]
    words = numpy.concatenate([page.words for page in pages])
    page_of = table.page_of()
    sets = numpy.array([gold_set.name for gold_set, *_ in sources])
    types = numpy.array([gold_set.types.get(name, "")
                         for gold_set, name, *_ in sources])
    made = Corpus(
        files=files, sets=sets, types=types,
        domains=numpy.array([
            gold_set.domains.get(name, f"{gold_set.name}/{name}")
            for gold_set, name, *_ in sources]),
        fold=numpy.zeros(len(pages), int),
        weight=numpy.array([WEIGHTS.get(name, 1.0) * TYPE_WEIGHTS.get(kind, 1)
                            for name, kind in zip(sets, types)]),
        gold_words=numpy.array([page.gold_words for page in pages]),
        total_words=numpy.bincount(page_of, words, len(pages)),
        has_comments=numpy.array(list(map(bool, comments))),
        pages=pages, page_of=page_of, words=words.astype(numpy.float32),
        may_show=table.is_readable,
        labels=numpy.concatenate([label for _, label, _ in read]),
        comments=numpy.concatenate([label for _, _, label in read]),
        slices=slices, table=table)
    undivided = numpy.array([
        name == "dragnet" and not said and holds_comments(table, where, own[1])
        for name, said, where, own in zip(sets, comments, slices, read)])
    return made.without(~numpy.isin(sets, SETS) | undivided)
