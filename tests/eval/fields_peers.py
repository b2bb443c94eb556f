#!/usr/bin/env python3
"""How right other programs and two baselines are on the gold of fields.py.

usage: fields_peers.py FOLDER [--half dev|test] [--referee FILE] [PEER...]

FOLDER, --half and --referee are those of fields.py. Prints a row for each
peer: the mean F1 of sites, and the ratio of the fields with F1 >= 0.9, after
one and after three examples; and, taught with three examples of the old pages
of a redesign, the F1 and the ratio on the new pages, and the values that are
wrong of those that it gives there. Of sites it prints nothing more.

The peers are written anew from their descriptions, in a few lines, for this
measurement; nothing of their code is here, so their own figures may differ
a little. All read the tree of lxml, compare as the referee does, and read an
attribute where no element has the value. Needs python3-lxml.

path         Baseline: the last three steps, tags with classes, of the path
             of an element that shows the value.
path10       For redesigns: `path`, learned again from ten new pages whose
             values are known from the old ones.
autoscraper  AutoScraper (get_result_exact): each outermost element that shows
             the value is a rule, the tags, classes, styles and indices from
             the root to it.
scrapely     Scrapely: instance-based learning (Zhai, Liu: Extracting Web Data
             Using Instance-Based Learning, WISE 2005): the tags before and
             behind the element with the value are searched in the page.
scrapling    Scrapling's adaptive selectors, for redesigns: the saved element
             of one old page (`scrapling`) or of each page's own old form
             (`scrapling-own`, chosen by `path`) is compared with all of the
             new page; the most similar ones are it.
"""

import argparse
import collections
import difflib
import functools
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import fields  # noqa: E402
import fields_gold  # noqa: E402
from fields import folded  # noqa: E402

STEPS = 3
KNOWN_PAGES = 10
ATTRIBUTES = ("href", "src", "content", "value", "alt", "title", "datetime")


class Page:
    """A parsed page, and what its elements show."""

    def __init__(self, path):
        self.name = path.name
        self.tree = fields_gold.tree_of(path.read_bytes())
        self.elements = [e for e in self.tree.iter()
                         if isinstance(e.tag, str)]
        self.shown = {}

    def text(self, element):
        if element not in self.shown:
            self.shown[element] = fields_gold.text_of(element)
        return self.shown[element]

    @functools.cached_property
    def by_text(self):
        found = collections.defaultdict(list)
        for element in self.elements:
            found[self.text(element)].append(element)
        return found

    def places(self, value):
        """(element, attribute or None) that have the value."""
        found = [(e, None) for e in self.by_text.get(value, ())]
        return found or [(e, a) for e in self.elements for a in ATTRIBUTES
                         if folded(e.get(a, "")) == value]

    def read(self, element, attribute):
        return folded(element.get(attribute, "")) if attribute \
            else self.text(element)


def distinct(values):
    return [value for value in dict.fromkeys(values) if value]


def f1(want, have):
    both = len(set(want) & set(have))
    return 2 * both / (len(set(want)) + len(set(have))) if both else 0.0


def depth(element):
    return sum(1 for _ in element.iterancestors())


class PathPeer:
    """The path that is right on most examples; of equals, the first one of
    the deepest element. Where each example has one value, so has a page: that
    of the first element at the path."""

    def __init__(self, examples):
        self.is_single = all(len(values) == 1 for _, values in examples)
        self.path = None
        paths = dict.fromkeys(
            (self.steps(element), attribute)
            for page, values in examples for value in values
            for element, attribute in sorted(
                page.places(value), key=lambda place: -depth(place[0])))
        best = 0.0
        for path in paths:
            mean = fields.mean(f1(values, self.values_at(page, path))
                               for page, values in examples)
            if mean > best:
                best, self.path = mean, path

    @staticmethod
    def step(element):
        return element.tag, frozenset(element.get("class", "").split())

    @classmethod
    def steps(cls, element):
        chain = [element, *element.iterancestors()][:STEPS]
        return tuple(map(cls.step, chain))

    @classmethod
    def elements_at(cls, page, path):
        def matches(element):
            for tag, classes in path:
                if element is None or element.tag != tag \
                        or not classes <= cls.step(element)[1]:
                    return False
                element = element.getparent()
            return True
        return [e for e in page.elements if matches(e)]

    def values_at(self, page, path):
        steps, attribute = path
        values = distinct(page.read(e, attribute)
                          for e in self.elements_at(page, steps))
        return values[:1] if self.is_single else values

    def values(self, page):
        return self.values_at(page, self.path) if self.path else []


