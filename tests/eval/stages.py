"""The forests of `auto`: each page's scores come from models that never saw
its domain.

A draft of the first stage says what each passage can cost (training.weights);
the first stage is grown by that, and its scores make the rows of the second,
whose weights are by them too. In its place stands, where a caller names a
scope, one that has grown by the pages whose gold has that scope alone. Another
forest knows readers' comments, by the rows of the second.
"""

import dataclasses
import pathlib

import numpy

import passages
import training

FEATURES = pathlib.Path(__file__).with_name("features.tsv")
# The second stages by the scope of their pages; the features are the same.
SECOND = {"context": None, "scope-body": "body", "scope-page": "page"}
# How many of them --rank takes.
COUNTS = {"page": 110, "context": 45, "comments": 40}
DRAFT = training.Recipe(trees=100, depth=4, eta=0.2, columns=0.3,
                        min_child_weight=20.0, total_weight=150_000.0)
PAGE = dataclasses.replace(DRAFT, trees=200, depth=5, eta=0.1, rows=300_000)
CONTEXT = training.Recipe(trees=40, depth=5, eta=0.15, columns=0.4,
                          min_child_weight=40.0, total_weight=62_000.0,
                          rows=300_000)
COMMENTS = training.Recipe(trees=40, depth=5, eta=0.15, columns=0.4,
                           min_child_weight=20.0, total_weight=20_000.0)


@dataclasses.dataclass
class Stage:
    """table: the names of all features; names and rows of those it may read;
    weight and target of each row; scores out of fold, and the boosters of the
    folds; the last one is that of all pages that train."""

    recipe: training.Recipe
    table: list
    names: list
    rows: numpy.ndarray
    weight: numpy.ndarray
    target: numpy.ndarray
    boosters: list
    scores: numpy.ndarray

    def final(self):
        return self.boosters[-1]


def grow(corpus, columns, recipe, weighing):
    """columns: table, names and rows of a Stage."""
    boosters, scores = training.out_of_fold(corpus, columns[-1], *weighing,
                                            recipe)
    return Stage(recipe, *columns, *weighing, boosters, scores)


def chosen(forest):
    """The names of the features that a forest may read."""
    return {line.split("\t")[1] for line in FEATURES.read_text("utf-8")
            .splitlines() if line.startswith(forest + "\t")}


def some_columns(table, names):
    """(all names; those of the names, and their rows, in the order of the
    table); None: all."""
    columns = [i for i, name in enumerate(table.names)
               if names is None or name in names]
    return (table.names, [table.names[i] for i in columns],
            numpy.ascontiguousarray(table.rows[:, columns]))


def first_stage(corpus, names):
    """By the features of the page that are named."""
    columns = some_columns(corpus.table, names)
    draft = grow(corpus, columns, DRAFT, training.first_weights(corpus))
    return grow(corpus, columns, PAGE,
                training.weights(corpus, draft.scores))


def second_table(corpus, program, first):
    """The features of a second stage: how the first judged the passages
    around, and those of the page."""
    return passages.table(program, corpus.files, first.scores)


def second_stage(corpus, table, first, names, scope=None):
    """By the pages whose gold has the scope (None: any)."""
    weight, target = training.weights(corpus, first.scores)
    own = corpus.has_scope(scope)[corpus.page_of]
    return grow(corpus, some_columns(table, names), CONTEXT,
                (weight * own, target))


def comment_stage(corpus, table, names):
    """Comments or not, by the rows of the second stage: of the pages whose
    comments are known."""
    weight, _ = training.first_weights(corpus)
    known = corpus.has_comments[corpus.page_of]
    return grow(corpus, some_columns(table, names), COMMENTS,
                (weight * known, corpus.comments))


def forests(corpus, program, names_of=chosen):
    """{name: Stage}; names_of(name): its features."""
    first = first_stage(corpus, names_of("page"))
    table = second_table(corpus, program, first)
    made = {"page": first}
    for name, scope in SECOND.items():
        made[name] = second_stage(corpus, table, first, names_of("context"),
                                  scope)
    return {**made,
            "comments": comment_stage(corpus, table, names_of("comments"))}


def held_out(corpus, program, is_out, scopes=(None,)):
    """[passages] each: scores of both stages by the scope, of the pages
    `is_out` by models of the other pages alone, which are dealt into folds
    again."""
    rest = corpus.without(is_out)
    first = first_stage(rest, chosen("page"))
    table = second_table(rest, program, first)
    return [second_stage(rest, table, first, chosen("context"), scope).scores
            for scope in scopes]


def nested(corpus, program, parts):
    """[passages]: the held_out() scores of each part, [pages] of what it is;
    those that train nothing by the last part's models."""
    scores = numpy.zeros(len(corpus.words), numpy.float32)
    for part in parts:
        inside = (part | (corpus.fold < 0))[corpus.page_of]
        scores[inside] = held_out(corpus, program, part)[0][inside]
    return scores
