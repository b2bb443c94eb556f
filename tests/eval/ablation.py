"""What each family of features brings, and what size of models."""

import dataclasses
import re

import common
import forest_model
import stages

FAMILIES = ("shape", "ancestry", "sequence", "setting")
# Groups of features, by their names.
GROUPS = (
    ("class names", r"to_class_|class_groups"),
    ("distances to elements", r"to_(?!class_|top|item)"),
    ("subtrees (readability)", r"subtree_|in_top|to_top|.*density"),
    ("repetition", r"repeats|to_item|item_|list_"),
    ("same path", r"path_|previous_same_path"),
    ("tag ratios", r"tag_ratio_|text_share_|link_quota_|slope_"),
    ("maximum subsequences, ridges", r"(link_)?bte|mss|ridge_"),
    ("neighbours", r"previous_|next_"),
    ("position", r"position|passage_position|(words|passages)_(before|after)"),
    ("headings, title", r"heading_|title_|steps_to_title"),
    ("what the page claims", r"description_share|body_share"),
    ("the page", r"page_(?!share)"),
    ("copies", r"copies|is_copy"),
)
SIZES = ((4, 50, 30), (4, 100, 40), (4, 200, 80), (4, 300, 120),
         (5, 100, 40), (5, 200, 80), (5, 400, 120))


def family_names(family):
    """The features of a family, from the table in its header."""
    header = common.ROOT / "extract" / f"{family}.h"
    return set(re.findall(r"^\s*X\((\w+),", header.read_text("utf-8"), re.M))


def groups():
    for family in FAMILIES:
        yield f"family {family}", family_names(family)
    for name, pattern in GROUPS:
        yield name, re.compile(rf"(?:{pattern})").match


def families(report, corpus, program):
    """Both stages without the features, F1 and what is lost."""
    def f1_without(is_left_out):
        names = [name for name in corpus.table.names if not is_left_out(name)]
        first = stages.first_stage(corpus, names=names)
        second = stages.second_stage(corpus, program, first,
                                     keep=lambda name: not is_left_out(name))
        return (corpus.score(first.scores).mean(),
                corpus.score(second.scores).mean())

    report.table("Word F1 without a group of features, both stages",
                 "without", "features", "first stage", "second stage", "lost")
    whole = f1_without(lambda name: False)
    report.row("nothing", 0, *whole, 0.0)
    for name, group in groups():
        is_left_out = group.__contains__ if isinstance(group, set) else group
        count = sum(map(bool, map(is_left_out, corpus.table.names)))
        without = f1_without(is_left_out)
        report.row(name, count, *without, whole[1] - without[1])


def sizes(report, corpus, program):
    report.table("Word F1 against size", "depth", "trees, first", "second",
                 "kB", "first stage", "second stage")
    for depth, page_trees, context_trees in SIZES:
        first = stages.first_stage(corpus, dataclasses.replace(
            stages.PAGE, trees=page_trees, depth=depth))
        second = stages.second_stage(
            corpus, program, first, dataclasses.replace(
                stages.CONTEXT, trees=context_trees, depth=depth))
        report.row(depth, page_trees, context_trees,
                   forest_model.kilobytes(page_trees + context_trees, depth),
                   corpus.score(first.scores).mean(),
                   corpus.score(second.scores).mean())