class AutoScraperPeer:
    def __init__(self, examples):
        self.rules = list(dict.fromkeys(
            (self.stack(element), attribute)
            for page, values in examples for value in values
            for element, attribute in page.places(value)
            if attribute or element.getparent() is None
            or page.text(element.getparent()) != value))

    @staticmethod
    def is_like(element, step):
        """Equal tag and style; a class in common, or none in both."""
        tag, classes, style = step
        if element.tag != tag:
            return False
        mine = frozenset(element.get("class", "").split())
        return element.get("style", "") == style \
            and (bool(mine & classes) or not (mine or classes))

    @classmethod
    def stack(cls, element):
        """((step, index among siblings like it), ...) from the root."""
        rows = []
        while element is not None:
            step = (element.tag, frozenset(element.get("class", "").split()),
                    element.get("style", ""))
            parent = element.getparent()
            like = [] if parent is None else \
                [e for e in parent if cls.is_like(e, step)]
            rows.append((step, like.index(element) if like else 0))
            element = parent
        return tuple(reversed(rows))

    def values(self, page):
        found = []
        for stack, attribute in self.rules:
            element = page.tree.getroottree().getroot()
            for step, index in stack[1:]:
                like = [e for e in element if self.is_like(e, step)]
                if not like:
                    break
                element = like[min(index, len(like) - 1)]
            else:
                found.append(page.read(element, attribute))
        return distinct(found)


def tokens_of(page):
    """[(tag, opens?)], {element: (place of its tag, of its end)}"""
    tokens, places = [], {}

    def visit(element):
        if not isinstance(element.tag, str):
            return
        start = len(tokens)
        tokens.append((element.tag, True))
        for child in element:
            visit(child)
        places[element] = (start, len(tokens))
        tokens.append((element.tag, False))

    visit(page.tree.getroottree().getroot())
    return tokens, places


def longest(tokens, places, pattern, step):
    """The place of `places` at which most tokens of `pattern` follow each
    other in the direction `step`; None if there is not exactly one."""
    best, found = 0, []
    for place in places:
        count = 0
        while count < len(pattern) and \
                0 <= place + step * count < len(tokens) and \
                tokens[place + step * count] == pattern[count]:
            count += 1
        if count > best:
            best, found = count, []
        if count == best and count:
            found.append(place)
    return found[0] if len(found) == 1 else None


class ScrapelyPeer:
    def __init__(self, examples):
        self.templates = []
        for page, values in examples:
            tokens, places = tokens_of(page)
            rows = []
            for value in values:
                within = [(len(page.text(e)), -n, e) for n, e in
                          enumerate(page.elements) if value in page.text(e)]
                if within:
                    start, end = places[min(within)[2]]
                    rows.append((tokens[start::-1], tokens[end:]))
            self.templates.append(rows)

    def values(self, page):
        if not hasattr(page, "tokens"):
            page.tokens = tokens_of(page)
            page.starts = {p[0]: e for e, p in page.tokens[1].items()}
        tokens, places = page.tokens
        for rows in self.templates:
            found = []
            for before, behind in rows:
                start = longest(tokens, range(len(tokens)), before, -1)
                if start is None:
                    continue
                end = longest(tokens, range(start + 1, len(tokens)), behind, 1)
                element = page.starts.get(start)
                if end is None or element is None:
                    continue
                found.append(self.text_between(page, start, end))
            if distinct(found):
                return distinct(found)
        return []

    @staticmethod
    def text_between(page, start, end):
        element = page.starts[start]
        if page.tokens[1][element][1] == end:
            return page.text(element)
        parts = []
        for place in range(start, end):
            inner = page.starts.get(place)
            if inner is not None and isinstance(inner.tag, str) \
                    and inner.tag not in fields_gold.HIDDEN:
                parts += (inner.text or "", " ")
        return folded("".join(parts))


