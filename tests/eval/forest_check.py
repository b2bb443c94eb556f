"""Whether the program predicts what the trainer predicts, bit for bit."""

import collections
import pathlib
import subprocess
import tempfile

import numpy
import xgboost

import common
import fold_builds

ROWS = 10_000
# What of a stages.Stage is read here.
Rows = collections.namedtuple("Rows", "table names rows booster")
Rows.final = lambda self: self.booster


def sample(stage):
    """Rows [ROWS, names], spread evenly over all."""
    step = numpy.linspace(0, len(stage.rows) - 1, ROWS).astype(int)
    return stage.rows[step]


def widened(stage, rows):
    """The rows with all features of the table; 0 where none is read."""
    wide = numpy.zeros((len(rows), len(stage.table)), "<f4")
    wide[:, [stage.table.index(name) for name in stage.names]] = rows
    return wide


def margins(stage, rows):
    margin = stage.final().predict(xgboost.DMatrix(rows), output_margin=True)
    return margin.astype("<f4")


def run(report, folder, models):
    """Of the models (name, stage) whose files are in `folder`."""
    program = fold_builds.build(folder.resolve(), common.OUT / "train" / "check",
                                "forest_check") / "tests/eval/forest_check"
    for name, stage in models:
        rows = sample(stage)
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            widened(stage, rows).tofile(scratch / "rows")
            margins(stage, rows).tofile(scratch / "margins")
            done = subprocess.run(
                [program, name, scratch / "rows", scratch / "margins"],
                capture_output=True, text=True, check=False)
        report.say(f"forest_check {name}: {done.stdout.strip()}")
        if done.returncode != 0:
            raise SystemExit(f"auto-{name}.model: {done.stdout}{done.stderr}")
