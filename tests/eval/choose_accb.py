#!/usr/bin/env python3
"""The figures behind the presets of `accb` (extract/accb.c), as tables.

usage: choose_accb.py [--programs DIR] [--shared DIR] [--cache DIR]
                      [--radius N,...] [--threshold N,...] [--passes N,...]

Every setting of the grid extracts every page of five development sets; a page
counts by the word F1 of score.py, a set by the mean of its pages, a setting by
the mean of the sets, so that no set dominates. The best setting is to be the
preset. Its figure is cross-validated: domains are dealt into five folds, and a
page is scored by the setting that is best on the four folds without it.

A domain is what was registered (example.co.uk), the same one in every set,
by the URL in pages.jsonl or the site in index.tsv. A page without one (228 of
dragnet, 5 of wcxb-dev) is a domain of its own, though its site may have others.

The grid holds the plateau: of what was measured outside it with one pass
(radius 15 to 90 at .4 to .78, 20 to 30 at .93 and .95) nothing was better.
It takes three minutes on two cores. The sets are public development data:
final figures need other pages.
"""

import argparse
import collections
import concurrent.futures
import functools
import importlib.util
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLD_SETS = ("crawl-to-the-future", "dragnet", "cleaneval-en-dev", "daniel")
FOLDS = 5
PROCESSES = 2
NAMES = ("radius", "passes", "threshold")
# Under these and a country one registers; a short form of publicsuffix.org.
SECOND_LEVEL = {"ac", "co", "com", "edu", "go", "gob", "gov", "kiev", "ne",
                "net", "nhs", "nom", "or", "org"}

Set = collections.namedtuple("Set", "name pages gold domains")


