#!/usr/bin/env python3
"""The figures behind the defaults of an extraction method, as tables.

usage: choose.py METHOD [NAME=V,...]... [--every N] [--keep] [--programs DIR]
                 [--shared DIR] [--cache DIR]

Every setting of the grid that the NAMEs span extracts every page of five
development sets (--every N: every N-th page of each); a page counts by the word
F1 of score.py, a set by the mean of its pages, a setting by the mean of the
sets, so that no set dominates. The best setting is to be the default. Its figure
is cross-validated: domains are dealt into five folds, and a page is scored by
the setting that is best on the four folds without it. Parameters that are not
named keep their defaults; without a NAME the defaults alone are measured. Beside
it stand `plain` (all visible text) and `accb`, each by its defaults. --keep
writes the means of the defaults, in sample, and of the cross-validation into
defaults.tsv, which the tables of `run` show.

A method that needs a template is measured on the sets that have many pages of a
site, crawl-to-the-future (a folder per site and year) and daniel (a folder per
site of at least 5 pages), all pages of a folder being one cluster.

A domain is what was registered (example.co.uk), the same one in every set,
by the URL in pages.jsonl or the site in index.tsv. A page without one (228 of
dragnet, 5 of wcxb-dev) is a domain of its own, though its site may have others.

The defaults of accb were chosen by

    choose.py accb radius=25,30,40,50,60,90 passes=1 threshold=.7,.75,.8,.85,.9

which takes three minutes on two cores and holds the plateau: of what was
measured outside it with one pass (radius 15 to 90 at .4 to .78, 20 to 30 at .93
and .95) nothing was better. The sets are public development data: final figures
need other pages.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import goldsets  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULTS = pathlib.Path(__file__).with_name("defaults.tsv")
FOLDS = 5
PROCESSES = 2
RIVALS = ("plain", "accb")

# Pages of one set to extract; a folder is a cluster to whom it matters.
Task = collections.namedtuple("Task", "name gold folders pages domains")


def extract(programs, method, setting, task, out):
    """Every page of the task by the setting, ((name, value), ...)."""
    settings = [f"{name}={value:g}" for name, value in setting]
    if method.needs_template:
        command = [programs / "tests" / "bench" / "extract_cluster",
                   method.name, *settings]
    else:
        command = [programs / "daemon" / "templatectl", "extract", "--method",
                   method.name, *(f"--param={s}" for s in settings)]
    subprocess.run([*command, "--out", out, *task.folders],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, text=True, check=True)


def measure(shared, programs, method, setting, task):
    """{page: word F1} of one set by one setting."""
    gold = goldsets.gold_words(shared, task.gold)
    with tempfile.TemporaryDirectory() as out:
        extract(programs, method, setting, task, out)
        return {page: goldsets.word_score(
                    shared, gold[page],
                    goldsets.extracted_words(shared, out, page))[2]
                for page in task.pages}


def tasks_of(options, sets, is_grouped, scratch):
    """What there is to extract; pages are copied where not all are taken."""
    tasks = []
    for gold in sets:
        pages = sorted(goldsets.gold_words(options.shared, gold.gold))
        folders = [gold.pages]
        if is_grouped:
            if gold.name not in goldsets.GROUPED:
                continue
            groups = list(goldsets.members(gold).items())[::options.every]
            pages = sorted(page for _, some in groups for page in some)
            folders = []
            for group, some in groups:
                folders.append(scratch / gold.name / group)
                goldsets.copy_pages(gold, some, folders[-1])
        elif options.every > 1:
            pages = pages[::options.every]
            folders = [scratch / gold.name]
            goldsets.copy_pages(gold, pages, folders[0])
        tasks.append(Task(gold.name, gold.gold, folders, pages,
                          {page: gold.domains[page] for page in pages}))
    return tasks


def measure_all(options, tasks, runs):
    """{(set, run): {page: F1}}; a run is (method, setting)."""
    jobs = list(itertools.product(tasks, runs))
    with concurrent.futures.ProcessPoolExecutor(PROCESSES) as pool:
        futures = [pool.submit(measure, options.shared, options.programs, *run,
                               task)
                   for task, run in jobs]
        done = {}
        for i, ((task, run), future) in enumerate(zip(jobs, futures)):
            common.progress("choose", i, len(jobs))
            try:
                done[task.name, run] = future.result()
            except subprocess.CalledProcessError as failure:
                pool.shutdown(cancel_futures=True)
                common.progress_clear()
                sys.exit(f"choose.py: {failure}\n{failure.stderr}")
    common.progress_clear()
    return done


def deal(tasks):
    """{domain: fold}, each set spread evenly, sets of few domains first."""
    fold_of = {}
    for task in sorted(tasks, key=lambda t: len(set(t.domains.values()))):
        sizes = collections.Counter(task.domains.values())
        load = [sum(n for d, n in sizes.items() if fold_of.get(d) == fold)
                for fold in range(FOLDS)]
        for domain in sorted(sizes, key=lambda d: (-sizes[d], d)):
            if domain not in fold_of:
                fold_of[domain] = load.index(min(load))
                load[fold_of[domain]] += sizes[domain]
    return fold_of


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def mean_of_sets(tasks, f1, run, fold_of, left_out=None):
    return mean(mean(value for page, value in f1[t.name, run].items()
                     if fold_of[t.domains[page]] != left_out)
                for t in tasks)


def choose(tasks, f1, runs, fold_of, left_out=None):
    """The best setting, of equals the first."""
    return max(runs, key=lambda run: mean_of_sets(tasks, f1, run, fold_of,
                                                  left_out))


def row(*cells):
    print("| " + " | ".join(f"{c:.4f}" if isinstance(c, float) else str(c)
                            for c in cells) + " |")


def head(*cells):
    print()
    row(*cells)
    print("|" + "---|" * len(cells))


def text(run):
    return " ".join(f"{n}={v:g}" for n, v in run[1]) or "defaults"


def report_settings(tasks, f1, runs, fold_of):
    print("Mean of the sets' word F1, by setting")
    head("setting", *(t.name for t in tasks), "mean of the sets")
    for run in runs:
        row(text(run), *(mean(f1[t.name, run].values()) for t in tasks),
            mean_of_sets(tasks, f1, run, fold_of))


def report(tasks, f1, columns, grid):
    """`columns`: {heading: run}, fixed settings; `grid`: what is chosen of.

    Returns the mean of the sets by heading.
    """
    fold_of = deal(tasks)
    if grid:
        report_settings(tasks, f1, grid, fold_of)
        columns = {**columns,
                   "chosen, in sample": choose(tasks, f1, grid, fold_of)}
    by_fold = [choose(tasks, f1, grid, fold_of, fold) for fold in range(FOLDS)
               ] if grid else []
    print("\nWord F1 by set")
    head("set", "pages", "domains", *columns,
         *(["cross-validated"] if grid else []))
    figures = []
    for t in tasks:
        figures.append([mean(f1[t.name, run].values())
                        for run in columns.values()])
        if grid:
            figures[-1].append(mean(
                f1[t.name, by_fold[fold_of[t.domains[page]]]][page]
                for page in t.pages))
        row(t.name, len(t.pages), len(set(t.domains.values())), *figures[-1])
    row("mean of the sets", sum(len(t.pages) for t in tasks), len(fold_of),
        *(mean(column) for column in zip(*figures)))
    if grid:
        print(f"\nChosen: {text(columns['chosen, in sample'])}")
        print("Chosen without fold 1 to 5: " + ", ".join(map(text, by_fold)))
    return dict(zip([*columns, "cross-validated"],
                    (mean(column) for column in zip(*figures))))


def keep(options, method, means):
    """Put the method's row into defaults.tsv."""
    rows = {line.split("\t")[0]: line for line in
            DEFAULTS.read_text("utf-8").splitlines()}
    command = ["choose.py", method.name, *options.assignments]
    if options.every > 1:
        command.append(f"--every {options.every}")
    rows[method.name] = "\t".join((
        method.name, "many" if method.needs_template else "five",
        " ".join(command), f"{means[method.name + ', defaults']:.4f}",
        f"{means['cross-validated']:.4f}"))
    DEFAULTS.write_text("".join(f"{line}\n" for line in rows.values()), "utf-8")


