"""Boosted trees on passages, and their predictions for pages they never saw.

The loss is the logistic one. A passage weighs what it can cost its page: with
N words chosen and G in the gold, F1 = 2 TP / (N + G), so that a word chosen
rightly adds 2 (1 - F1 / 2) / (N + G) to it and one chosen wrongly takes F1 /
(N + G) away (its derivatives). N and F1 are expectations by the scores of an
earlier model, out of fold.
"""

import dataclasses

import numpy
import xgboost
from sklearn.model_selection import StratifiedGroupKFold

FOLDS = 5
SEED = 1
MIN_WORDS = 30          # a page counts as if it had so many, twice
F1_RANGE = (0.1, 0.98)  # expected; neither end is to be taken at its word
THREADS = 2
COMMON = {
    "objective": "binary:logistic", "tree_method": "hist", "max_bin": 64,
    "subsample": 0.6, "reg_lambda": 3.0, "base_score": 0.5,
    "nthread": THREADS, "verbosity": 0,
}


@dataclasses.dataclass
class Recipe:
    """How a forest is grown. total_weight: of all rows, to which
    min_child_weight and reg_lambda are relative; rows: at most about so many
    are used, drawn by their weight."""

    trees: int
    depth: int
    eta: float
    columns: float
    min_child_weight: float
    total_weight: float
    rows: int = 150_000
    seed: int = SEED

    def parameters(self):
        return {**COMMON, "max_depth": self.depth, "eta": self.eta,
                "colsample_bytree": self.columns, "seed": self.seed,
                "min_child_weight": self.min_child_weight}

    def __str__(self):
        return (f"{self.trees} trees of depth {self.depth}, eta {self.eta}, "
                f"columns {self.columns}, min_child_weight "
                f"{self.min_child_weight:g} of {self.total_weight:g}, "
                f"{self.rows} rows")


def deal(kinds, domains):
    """[pages]: its fold; a domain is in one, kinds are spread evenly."""
    fold = numpy.zeros(len(kinds), int)
    splitter = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
    for number, (_, inside) in enumerate(
            splitter.split(kinds, kinds, domains)):
        fold[inside] = number
    return fold


def first_weights(corpus):
    """Before any model: as if .3 of what is no content would be chosen."""
    page = corpus.page_of
    gold, total = corpus.gold_words[page], corpus.total_words[page]
    cost = corpus.words / (numpy.maximum(gold, MIN_WORDS)
                           + 0.3 * numpy.maximum(total - gold, 0))
    return cost * corpus.may_show * corpus.weight[page], corpus.labels


def weights(corpus, scores):
    """(weight, target) of each passage, from the scores of a model."""
    count, page = len(corpus.gold_words), corpus.page_of
    chosen = numpy.bincount(page, scores * corpus.words, count)
    right = numpy.bincount(page, scores * corpus.words * corpus.labels, count)
    size = chosen + corpus.gold_words
    half = numpy.clip(2 * right / numpy.maximum(size, 1), *F1_RANGE)[page] / 2
    cost = corpus.words / numpy.maximum(size, 2 * MIN_WORDS)[page]
    gain = corpus.labels * (1 - half)
    loss = (1 - corpus.labels) * half
    return (cost * (gain + loss) * corpus.may_show * corpus.weight[page],
            gain / (gain + loss))


def draw(weight, count, seed):
    """(rows, their weights): importance sampling of about `count` rows.

    The chance of a row goes by weight ** .7, and its weight is divided by it.
    """
    power = weight.astype(float) ** 0.7
    low, high = 0.0, 1.0
    while numpy.minimum(1, power * high).sum() < \
            min(count, numpy.count_nonzero(weight)) and high < 1e9:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        if numpy.minimum(1, power * middle).sum() < count:
            low = middle
        else:
            high = middle
    chance = numpy.minimum(1, power * high)
    drawn = numpy.random.default_rng(seed).random(len(weight)) < chance
    return numpy.flatnonzero(drawn), weight[drawn] / chance[drawn]


def fit(rows, weight, target, recipe):
    """A booster of rows that weigh something."""
    used, cost = draw(weight, recipe.rows, recipe.seed)
    scale = recipe.total_weight / cost.sum()
    data = xgboost.DMatrix(rows[used], label=target[used],
                           weight=cost * scale, nthread=THREADS)
    return xgboost.train(recipe.parameters(), data, recipe.trees)


def predict(booster, rows, trees=0):
    """Probabilities, by the first trees (0: all)."""
    return booster.predict(xgboost.DMatrix(rows, nthread=THREADS),
                           iteration_range=(0, trees))


def fit_some(rows, weight, target, recipe, is_used):
    """A booster of the rows that are used [passages]."""
    return fit(rows, numpy.where(is_used, weight, 0), target, recipe)


def out_of_fold(corpus, rows, weight, target, recipe):
    """(boosters, scores): each page's by the booster without its fold; those
    in no fold by the last booster, that of all the others."""
    scores = numpy.zeros(len(rows), numpy.float32)
    boosters = []
    fold = corpus.fold[corpus.page_of]
    for number in (*range(FOLDS), -1):
        inside = fold == number
        booster = fit_some(rows, weight, target, recipe,
                           (fold >= 0) & ~inside)
        if inside.any():
            scores[inside] = predict(booster, rows[inside])
        boosters.append(booster)
    return boosters, scores
