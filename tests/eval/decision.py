"""Which passages are shown, given their scores, and how good that is.

The rule is that of extract/auto/auto.c: a passage over the threshold, unless
it cannot be read or repeats one that is shown. A page's F1 is the word F1 of
score.py, whose words are numbers here: those of the gold, from 0.
"""

import numpy

MIN_REPEATED_WORDS = 5
# By the name in the model file: enum favor of extract/core/extractor.h.
BETAS = {"BALANCE": 1.0, "PRECISION": 0.5, "RECALL": 2.0}
GRID = numpy.round(numpy.arange(0.10, 0.80, 0.02), 2)


class Page:
    """The passages of one page and its gold, ready to be scored.

    words, may_show, key [passages]: words of each, whether it can be read,
    and a number that passages ratio of which one alone is shown (-1: none).
    """

    def __init__(self, passages, gold, may_show, keys):
        number = {word: i for i, word in enumerate(dict.fromkeys(gold))}
        self.gold = numpy.bincount([number[word] for word in gold],
                                   minlength=1)
        self.gold_words = len(gold)
        self.words = numpy.array([len(words) for words in passages])
        known = [[number[word] for word in words if word in number]
                 for words in passages]
        self.known = numpy.array([i for some in known for i in some], int)
        self.known_count = numpy.array([len(some) for some in known])
        self.may_show = may_show
        self.keys = numpy.where(self.words >= MIN_REPEATED_WORDS, keys, -1)

    def choose(self, scores, threshold):
        """[passages]: whether it is shown."""
        shown = (scores > threshold) & self.may_show
        repeated = numpy.flatnonzero(shown & (self.keys >= 0))
        _, first = numpy.unique(self.keys[repeated], return_index=True)
        shown[repeated] = False
        shown[repeated[first]] = True
        return shown

    def precision_recall(self, shown):
        words = self.words[shown].sum()
        if self.gold_words == 0 or words == 0:
            return (float(self.gold_words == words),) * 2
        found = numpy.bincount(
            self.known[numpy.repeat(shown, self.known_count)],
            minlength=len(self.gold))
        right = numpy.minimum(found, self.gold).sum()
        return right / words, right / self.gold_words


def f_score(precision, recall, beta=1.0):
    """Van Rijsbergen's F, of arrays."""
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / numpy.where(
        below > 0, below, 1)


def measure(pages, slices, scores, grid=GRID):
    """[grid, pages, 2]: precision and recall by each threshold."""
    measured = numpy.zeros((len(grid), len(pages), 2))
    for number, (page, where) in enumerate(zip(pages, slices)):
        own, last = scores[where], None
        for step, threshold in enumerate(grid):
            over = numpy.count_nonzero(own > threshold)
            if over != last:
                value = page.precision_recall(page.choose(own, threshold))
            last = over
            measured[step, number] = value
    return measured


def best_threshold(measured, beta=1.0, weight=None, grid=GRID):
    """By the mean of pages of this weight [pages]; smoothed over three steps,
    so that no page decides."""
    means = numpy.average(f_score(measured[..., 0], measured[..., 1], beta),
                          axis=1, weights=weight)
    smooth = numpy.convolve(numpy.pad(means, 1, "edge"), [1 / 3] * 3, "valid")
    return int(smooth.argmax())


def cross_fitted(measured, folds, weight, beta=1.0):
    """[pages]: F by the threshold that is best on the other folds, where a
    page counts its weight [pages]."""
    scores = numpy.zeros(measured.shape[1])
    for fold in numpy.unique(folds):
        inside = folds == fold
        step = best_threshold(measured[:, ~inside], beta, weight[~inside])
        scores[inside] = f_score(measured[step, inside, 0],
                                 measured[step, inside, 1], beta)
    return scores
