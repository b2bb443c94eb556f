"""The pages that train `auto`, with their gold and their folds.

The development split of WCXB v1.0 alone; every other set measures.
"""

import dataclasses

import numpy

import decision
import goldsets
import labels
import passages
import training

SET = "wcxb-dev"


@dataclasses.dataclass
class Corpus:
    """Arrays [pages]: files, types, domains, fold, gold_words, total_words,
    pages (of decision.Page); [passages]: page_of, words, may_show, labels;
    slices: the passages of each page; table: a passages.Table."""

    files: list
    types: numpy.ndarray
    domains: numpy.ndarray
    fold: numpy.ndarray
    gold_words: numpy.ndarray
    total_words: numpy.ndarray
    pages: list
    page_of: numpy.ndarray
    words: numpy.ndarray
    may_show: numpy.ndarray
    labels: numpy.ndarray
    slices: list
    table: passages.Table

    def score(self, scores):
        """[pages]: F1, cross-fitted."""
        return decision.cross_fitted(self.measure(scores), self.fold)

    def measure(self, scores):
        return decision.measure(self.pages, self.slices, scores)

    def without(self, fold):
        """The Corpus of the other pages, dealt into folds again."""
        left = numpy.flatnonzero(self.fold != fold)
        rows = numpy.flatnonzero(self.fold[self.page_of] != fold)
        table = self.table.some(left, rows)
        return Corpus(
            files=[self.files[i] for i in left], types=self.types[left],
            domains=self.domains[left],
            fold=training.deal(self.types[left], self.domains[left]),
            gold_words=self.gold_words[left],
            total_words=self.total_words[left],
            pages=[self.pages[i] for i in left], page_of=table.page_of(),
            words=self.words[rows], may_show=self.may_show[rows],
            labels=self.labels[rows], slices=table.pages(), table=table)


def page_files(gold):
    """{page: its file}, sorted."""
    return {path.name.split(".")[0]: path
            for path in sorted(gold.pages.glob("*.html*"))}


def keys_of(table, where):
    """[passages]: equal for those of which one is shown; -1: for none."""
    keys = table.hash[where].view(numpy.int64)
    _, first, which = numpy.unique(keys, return_index=True,
                                   return_inverse=True)
    return numpy.where(table.is_pre[where], -1, first[which])


def read_page(table, where, gold, words_of):
    """(decision.Page, labels) of one page.

    What cannot be read is nowhere in the gold: where an article stands in a
    textarea too, to be copied, the gold is the other one.
    """
    texts = [words_of(text.decode("utf-8", "replace"))
             for text in table.texts[where]]
    page = decision.Page(texts, gold, table.is_readable[where],
                         keys_of(table, where))
    readable = [words if may_show else []
                for words, may_show in zip(texts, page.may_show)]
    return page, labels.labels(readable, gold, table.is_pre[where])


def load(shared, program):
    """The Corpus, by the program passage_table."""
    gold_set = goldsets.wcxb(shared)
    files = page_files(gold_set)
    names = list(files)
    gold = goldsets.gold_words(shared, gold_set.gold)
    words_of = goldsets.referee(shared).words
    table = passages.table(program, files.values())
    slices = table.pages()
    read = [read_page(table, where, gold[name][0], words_of)
            for name, where in zip(names, slices)]
    table.texts.clear()
    pages = [page for page, _ in read]
    words = numpy.concatenate([page.words for page in pages])
    page_of = table.page_of()
    types = numpy.array([gold_set.types[name] for name in names])
    domains = numpy.array([gold_set.domains[name] for name in names])
    return Corpus(
        files=list(files.values()), types=types, domains=domains,
        fold=training.deal(types, domains),
        gold_words=numpy.array([page.gold_words for page in pages]),
        total_words=numpy.bincount(page_of, words, len(pages)),
        pages=pages, page_of=page_of, words=words.astype(numpy.float32),
        may_show=table.is_readable,
        labels=numpy.concatenate([label for _, label in read]),
        slices=slices, table=table)
