"""The table of RESULTS.md on how parameters and rules were chosen.

What was measured once, when a choice was made, is kept by hand in
parameters.tsv: nobody measures it again, so it cannot come from a run. The
comments of the methods give the reason in words and point here.
"""

import csv
import pathlib

ROWS = pathlib.Path(__file__).with_name("parameters.tsv")
TITLE = "What parameters were chosen by"
COLUMNS = ("method", "parameter", "value", "figure", "set")


def table(report):
    report.table(TITLE, *COLUMNS)
    with ROWS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            report.row(*(row[column] for column in COLUMNS))
    report.say()
    report.say(
        "Figures are mean word F1 unless the parameter says otherwise, in "
        "sample unless the value says otherwise, by the versions of the time "
        "of the choice (tests/eval/choose.py, mountain.py --grid). The five "
        "sets are wcxb-dev, crawl-to-the-future, dragnet, cleaneval-en-dev "
        "and daniel, 4,271 pages together, each set with the same weight, so "
        "that articles do not decide alone. The four sites are flink, jena, "
        "sling and rocketmq: the last snapshots, of which 285 pages have a "
        "gold text, with up to 32 pages of each template as the sample.")