def grid_of(assignments):
    """[((name, value), ...)] from NAME=V,...; empty without any."""
    axes = []
    for assignment in assignments:
        name, _, values = assignment.partition("=")
        axes.append([(name, float(value)) for value in values.split(",")])
    return list(itertools.product(*axes)) if axes else []


def options_of_command():
    data = os.environ.get("TEMPLATED_DATA", ROOT.parent / "shared")
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method")
    parser.add_argument("assignments", nargs="*", metavar="NAME=V,...")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    for name, default in (("programs", ROOT / "build" / "release"),
                          ("shared", data),
                          ("cache", ROOT / "build" / "eval" / "data")):
        parser.add_argument(f"--{name}", type=pathlib.Path, default=default)
    options = parser.parse_intermixed_args()
    options.shared = options.shared.resolve()
    options.programs = options.programs.resolve()
    try:
        options.grid = grid_of(options.assignments)
    except ValueError:
        parser.error("a NAME is followed by = and numbers with commas between")
    return options


def main():
    options = options_of_command()
    if not (options.shared / "tools" / "score.py").exists():
        print(f"skipped: there is no data in {options.shared}; "
              "set --shared or TEMPLATED_DATA")
        return 0
    methods = common.methods(options.programs / "daemon" / "templatectl")
    method = methods.get(options.method)
    if method is None:
        sys.exit(f"choose.py: no method {options.method}; there are "
                 + ", ".join(methods))
    defaults = method, ()
    columns = {rival: (methods[rival], ()) for rival in RIVALS
               if rival != method.name}
    columns[f"{method.name}, defaults"] = defaults
    grid = [(method, setting) for setting in options.grid]
    with tempfile.TemporaryDirectory() as scratch:
        tasks = tasks_of(options, goldsets.load(options.shared, options.cache),
                         method.needs_template, pathlib.Path(scratch))
        f1 = measure_all(options, tasks, [*columns.values(), *grid])
    means = report(tasks, f1, columns, grid)
    if options.keep and grid:
        keep(options, method, means)
    return 0


if __name__ == "__main__":
    sys.exit(main())