@functools.lru_cache(1 << 20)
def ratio(a, b):
    return difflib.SequenceMatcher(None, a, b).ratio()


def pairs_ratio(a, b):
    return (ratio(tuple(a), tuple(b)) +
            ratio(tuple(a.values()), tuple(b.values()))) / 2


class Traits:
    """What Scrapling saves of an element."""

    def __init__(self, element):
        parent = element.getparent()
        self.tag = element.tag
        self.attributes = {k: v.strip() for k, v in element.attrib.items()
                           if v.strip()}
        self.text = (element.text or "").strip()
        self.path = tuple(e.tag for e in element.iterancestors())[::-1] \
            + (element.tag,)
        self.parent = "" if parent is None else parent.tag
        self.parent_attributes = {} if parent is None else dict(parent.attrib)
        self.parent_text = "" if parent is None else \
            (parent.text or "").strip()
        self.siblings = () if parent is None else tuple(
            str(e.tag) for e in parent if e is not element)

    def likeness(self, other):
        parts = [float(self.tag == other.tag),
                 pairs_ratio(self.attributes, other.attributes),
                 ratio(self.path, other.path)]
        if self.text:
            parts.append(ratio(self.text, other.text))
        parts += (ratio(self.attributes[name], other.attributes.get(name, ""))
                  for name in ("class", "id", "href", "src")
                  if self.attributes.get(name))
        if self.parent and other.parent:
            parts += (ratio(self.parent, other.parent), pairs_ratio(
                self.parent_attributes, other.parent_attributes))
            if self.parent_text:
                parts.append(ratio(self.parent_text, other.parent_text))
        if self.siblings:
            parts.append(ratio(self.siblings, other.siblings))
        return round(fields.mean(parts), 4)


class ScraplingPeer:
    """Of redesigns only: `saved` are elements of old pages."""

    def __init__(self, saved, attribute):
        self.saved = [Traits(element) for element in saved]
        self.attribute = attribute

    def values(self, page):
        if not hasattr(page, "traits"):
            page.traits = [(e, Traits(e)) for e in page.elements]
        found = []
        for saved in self.saved:
            scores = [(saved.likeness(traits), e) for e, traits in page.traits]
            best = max(score for score, _ in scores)
            found += (page.read(e, self.attribute) for score, e in scores
                      if score == best)
        return distinct(found)


TAUGHT = {"path": PathPeer, "autoscraper": AutoScraperPeer,
          "scrapely": ScrapelyPeer}
REDESIGNED = ("path10", "scrapling", "scrapling-own")


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path.name: Page(path) for path in
                      sorted((folder / "pages").iterdir())}

    def examples(self, referee, count):
        """{field: [(page, values)]}"""
        found = collections.defaultdict(list)
        for line in common.call(sys.executable, referee.program, "--examples",
                                count, self.folder).splitlines():
            row = json.loads(line)
            for field, values in row["fields"].items():
                found[field].append((self.pages[row["page"]],
                                     distinct(map(folded, values))))
        return found

    def answer(self, path, values_of):
        """Write the answers, `values_of(page)` of each page."""
        path.write_text("".join(
            json.dumps({"page": name, "fields": values_of(page)}) + "\n"
            for name, page in self.pages.items()), "utf-8")
        return path


def values_by(rules):
    return lambda page: {field: rule.values(page)
                         for field, rule in rules.items()}


