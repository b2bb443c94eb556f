"""How far `auto` can be trusted on a page: its F1, as it expects it.

If scores were probabilities, 2 (score of what is chosen) / (words chosen +
score of all) would be the F1 to expect (Lewis 1995). They lean to what costs
least, and pages are good or bad as a whole, so that a logistic regression on
this and on how much was chosen says what F1 was measured, out of fold.
"""

import numpy
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

INPUTS = ("expected", "words", "ratio", "passages")
BINS = 10
EDGE = 0.01


def expected_f1(words, scores, shown):
    """As choice_assess() of extract/auto/auto.c."""
    content = scores * words
    total = words[shown].sum() + content.sum()
    return 2 * content[shown].sum() / total if total > 0 else 0.0


def inputs(page, scores, threshold):
    """[INPUTS] of a page: the logit of the expected F1 between the edges,
    ln1(words chosen), their ratio of the page, ln1(passages of it)."""
    shown = page.choose(scores, threshold)
    expected = expected_f1(page.words, scores, shown)
    expected = min(max(expected, EDGE), 1 - EDGE)
    chosen, total = page.words[shown].sum(), page.words.sum()
    return (numpy.log(expected / (1 - expected)), numpy.log1p(chosen),
            chosen / max(total, 1), numpy.log1p(len(page.words)))


def table_of(corpus, scores, threshold):
    """([pages, INPUTS], [pages] F1) by one threshold."""
    rows, f1 = [], []
    for page, where in zip(corpus.pages, corpus.slices):
        rows.append(inputs(page, scores[where], threshold))
        precision, recall = page.precision_recall(
            page.choose(scores[where], threshold))
        f1.append(2 * precision * recall / max(precision + recall, 1e-9))
    return numpy.array(rows), numpy.array(f1)


def fit(rows, f1):
    """Fractional logistic regression: a page is f1 of it good."""
    model = LogisticRegression(C=100.0, max_iter=1000)
    model.fit(numpy.concatenate([rows, rows]),
              numpy.repeat([1, 0], len(rows)),
              numpy.concatenate([f1, 1 - f1]))
    return model


def cross_fitted(corpus, rows, f1):
    """[pages]: confidence, by the other folds."""
    confidence = numpy.zeros(len(f1))
    for fold in numpy.unique(corpus.fold):
        inside = corpus.fold == fold
        model = fit(rows[~inside], f1[~inside])
        confidence[inside] = model.predict_proba(rows[inside])[:, 1]
    return confidence


def calls_of(base, weights):
    """Of the model file."""
    return [("CONSTANT", "confidence_base", base),
            *(("CONSTANT", f"confidence_{name}", value)
              for name, value in zip(INPUTS, weights))]


def constants(model):
    return calls_of(model.intercept_[0], model.coef_[0])


def no_confidence():
    """Where nobody asks for it."""
    return calls_of(0, [0] * len(INPUTS))


def reliability(report, confidence, f1):
    """Table of ten bins of as many pages, and rank correlation."""
    report.table("Confidence, cross-fitted, by tenths of the pages",
                 "confidence from", "to", "mean", "measured F1", "pages")
    order = numpy.argsort(confidence)
    off = 0.0
    for some in numpy.array_split(order, BINS):
        own = confidence[some]
        report.row(own.min(), own.max(), own.mean(), f1[some].mean(),
                   len(some))
        off += abs(own.mean() - f1[some].mean()) * len(some) / len(f1)
    report.say()
    report.say(f"Expected calibration error {off:.4f}; rank correlation "
               f"(Spearman) {spearmanr(confidence, f1).statistic:.3f}.")
