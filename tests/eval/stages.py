"""The two forests of `auto`: each page's scores come from models that never
saw its domain.

A draft of the first stage says what each passage can cost (training.weights);
the first stage is grown by that, and its scores make the rows of the second,
whose weights are by them too.
"""

import dataclasses

import numpy

import passages
import training

DRAFT = training.Recipe(trees=200, depth=4, eta=0.12, columns=0.2,
                        min_child_weight=20.0, total_weight=150_000.0)
PAGE = dataclasses.replace(DRAFT, trees=400, depth=5, eta=0.06)
CONTEXT = training.Recipe(trees=80, depth=4, eta=0.1, columns=0.3,
                          min_child_weight=40.0, total_weight=62_000.0)


@dataclasses.dataclass
class Stage:
    """names and rows of its features; weight and target of each row; scores
    out of fold, and the boosters of the folds."""

    recipe: training.Recipe
    names: list
    rows: numpy.ndarray
    weight: numpy.ndarray
    target: numpy.ndarray
    boosters: list
    scores: numpy.ndarray

    def final(self):
        """The booster of all pages."""
        return training.fit(self.rows, self.weight, self.target, self.recipe)


def grow(corpus, names, rows, recipe, weighing):
    boosters, scores = training.out_of_fold(corpus, rows, *weighing, recipe)
    return Stage(recipe, names, rows, *weighing, boosters, scores)


def first_stage(corpus, recipe=PAGE, names=None):
    """By the features of the page, or by those of `names` alone."""
    names = names or corpus.table.names
    rows = corpus.table.rows[:, [corpus.table.names.index(n) for n in names]]
    draft = grow(corpus, names, rows, DRAFT, training.first_weights(corpus))
    return grow(corpus, names, rows, recipe,
                training.weights(corpus, draft.scores))


def second_stage(corpus, program, first, recipe=CONTEXT, keep=None):
    """By how the first judged the passages around; keep(name): is used."""
    table = passages.table(program, corpus.files, first.scores)
    columns = [i for i, name in enumerate(table.names)
               if keep is None or keep(name)]
    return grow(corpus, [table.names[i] for i in columns],
                table.rows[:, columns], recipe,
                training.weights(corpus, first.scores))


def nested(corpus, program):
    """[passages]: scores of both stages, for each fold by pages outside of it
    alone, which are dealt into folds again."""
    scores = numpy.zeros(len(corpus.words), numpy.float32)
    for fold in range(training.FOLDS):
        outer = corpus.without(fold)
        first = first_stage(outer)
        second = second_stage(outer, program, first)
        inside = corpus.fold[corpus.page_of] == fold
        columns = [corpus.table.names.index(name) for name in first.names]
        page_scores = numpy.zeros_like(scores)
        page_scores[inside] = training.predict(
            first.final(), corpus.table.rows[inside][:, columns])
        table = passages.table(program, corpus.files, page_scores)
        scores[inside] = training.predict(second.final(), table.rows[inside])
    return scores
