"""The gold sets of single pages, and a page's scores by the referee."""

import collections
import functools
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse

# The five development sets that choose the defaults.
GOLD_SETS = ("crawl-to-the-future", "dragnet", "cleaneval-en-dev", "daniel")
NAMES = ("wcxb-dev", *GOLD_SETS)
# Those that have many pages of a site: crawl-to-the-future per year.
GROUPED = ("crawl-to-the-future", "daniel")
MIN_GROUP = 5

# Under these and a country one registers; a short form of publicsuffix.org.
SECOND_LEVEL = {"ac", "co", "com", "edu", "go", "gob", "gov", "kiev", "ne",
                "net", "nhs", "nom", "or", "org"}


class Set:
    """Pages (a folder), their gold (a folder), and what is known of each.

    Fields: name; pages; gold; domains {page: domain}; groups {page: group}
    by site (and year); types {page: type}, of wcxb-dev alone.
    """

    def __init__(self, name, pages, gold):
        self.name, self.pages, self.gold = name, pages, gold
        self.domains, self.groups, self.types = {}, {}, {}


@functools.lru_cache
def referee(shared):
    """score.py as a module."""
    spec = importlib.util.spec_from_file_location(
        "score", shared / "tools" / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def domain_of(host, otherwise):
    """What was registered of a host; without a host, `otherwise`."""
    if not host or host[-1].isdigit():
        return host or otherwise
    labels = host.lower().rstrip(".").split(".")
    is_under = len(labels[-1]) == 2 and labels[-2:-1] and \
        labels[-2] in SECOND_LEVEL
    return ".".join(labels[-3 if is_under else -2:])


def wcxb(shared):
    folder = shared / "data" / "wcxb-dev"
    made = Set("wcxb-dev", folder / "html", folder / "gold")
    for line in (folder / "pages.jsonl").read_text("utf-8").splitlines():
        page = json.loads(line)
        made.domains[page["id"]] = domain_of(
            urllib.parse.urlsplit(page["url"] or "").hostname,
            f"wcxb-dev/{page['id']}")
        made.types[page["id"]] = page["type"]
    return made


def gold_set(name, cache):
    folder = cache / "gold" / name
    made = Set(name, folder, folder)
    for line in (folder / "index.tsv").read_text("utf-8").splitlines()[1:]:
        page, _, site, *_, extra = line.split("\t")
        year = re.search(r"\byear=(\d+)", extra)
        made.domains[page] = domain_of(site, f"{name}/{page}")
        if site:
            made.groups[page] = f"{site}-{year[1]}" if year else site
    return made


def load(shared, cache, names=NAMES):
    """The sets of these names, unpacked into `cache` when they are not."""
    cache.mkdir(parents=True, exist_ok=True)
    packed = [name for name in names if name != "wcxb-dev"]
    if packed:
        subprocess.run([shared / "tools" / "unpack.sh", cache, *packed],
                       stdout=subprocess.DEVNULL, check=True)
    return [wcxb(shared) if name == "wcxb-dev" else gold_set(name, cache)
            for name in names]


def members(gold):
    """{group: its pages}, of a set, of the groups that are large enough."""
    pages = collections.defaultdict(list)
    for page, group in sorted(gold.groups.items()):
        pages[group].append(page)
    return {group: some for group, some in pages.items()
            if len(some) >= MIN_GROUP}


def copy_pages(gold, pages, folder):
    """Make the folder, of these pages alone."""
    folder.mkdir(parents=True)
    for page in pages:
        for ending in (".html", ".html.gz"):
            path = gold.pages / (page + ending)
            if path.exists():
                shutil.copyfile(path, folder / path.name)


@functools.lru_cache
def gold_words(shared, folder):
    """{page: (words, bag of words)}; the gold is that of score.py."""
    score = referee(shared)
    gold = {}
    for path in sorted(folder.rglob("*.txt")):
        page = score.key(path.relative_to(folder))
        if not re.search(r"\.(comments|with|without)$", page):
            words = score.words(path.read_text("utf-8", "replace"))
            gold[page] = words, collections.Counter(words)
    return gold


def extracted_words(shared, folder, page):
    """None when there is no such extract."""
    path = pathlib.Path(folder, f"{page}.txt")
    if not path.exists():
        return None
    return referee(shared).words(path.read_text("utf-8", "replace"))


def word_score(shared, gold, got):
    """(P, R, F1) of one page: `gold` of gold_words, `got` its words or None."""
    words, bag = gold
    got = got or []
    score = referee(shared)
    return score.prf(score.bag(bag, got), len(got), len(words))


def lcs_score(shared, gold, got):
    """The same by Gottron's longest common subsequence of words."""
    got = got or []
    score = referee(shared)
    return score.prf(score.lcs(gold[0], got), len(got), len(gold[0]))
