"""Whether the program predicts what the trainer predicts, bit for bit."""

import pathlib
import subprocess
import tempfile

import numpy
import xgboost

import common
import fold_builds

ROWS = 10_000


def sample(stage):
    """Rows [ROWS, features], spread evenly over all."""
    step = numpy.linspace(0, len(stage.rows) - 1, ROWS).astype(int)
    return numpy.ascontiguousarray(stage.rows[step], "<f4")


def margins(booster, rows):
    return booster.predict(xgboost.DMatrix(rows), output_margin=True)


def run(report, folder, models):
    """Of the two (stage, booster) whose model files are in `folder`."""
    program = fold_builds.build(folder.resolve(), common.OUT / "train" / "check",
                                "forest_check") / "tests/eval/forest_check"
    for name, (stage, booster) in zip(("page", "context"), models):
        rows = sample(stage)
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            rows.tofile(scratch / "rows")
            margins(booster, rows).astype("<f4").tofile(scratch / "margins")
            done = subprocess.run(
                [program, name, scratch / "rows", scratch / "margins"],
                capture_output=True, text=True, check=False)
        report.say(f"forest_check {name}: {done.stdout.strip()}")
        if done.returncode != 0:
            raise SystemExit(f"auto-{name}.model: {done.stdout}{done.stderr}")
