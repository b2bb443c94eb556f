"""Why pages of a corpus are extracted badly, by what can be counted: whose
words were chosen wrongly, or that words are missing."""

import collections

import numpy

import decision

BAD = 0.7
LINKS = 0.5   # ratio of a list's characters in links
NO_CLASS = 30  # of to_class_comment
WORST = 30


def kind_of_wrong(corpus, where, is_wrong):
    """Most of the words that were chosen wrongly are of: ..."""
    words = corpus.words[where] * is_wrong
    rows, names = corpus.table.rows[where], corpus.table.names
    is_comment = (rows[:, names.index("to_class_comment")] < NO_CLASS) | \
        (corpus.comments[where] > 0)
    is_link = rows[:, names.index("list_link_ratio")] > LINKS
    half = words.sum() / 2
    if words[is_comment].sum() > half:
        return "comments"
    return "lists of links" if words[is_link].sum() > half else "other text"


def cause_of(corpus, number, shown, precision, recall):
    """In words; "": the page is not bad."""
    where = corpus.slices[number]
    if decision.f_score(precision, recall) >= BAD:
        return ""
    if corpus.gold_words[number] == 0:
        return "the gold is empty"
    if 2 * corpus.total_words[number] < corpus.gold_words[number]:
        return "the text is not in the page"
    if precision >= BAD:
        return "cut short"
    if recall >= BAD:
        return "too much: " + kind_of_wrong(
            corpus, where, shown & (corpus.labels[where] < BAD))
    return "another text"


def judge(corpus, scores, threshold):
    """Of each page: (F1, precision, recall, cause)."""
    for number, (page, where) in enumerate(zip(corpus.pages, corpus.slices)):
        shown = page.choose(scores[where], threshold)
        precision, recall = page.precision_recall(shown)
        yield (float(decision.f_score(precision, recall)), precision, recall,
               cause_of(corpus, number, shown, precision, recall))


def report_of(report, corpus, scores, threshold, is_meant):
    """Tables: bad pages by cause and set, and the worst; of pages [pages]."""
    judged = list(judge(corpus, scores, threshold))
    sets = list(dict.fromkeys(corpus.sets[is_meant]))
    counts = collections.Counter(
        (judged[i][3], corpus.sets[i]) for i in numpy.flatnonzero(is_meant))
    report.table(f"Pages under F1 {BAD}, by cause", "cause", *sets)
    for cause in sorted({cause for cause, _ in counts if cause}):
        report.row(cause, *(counts[cause, name] for name in sets))
    report.row("pages in all", *(numpy.count_nonzero(
        is_meant & (corpus.sets == name)) for name in sets))
    worst = sorted(numpy.flatnonzero(is_meant), key=lambda i: judged[i][0])
    report.table("The worst pages", "set", "page", "type", "F1", "P", "R",
                 "words of gold", "cause")
    for i in worst[:WORST]:
        f1, precision, recall, cause = judged[i]
        report.row(corpus.sets[i], corpus.files[i].name.split(".htm")[0],
                   corpus.types[i] or "article", f1, float(precision),
                   float(recall), corpus.gold_words[i], cause)
