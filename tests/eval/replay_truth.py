"""What became of templates between two states of a site, by the files."""

import html.parser
import re
import statistics

import replay_cases

MIN_PAGES = 3      # of a template that is known
AFFECTED = 0.8     # paths in common, as a ratio of both: below it has changed
VOID = frozenset("area base br col embed hr img input link meta source track "
                 "wbr".split())
MOVED = 0.4        # of the words, of a page that came at another URL
# What may be told of a template whose pages are gone.
OF_GONE = ("template.removed", "template.replaced")
FOUND = ("template.changed", "template.replaced", "template.removed",
         "template.merged", "template.split", "template.restored")


class Paths(html.parser.HTMLParser):
    """The paths of elements of a page, with their classes."""

    def __init__(self, body):
        super().__init__()
        self.open = []
        self.paths = set()
        self.feed(body.decode("utf-8", "replace"))

    def handle_starttag(self, tag, attrs):
        name = ".".join([tag, *(dict(attrs).get("class") or "").split()])
        self.paths.add(" ".join([step for _, step in self.open] + [name]))
        if tag not in VOID:
            self.open.append((tag, name))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if any(tag == one for one, _ in self.open):
            while self.open.pop()[0] != tag:
                pass


def likeness(old, new):
    """Jaccard of the paths."""
    if old == new:
        return 1.0
    old, new = Paths(old).paths, Paths(new).paths
    return len(old & new) / max(1, len(old | new))


def is_stub(body):
    return re.search(rb"http-equiv=[\"']?refresh", body[:4000], re.I)


def fate(old, new):
    """Of a page: None when it is gone, or its likeness to what it was."""
    if new is None or (is_stub(new) and not is_stub(old)):
        return None
    return likeness(old, new)


def templates(members, old, new):
    """{number: what became of its pages}; `members`: {number: [target]}."""
    paths = {replay_cases.target_of(path): path for path in old}
    found = {}
    for number, targets in members.items():
        fates = [fate(old[paths[target]], new.get(paths[target]))
                 for target in targets if target in paths]
        there = [one for one in fates if one is not None]
        gone = len(fates) - len(there)
        median = statistics.median(there) if there else 0.0
        found[number] = {
            "pages": len(targets), "gone": gone, "median": round(median, 3),
            "was_there": len(fates), "is_gone": gone * 2 > len(fates),
            "is_as_it_was": fates.count(1.0) == len(fates),
            "is_affected": gone * 2 > len(fates) or
            bool(there) and median < AFFECTED,
            "sample": targets[:3]}
    return found


def is_true(event, label, pages):
    """An alert; `pages`: what became of those that it names. A minor edit may
    be told of or not, where there was one."""
    if not event["kind"].startswith("template."):
        return False
    if event["kind"] == "template.added":
        return label == "redesign" or pages["was_there"] * 2 <= pages["pages"]
    if label in ("redesign", "minor layout edit"):
        return not pages["is_as_it_was"]
    return event["kind"] in OF_GONE and pages["is_gone"]


def number_of(event):
    """Of the template that it is about; "0" of the site."""
    return (event["cluster"] or "/0").rsplit("/", 1)[1]


def is_found(alerts):
    return any(event["kind"] in FOUND for event in alerts)


def told_of(alerts, number):
    """Where the last alert of a template says that its pages are: the number
    of a template, "gone", or None when nothing is told of it."""
    said = None
    for event in alerts:
        if number_of(event) != number or event["kind"] not in FOUND:
            continue
        other = (event["other"] or "").rsplit("/", 1)[-1]
        if event["kind"] == "template.removed":
            said = "gone"
        elif event["kind"] in ("template.replaced", "template.merged"):
            said = other
        else:
            said = number
    return said


def led_to(target, new):
    """Where a page that has become a stub leads to; else itself."""
    body = {replay_cases.target_of(path): body
            for path, body in new.items()}.get(target, b"")
    stub = re.search(rb"http-equiv=[\"']?refresh[^>]*url=([^\"'>]+)",
                     body[:4000], re.I)
    return replay_cases.target_of(stub.group(1).decode().lstrip("/")) \
        if stub else target


def words(body):
    text = re.sub(rb"(?s)<(script|style|nav|header|footer)\b.*?</\1>|<[^>]*>",
                  b" ", body)
    return frozenset(re.findall(rb"[\w\x80-\xff]+", text))


CAME = {}  # of the last pair of states: {path: words} of pages that came


def come(old, new):
    key = id(old), id(new)
    if key not in CAME:
        CAME.clear()
        CAME[key] = {path: words(body) for path, body in new.items()
                     if path not in old}
    return CAME[key].items()


def moved_to(target, old, new):
    """Of a page that is gone: the new one that has most of its words; else
    itself."""
    paths = {replay_cases.target_of(path): path for path in old}
    path = paths.get(target)
    if path is None or path in new:
        return target
    mine = words(old[path])
    likely = {other: len(mine & other_words) / max(1, len(mine | other_words))
              for other, other_words in come(old, new)}
    best = max(likely, key=likely.get, default=None)
    return replay_cases.target_of(best) if best and \
        likely[best] >= MOVED else target


def destination(targets, now, old, new):
    """The template that most of the pages are in, or lead or moved to; "gone"
    when most are in none. `now`: {number: [target]}; states: {path: bytes}."""
    targets = [moved_to(led_to(target, new), old, new) for target in targets]
    counts = {number: sum(target in pages for target in targets)
              for number, pages in now.items()}
    best = max(counts, key=counts.get, default=None)
    return best if sum(counts.values()) * 2 > len(targets) else "gone"
