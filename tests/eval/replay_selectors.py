"""Selectors that somebody who scrapes a site would write, and what a redesign
makes of them. Read with lxml and cssselect, strangers to the program."""

import collections
import functools
import re

import lxml.cssselect
import lxml.html

SAMPLED = 20   # pages of a template that are looked at
MOST = 0.8     # of them must have what is guarded
TRIED = 6      # pages from which elements are taken
TARGETS = 12   # elements of a page that are tried
LENGTH = 200   # characters of a value that are compared
MAIN = 0.6     # of the text of what is around it: that of the main container
NAMED = re.compile(r"-?[A-Za-z_][\w-]*$", re.ASCII)
MENU = re.compile(r"nav|menu|header|toolbar|sidebar", re.I)
DATED = re.compile(r"(^|[-_])(date|time|published|posted|updated)", re.I)
DATE = re.compile(r"\b(19|20)\d\d-\d\d-\d\d\b|"
                  r"\b\d{1,2}-[A-Z][a-z]{2}-(19|20)\d\d\b|"
                  r"\b\d{1,2}(st|nd|rd|th)? [A-Z][a-z]{2,8},? (19|20)\d\d\b|"
                  r"\b[A-Z][a-z]{2,8} \d{1,2},? (19|20)\d\d\b")
SAYS = ("content", "alt", "title", "value", "datetime", "src", "href")
DESCRIPTION = "//meta[@name='description']/@content"

# kind: what a reader would call it; language: "css" or "xpath".
Guard = collections.namedtuple("Guard", "kind language selector")


def parse(body):
    tree = lxml.html.document_fromstring(body or b"<html></html>")
    for element in tree.iter("script", "style"):
        element.text = None
    return tree


def squeezed(text):
    return "".join(text.split())[:LENGTH]


def value_of(found):
    """What an element or an attribute says, without white space."""
    if isinstance(found, str):
        return squeezed(found)
    text = squeezed(found.text_content())
    return text or next((squeezed(found.get(name)) for name in SAYS
                         if found.get(name)), "")


@functools.lru_cache(10000)
def compiled(language, selector):
    if language == "css":
        return lxml.cssselect.CSSSelector(selector, translator="html")
    return lxml.etree.XPath(selector)


def select(tree, language, selector):
    return compiled(language, selector)(tree)


def values_of(tree, guard):
    return [value_of(one) for one in
            select(tree, guard.language, guard.selector)]


def holds(guard, trees, is_constant=False):
    """Once on most of the pages, and with something to say."""
    values = [value_of(found[0]) for found in
              (select(tree, guard.language, guard.selector)
               for tree in trees) if len(found) == 1]
    values = list(filter(None, values))
    if is_constant:
        values = [one for one in values if one == values[0]]
    return len(values) >= MOST * len(trees)


def names(element):
    """Simple selectors of the element by id and class."""
    if NAMED.match(element.get("id") or ""):
        yield "#" + element.get("id")
    for word in (element.get("class") or "").split():
        if NAMED.match(word):
            yield f"{element.tag}.{word}"


def step(element):
    same = [one for one in element.getparent() if one.tag == element.tag]
    if len(same) == 1:
        return element.tag
    return f"{element.tag}:nth-of-type({same.index(element) + 1})"


def selectors(element):
    """As people write them, the simplest first."""
    yield from names(element)
    if element.tag in ("h1", "main", "article", "nav", "footer", "time"):
        yield element.tag
    path = ""
    for above in element.iterancestors():
        if not isinstance(above.tag, str) or above.tag == "body":
            break
        path = step(element) if not path else f"{step(below)} > {path}"
        below = above
        for name in names(above):
            yield f"{name} {element.tag}"
            yield f"{name} > {path}"
    if path and above.tag == "body" and below is not element:
        yield f"body > {step(below)} > {path}"


def elements(tree):
    body = tree.find("body")
    return [] if body is None else [one for one in body.iter()
                                    if isinstance(one.tag, str)]


def headings(tree):
    title = tree.findtext("head/title") or ""
    parts = {squeezed(part) for part in re.split(
        r"\s+[|–—·:»-]+\s+|:\s", title)} | {squeezed(title)}
    found = [one for one in elements(tree)
             if value_of(one) and value_of(one) in parts]
    return [*tree.iter("h1"), *reversed(found)]