def measure_sites(referee, peers, folders):
    rows = collections.defaultdict(list)
    for folder in folders:
        site = Site(folder)
        for count in fields.EXAMPLES:
            examples = site.examples(referee, count)
            for peer in peers:
                if peer not in TAUGHT:
                    continue
                rules = {field: TAUGHT[peer](shown)
                         for field, shown in examples.items()}
                answers = site.answer(referee.folder / "answers.jsonl",
                                      values_by(rules))
                result = referee.score(folder, answers, "--taught", count)
                rows[peer, count].append((result["f1"], result["good"]))
    return rows


def known_pages(old, new, referee):
    """{field: [(new page, values)]} of pages whose old forms are known."""
    return {field: [(new.pages[page.name], values) for page, values in shown]
            for field, shown in old.examples(referee, KNOWN_PAGES).items()}


def redesign_values(peer, old, new, referee):
    """A function of a new page that gives its values by a peer."""
    examples = old.examples(referee, fields.REDESIGN_EXAMPLES)
    if peer in TAUGHT:
        return values_by({field: TAUGHT[peer](shown)
                          for field, shown in examples.items()})
    if peer == "path10":
        return values_by({field: PathPeer(shown) for field, shown in
                          known_pages(old, new, referee).items()})
    paths = {field: PathPeer(shown).path for field, shown in examples.items()}
    first = old.pages[next(iter(examples.values()))[0][0].name]

    def values(page):
        source = first if peer == "scrapling" else old.pages[page.name]
        return {field: ScraplingPeer(
            PathPeer.elements_at(source, path[0]), path[1]).values(page)
                for field, path in paths.items() if path}
    return values


def measure_redesigns(referee, peers, folders):
    rows = collections.defaultdict(list)
    for folder in folders:
        old, new = Site(folder / "before"), Site(folder / "after")
        for peer in peers:
            answers = new.answer(referee.folder / "answers.jsonl",
                                 redesign_values(peer, old, new, referee))
            shown = KNOWN_PAGES if peer == "path10" else \
                fields.REDESIGN_EXAMPLES
            result = referee.score(new.folder, answers, "--taught", shown)
            rows[peer].append((result["f1"], result["good"],
                               *fields.count_wrong(new.folder, answers)))
    return rows


def cells_of(rows, width):
    """Means of the first `width` columns, and the sums of the others."""
    if not rows:
        return ["-"] * width
    means = [fields.number(fields.mean(row[i] for row in rows))
             for i in range(width)]
    if len(rows[0]) > width:
        means.append("{} of {}".format(
            *(sum(row[i] for row in rows) for i in (width, width + 1))))
    return means


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("peers", nargs="*", metavar="PEER",
                        default=[*TAUGHT, *REDESIGNED])
    parser.add_argument("--referee", type=pathlib.Path,
                        default=common.DATA / "tools" / "fields.py")
    parser.add_argument("--half", choices=("dev", "test"))
    arguments = parser.parse_args()
    if not arguments.referee.exists():
        print(f"skipped: there is no {arguments.referee}")
        return
    sites, cases = (fields.half_of(fields.folders(arguments.folder / kind),
                                   arguments.half)
                    for kind in ("sites", "redesigns"))
    with tempfile.TemporaryDirectory() as scratch:
        referee = fields.Referee(arguments.referee, None,
                                 pathlib.Path(scratch))
        taught = measure_sites(referee, arguments.peers, sites)
        moved = measure_redesigns(referee, arguments.peers, cases)
    head = ["peer"]
    for count in fields.EXAMPLES:
        head += (f"F1 of {count}", f"right of {count}")
    fields.print_table([*head, "redesign F1", "right", "wrong values"], [
        (peer, *(cell for count in fields.EXAMPLES
                 for cell in cells_of(taught[peer, count], 2)),
         *cells_of(moved[peer], 2)) for peer in arguments.peers])


if __name__ == "__main__":
    main()
