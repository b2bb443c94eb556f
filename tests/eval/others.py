#!/usr/bin/python3
"""others.py [BUILD] [SET]...: auto beside extractors of others, on the gold sets.

Those that Python can import are asked: Readability (Debian's
python3-readability), trafilatura and jusText (pip), with their defaults, one page
at a time. Printed are the means of P, R and F1 of words by the referee, and the
CPU time of a page, of auto with the start of the program and the parsing. A page
that an extractor fails on or has nothing for scores 0. SET is a name of
goldsets.py, or big9; without any they are those that auto has not learned of.
The data is that of ../shared, or $TEMPLATED_DATA.
"""

import gzip
import importlib
import pathlib
import resource
import statistics
import sys
import time

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import goldsets  # noqa: E402

UNLEARNED = ("cleaneval-en-dev", "big9")


def by_readability(readability, html):
    from lxml import html as tree
    summary = readability.Document(html).summary()
    return " ".join(tree.fromstring(summary).itertext())


def by_trafilatura(trafilatura, html):
    return trafilatura.extract(html, include_comments=False) or ""


def by_justext(justext, html):
    stop_words = justext.get_stoplist("English")
    return "\n".join(p.text for p in justext.justext(html, stop_words)
                     if not p.is_boilerplate)


OTHERS = {"readability": by_readability, "trafilatura": by_trafilatura,
          "justext": by_justext}


def html_of(gold, page):
    path = gold.pages / f"{page}.html"
    return path.read_bytes() if path.exists() else \
        gzip.decompress(pathlib.Path(f"{path}.gz").read_bytes())


def ask(name, gold, pages):
    """({page: its words}, CPU ms a page) of an extractor; None: not there."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    score = goldsets.referee(common.DATA)
    found, spent = {}, 0.0
    for page in pages:
        html = html_of(gold, page)
        begin = time.process_time()
        try:
            text = OTHERS[name](module, html)
        except Exception:  # pylint: disable=broad-except
            text = ""
        spent += time.process_time() - begin
        found[page] = score.words(text)
    return found, 1000 * spent / len(pages)


def ask_auto(build, gold, pages):
    out = common.OUT / "extracts" / gold.name / "auto"
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    common.call(build / "daemon" / "templatectl", "extract", "--jobs", "1",
                "--out", out, gold.pages, may_fail=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    return {page: goldsets.extracted_words(common.DATA, out, page)
            for page in pages}, 1000 * spent / len(pages)


def row(gold, name, found, cost):
    words = goldsets.gold_words(common.DATA, gold.gold)
    scores = [goldsets.word_score(common.DATA, words[page], got)
              for page, got in found.items()]
    means = [f"{statistics.mean(column):.3f}" for column in zip(*scores)]
    print(f"| {gold.name} | {len(scores)} | {name} | {' | '.join(means)} | "
          f"{cost:.2f} |", flush=True)


def main():
    if not common.has_data():
        return 77
    build = common.build_folder()
    names = sys.argv[2:] or UNLEARNED
    print("| set | pages | extractor | P | R | F1 | CPU ms a page |\n"
          "|---|---:|---|---:|---:|---:|---:|")
    for gold in goldsets.load(common.DATA, common.OUT / "data", names):
        pages = sorted(goldsets.gold_words(common.DATA, gold.gold))
        row(gold, "auto", *ask_auto(build, gold, pages))
        for name in OTHERS:
            answer = ask(name, gold, pages)
            if answer:
                row(gold, name, *answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