def containers(tree):
    """From the element with most of the text upwards."""
    around = tree.find("body")
    found = []
    while around is not None:
        size = len(around.text_content())
        around = next((one for one in around if isinstance(one.tag, str) and
                       len(one.text_content()) > MAIN * size), None)
        if around is not None:
            found.append(around)
    return [one for one in reversed(found)
            if one.tag == "main" or next(names(one), None)]


def is_in_menu(element):
    return any(above.tag in ("nav", "header") or
               MENU.search(f"{above.get('id')} {above.get('class')}")
               for above in element.iterancestors("nav", "header", "div", "ul",
                                                  "table", "td"))


def links(tree):
    found = [one for one in elements(tree) if one.tag == "a" and
             one.get("href") and len(squeezed(one.text_content())) > 2]
    menu = [one for one in found if is_in_menu(one)]
    # not the first, which are often the logo
    return (menu or found)[1:] + (menu or found)[:1]


def footers(tree):
    found = [one for one in elements(tree)
             if len(squeezed(one.text or "")) > 5 and one.tag != "a" and
             len(value_of(one)) > 10]
    return list(reversed(found))


def own_text(element):
    return " ".join([element.text or "", *(one.tail or "" for one in element)])


def dates(tree):
    return [one for one in elements(tree) if one.tag == "time" or
            DATED.search(one.get("class") or "") or
            DATE.search(own_text(one))]


# kind: (the elements that may be it, whether it says the same everywhere)
KINDS = {"heading": (headings, False), "container": (containers, False),
         "menu link": (links, True), "footer": (footers, True),
         "date": (dates, False)}


def breaks(guard, trees, later):
    """On most of the pages on which it holds."""
    held = [new for old, new in zip(trees, later)
            if len(values_of(old, guard)) == 1]
    return sum(len(values_of(new, guard)) != 1
               for new in held) * 2 > len(held)


def choose_one(kind, trees, later):
    """The simplest that will break; the simplest when none does."""
    targets, is_constant = KINDS[kind]
    tried = set()
    first = None
    for tree in trees[:TRIED]:
        for target in targets(tree)[:TARGETS]:
            for selector in selectors(target):
                guard = Guard(kind, "css", selector)
                if selector in tried or \
                        select(tree, "css", selector) != [target]:
                    continue
                tried.add(selector)
                if not holds(guard, trees, is_constant):
                    continue
                first = first or guard
                if breaks(guard, trees, later):
                    return guard
    return first


def choose(pages):
    """[Guard] of a template, up to one of each kind; pages: {path: (old,
    new)}, trees, new as old where the page will be gone."""
    picked = list(pages.values())[::max(1, len(pages) // SAMPLED)][:SAMPLED]
    trees, later = zip(*picked)
    description = Guard("description", "xpath", DESCRIPTION)
    has_one = holds(description, trees)
    chosen = [description] if has_one else []
    for kind in KINDS:
        guard = None if kind == "date" and has_one else choose_one(
            kind, trees, later)
        if guard and guard.selector not in [one.selector for one in chosen]:
            chosen.append(guard)
    return chosen


# value: what it said; is_there: whether something still says it.
Failure = collections.namedtuple("Failure", "path value tree is_there")


def is_said(tree, guard, value):
    if guard.language == "xpath":
        return value in map(squeezed, tree.xpath("//@content"))
    return any(value_of(one) == value for one in tree.iter()
               if isinstance(one.tag, str))


def fate(guard, pages):
    """(pages on which it held, [Failure]); pages: {path: (old, new)}."""
    held = 0
    failures = []
    for path, (old, new) in pages.items():
        values = values_of(old, guard)
        if len(values) != 1:
            continue
        held += 1
        if len(values_of(new, guard)) != 1:
            failures.append(Failure(path, values[0], new, bool(values[0]) and
                                    is_said(new, guard, values[0])))
    return held, failures


def is_right(guard, candidate, failures):
    """On half of the pages that still say it, the candidate finds it."""
    there = [one for one in failures if one.is_there]
    language = guard.language
    selector = candidate["selector" if language == "css" else "xpath"]
    right = 0
    for one in there:
        found = select(one.tree, language, selector)
        right += bool(found) and value_of(found[0]) == one.value
    return bool(there) and right * 2 >= len(there)


def rank(guard, candidates, failures):
    """Of the first candidate that is right, from 1; 0 when none is."""
    return next((i for i, one in enumerate(candidates, 1)
                 if is_right(guard, one, failures)), 0)
