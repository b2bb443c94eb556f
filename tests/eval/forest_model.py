"""A booster of xgboost as a model file (the format of extract/auto/forest.h)."""

import json
import re
import textwrap

import numpy

import common

LAST_COLUMN = 79
# That of the program; trees of less are spread.
DEPTH = int(re.search(r"FOREST_DEPTH = (\d+)", (
    common.ROOT / "extract" / "auto" / "forest.h").read_text("utf-8"))[1])


class Tree:
    """A complete tree in heap order: features (of the booster) and thresholds
    of its inner nodes, values of all; covers, the rows that got there."""

    def __init__(self, tree):
        self.inner = 2 ** DEPTH - 1
        self.features = [None] * self.inner
        self.thresholds = [numpy.inf] * self.inner
        self.values = numpy.zeros(2 * self.inner + 1)
        self.covers = numpy.zeros(2 * self.inner + 1)
        at = [(0, 0)]  # in the heap, in the tree of xgboost
        for place, node in at:
            at.extend(self.take(tree, place, node))
        for place in reversed(range(self.inner)):
            self.mean(place)

    def take(self, tree, place, node):
        """Put a node where it belongs; what is below it."""
        left = tree["left_children"][node]
        if place >= self.inner:
            self.covers[place] = tree["sum_hessian"][node]
            self.values[place] = tree["split_conditions"][node]
            return []
        if left < 0:  # it stands higher: everything goes left
            return [(2 * place + 1, node)]
        self.features[place] = tree["split_indices"][node]
        self.thresholds[place] = tree["split_conditions"][node]
        return [(2 * place + 1, left),
                (2 * place + 2, tree["right_children"][node])]

    def mean(self, place):
        below = slice(2 * place + 1, 2 * place + 3)
        self.covers[place] = self.covers[below].sum()
        if self.features[place] is None:
            self.values[place] = self.values[2 * place + 1]
        elif self.covers[place] > 0:
            self.values[place] = numpy.average(
                self.values[below], weights=self.covers[below])


def trees_of(booster):
    model = json.loads(booster.save_raw("json"))["learner"]
    return [Tree(tree)
            for tree in model["gradient_booster"]["model"]["trees"]]


def number(value):
    """A float of C that has the value exactly."""
    text = f"{numpy.float32(value):.9g}"
    return text + ("f" if "." in text or "e" in text else ".0f")


def listed(values):
    """{values}, wrapped, indented."""
    return textwrap.fill(
        "{" + ", ".join(values) + "}", LAST_COLUMN - 7, initial_indent="\t",
        subsequent_indent="\t ", break_long_words=False,
        break_on_hyphens=False)


def thresholds_of(trees):
    """By feature, in order: its thresholds in all trees, ascending."""
    found = {}
    for tree in trees:
        for feature, threshold in zip(tree.features, tree.thresholds):
            if feature is not None:
                found.setdefault(feature, set()).add(numpy.float32(threshold))
    return {feature: sorted(found[feature]) for feature in sorted(found)}


def column_call(name, thresholds):
    return textwrap.fill(
        f"COLUMN({name}, {', '.join(map(number, thresholds))})",
        LAST_COLUMN - 7, subsequent_indent="\t", break_long_words=False,
        break_on_hyphens=False)


def tree_call(tree, thresholds):
    """Of a node that goes left whatever the value the column is any."""
    column_of = {feature: column for column, feature in enumerate(thresholds)}
    columns, bins = [], []
    for feature, threshold in zip(tree.features, tree.thresholds):
        columns.append(str(column_of.get(feature, 0)))
        bins.append("FOREST_LEFT" if feature is None else str(
            1 + thresholds[feature].index(numpy.float32(threshold))))
    parts = (columns, bins, map(number, tree.values))
    return "TREE(\n" + ",\n".join(map(listed, parts)) + ")"


def comment(lines):
    """A comment of C of paragraphs."""
    text = "\n".join(textwrap.fill(line, LAST_COLUMN - 3) for line in lines)
    return "/*\n" + textwrap.indent(text, " * ") + "\n */"


def write_numbers(path, about, calls):
    """Write a model of numbers alone: calls, (macro, name, value) each."""
    lines = [comment([f"{path.stem} 1", *about])]
    lines += [f"{macro}({name}, {value:.6g})" for macro, name, value in calls]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def write(path, booster, names, about):
    """Write the file: about, paragraphs."""
    trees = trees_of(booster)
    thresholds = thresholds_of(trees)
    lines = [comment(["forest 2", *about,
                      f"{len(trees)} trees over {len(thresholds)} of "
                      f"{len(names)} features."])]
    lines.append("BASE(0.0f)")
    lines += [column_call(names[feature], thresholds[feature])
              for feature in thresholds]
    lines += [tree_call(tree, thresholds) for tree in trees]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def kilobytes(trees, depth):
    """In memory, if the program had this depth: sizeof(struct tree)."""
    inner = 2 ** depth - 1
    nodes = (3 * inner + 3) // 4 * 4  # columns, bins and padding
    return trees * (nodes + 4 * (2 * inner + 1)) / 1024
