"""What each family of features brings, and what size of models."""

import re

import numpy

import common
import forest_model
import training

FAMILIES = ("shape", "dom_path", "sequence", "page_context")
# Groups of features, by their names.
GROUPS = (
    ("class names", r"to_class_|class_groups"),
    ("distances to elements", r"to_(?!class_|top|item)"),
    ("subtrees (readability)", r"subtree_|in_top|to_top|.*density"),
    ("repetition", r"repeats|to_item|item_|list_"),
    ("same path", r"path_|previous_same_path"),
    ("tag ratios", r"tag_ratio_|text_ratio_|link_quota_|slope_"),
    ("maximum subsequences, ridges", r"(link_)?bte|mss|ridge_"),
    ("neighbours", r"previous_|next_"),
    ("position", r"position|passage_position|(words|passages)_(before|after)"),
    ("headings, title", r"heading_|title_|steps_to_title"),
    ("what the page claims", r"description_ratio|body_ratio"),
    ("the page", r"page_(?!ratio)"),
    ("copies", r"copies|is_copy"),
)
PARTS = (8, 4, 2, 1)
# Twenty forests are grown: the shipped recipe would take hours.
SMALL = training.Recipe(trees=150, depth=4, eta=0.12, columns=0.2,
                        min_child_weight=20.0, total_weight=150_000.0,
                        rows=60_000)


def family_names(family):
    """The features of a family, from the table in its header."""
    header = common.ROOT / "extract" / "auto" / f"{family}.h"
    return set(re.findall(r"^\s*X\((\w+),", header.read_text("utf-8"), re.M))


def groups():
    for family in FAMILIES:
        yield f"family {family}", family_names(family)
    for name, pattern in GROUPS:
        yield name, re.compile(rf"(?:{pattern})").match


def families(report, corpus):
    """A smaller first stage without the features: F1 and what is lost."""
    def f1_without(is_left_out):
        columns = [i for i, name in enumerate(corpus.table.names)
                   if not is_left_out(name)]
        _, scores = training.out_of_fold(
            corpus, corpus.table.rows[:, columns],
            *training.first_weights(corpus), SMALL)
        return corpus.score(scores).mean()

    report.table(f"Word F1 without a group of features ({SMALL})",
                 "without", "features", "F1", "lost")
    whole = f1_without(lambda name: False)
    report.row("nothing", 0, whole, 0.0)
    for name, group in groups():
        is_left_out = group.__contains__ if isinstance(group, set) else group
        count = sum(map(bool, map(is_left_out, corpus.table.names)))
        f1 = f1_without(is_left_out)
        report.row(name, count, f1, whole - f1)


def by_first_trees(corpus, stage, trees):
    """[passages]: out of fold, by the first trees alone."""
    scores = numpy.zeros_like(stage.scores)
    fold = corpus.fold[corpus.page_of]
    for number, booster in enumerate(stage.boosters):
        inside = fold == number
        scores[inside] = training.predict(booster, stage.rows[inside], trees)
    return scores


def sizes(report, corpus, first, second):
    """Of the first trees of each stage; the second has all of the first."""
    report.table("Word F1 by the first trees of a stage alone", "stage",
                 "depth", "trees", "kB in memory", "F1")
    for name, stage in (("first", first), ("second", second)):
        for part in PARTS:
            trees = stage.recipe.trees // part
            report.row(name, stage.recipe.depth, trees,
                       forest_model.kilobytes(trees, forest_model.DEPTH),
                       corpus.score(by_first_trees(corpus, stage,
                                                   trees)).mean())