@functools.lru_cache
def referee(shared):
    """score.py as a module."""
    spec = importlib.util.spec_from_file_location(
        "score", shared / "tools" / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def domain(host, otherwise):
    """What was registered of a host; without a host, `otherwise`."""
    if not host or host[-1].isdigit():
        return host or otherwise
    labels = host.lower().rstrip(".").split(".")
    is_under = len(labels[-1]) == 2 and labels[-2:-1] and \
        labels[-2] in SECOND_LEVEL
    return ".".join(labels[-3 if is_under else -2:])


def wcxb(shared):
    folder = shared / "data" / "wcxb-dev"
    domains = {}
    for line in (folder / "pages.jsonl").read_text("utf-8").splitlines():
        page = json.loads(line)
        domains[page["id"]] = domain(
            urllib.parse.urlsplit(page["url"] or "").hostname,
            f"wcxb-dev/{page['id']}")
    return Set("wcxb-dev", folder / "html", folder / "gold", domains)


def gold_set(name, cache):
    folder = cache / "gold" / name
    domains = {}
    for line in (folder / "index.tsv").read_text("utf-8").splitlines()[1:]:
        page, _, site = line.split("\t")[:3]
        domains[page] = domain(site, f"{name}/{page}")
    return Set(name, folder, folder, domains)


def load_sets(shared, cache):
    cache.mkdir(parents=True, exist_ok=True)
    subprocess.run([shared / "tools" / "unpack.sh", cache, *GOLD_SETS],
                   stdout=subprocess.DEVNULL, check=True)
    return [wcxb(shared)] + [gold_set(name, cache) for name in GOLD_SETS]


@functools.lru_cache
def gold_words(shared, folder):
    """{page: (bag of words, how many)}; the gold is that of score.py."""
    score = referee(shared)
    gold = {}
    for path in sorted(folder.rglob("*.txt")):
        page = score.key(path.relative_to(folder))
        if not re.search(r"\.(comments|with|without)$", page):
            words = score.words(path.read_text("utf-8", "replace"))
            gold[page] = collections.Counter(words), len(words)
    return gold


def measure(shared, ctl, pages, gold, method, parameters):
    """{page: word F1} of one set by one setting."""
    score = referee(shared)
    f1 = {}
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [ctl, "extract", "--method", method,
             *(word for name, value in zip(NAMES, parameters)
               for word in ("--param", f"{name}={value:g}")),
             "--out", out, pages],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        for page, (bag, count) in gold_words(shared, gold).items():
            path = pathlib.Path(out, f"{page}.txt")
            got = score.words(path.read_text("utf-8", "replace")) \
                if path.exists() else []
            f1[page] = score.prf(score.bag(bag, got), len(got), count)[2]
    return f1


def measure_all(options, sets, settings):
    """{(set, setting): {page: F1}}; the setting None is `plain`."""
    tasks = list(itertools.product(sets, [None] + settings))
    with concurrent.futures.ProcessPoolExecutor(PROCESSES) as pool:
        futures = [
            pool.submit(measure, options.shared,
                        options.programs / "daemon" / "templatectl", s.pages,
                        s.gold, "accb" if setting else "plain", setting or ())
            for s, setting in tasks]
        return {(s.name, setting): future.result()
                for (s, setting), future in zip(tasks, futures)}


def deal(sets):
    """{domain: fold}, each set spread evenly, sets of few domains first."""
    fold_of = {}
    for s in sorted(sets, key=lambda s: len(set(s.domains.values()))):
        sizes = collections.Counter(s.domains.values())
        load = [sum(n for d, n in sizes.items() if fold_of.get(d) == fold)
                for fold in range(FOLDS)]
        for domain in sorted(sizes, key=lambda d: (-sizes[d], d)):
            if domain not in fold_of:
                fold_of[domain] = load.index(min(load))
                load[fold_of[domain]] += sizes[domain]
    return fold_of


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def mean_of_sets(sets, f1, setting, fold_of, left_out=None):
    return mean(mean(value for page, value in f1[s.name, setting].items()
                     if fold_of[s.domains[page]] != left_out)
                for s in sets)


def choose(sets, f1, settings, fold_of, left_out=None):
    """The best setting, of equals the first."""
    return max(settings, key=lambda setting: mean_of_sets(
        sets, f1, setting, fold_of, left_out))


def row(*cells):
    print("| " + " | ".join(f"{c:.4f}" if isinstance(c, float) else str(c)
                            for c in cells) + " |")


def head(*cells):
    print()
    row(*cells)
    print("|" + "---|" * len(cells))


def text(setting):
    return " ".join(f"{n}={v:g}" for n, v in zip(NAMES, setting))


def report(sets, f1, settings):
    fold_of = deal(sets)
    best = choose(sets, f1, settings, fold_of)
    by_fold = [choose(sets, f1, settings, fold_of, fold)
               for fold in range(FOLDS)]
    print("Mean of the sets' word F1, by setting")
    head("setting", "F1")
    for setting in settings:
        row(text(setting), mean_of_sets(sets, f1, setting, fold_of))

    print("\nWord F1 by set")
    head("set", "pages", "domains", "plain", "accb, in sample",
         "accb, cross-validated")
    figures = []
    for s in sets:
        figures.append((
            mean(f1[s.name, None].values()), mean(f1[s.name, best].values()),
            mean(f1[s.name, by_fold[fold_of[s.domains[page]]]][page]
                 for page in f1[s.name, best])))
        row(s.name, len(f1[s.name, best]), len(set(s.domains.values())),
            *figures[-1])
    row("mean of the sets", sum(len(f1[s.name, best]) for s in sets),
        len(fold_of), *(mean(column) for column in zip(*figures)))
    print(f"\nChosen: {text(best)}")
    print("Chosen without fold 1 to 5: " + ", ".join(map(text, by_fold)))


def numbers(words):
    return [float(word) for word in words.split(",")]


def main():
    data = os.environ.get("TEMPLATED_DATA", ROOT.parent / "shared")
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("programs", ROOT / "build" / "release"),
                          ("shared", data),
                          ("cache", ROOT / "build" / "eval" / "data")):
        parser.add_argument(f"--{name}", type=pathlib.Path, default=default)
    for name, default in (("radius", "25,30,40,50,60,90"), ("passes", "1"),
                          ("threshold", ".7,.75,.8,.85,.9")):
        parser.add_argument(f"--{name}", type=numbers, default=default)
    options = parser.parse_args()
    options.shared = options.shared.resolve()
    if not (options.shared / "tools" / "score.py").exists():
        print(f"skipped: there is no data in {options.shared}; "
              "set --shared or TEMPLATED_DATA")
        return 0
    sets = load_sets(options.shared, options.cache)
    settings = list(itertools.product(*(getattr(options, n) for n in NAMES)))
    report(sets, measure_all(options, sets, settings), settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
