#!/usr/bin/env python3
"""Make gold for fields.py: pages of one template each, with known values.

usage: fields_gold.py DEST [--only NAME...]

Reads the rules of fields_gold.tsv and the archives of ../shared/data (or of
$TEMPLATED_DATA), and writes DEST/sites and DEST/redesigns in the form of
fields.tar.zst, and a line with the counts and a checksum for each of them.
Needs lxml (Debian: python3-lxml, so perhaps /usr/bin/python3).

A line of the rules that starts with @ begins a site: its name, an archive, a
label of the archive's labels.tsv (or - for any), an expression that a path
matches, the most pages, and a note. "NAME/before" and "NAME/after" are the
two sides of a redesign; pages whose groups of the expression are equal belong
together. The lines behind it are its fields: a name and words of the page that
name it as well, an XPath, and perhaps an expression, of which group 1 is the
value (every match is one). A page without the first field is left out, and so
is one whose values are all those of another.

The values are what the page shows: elements count with their text, and white
space as in fields.py. Before they are read, markup that states values to
machines only is removed from the page, as in the given gold: JSON-LD, the
attributes of microdata and RDFa, their `meta` and `link`, and the metas of
OpenGraph, Twitter, articles and authors.

Half of the sites and redesigns (`fields.py --half dev`) is for those who
improve the program; of the half `test` they look at the figures only.
"""

import argparse
import collections
import hashlib
import pathlib
import re
import shutil
import sys

import lxml.html

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
from fields import folded  # noqa: E402

RULES = pathlib.Path(__file__).with_suffix(".tsv")
HIDDEN = {"script", "style", "noscript", "template", "head", "select"}
INLINE = {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn",
          "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s", "samp",
          "small", "span", "strike", "strong", "sub", "sup", "time", "tt",
          "u", "var", "wbr"}

TAG = re.compile(rb"<[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
JSON_LD = re.compile(
    rb"<script[^>]*application/ld\+json[^>]*>.*?</script\s*>", re.S | re.I)
ATTRIBUTE = re.compile(
    rb"\s+(?:itemprop|itemscope|itemtype|itemid|itemref|property|typeof|"
    rb"vocab)(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)|(?=[\s/>]))", re.I)
META = re.compile(
    rb"<(?:meta|link)\b(?:[^>]*\sitemprop\s*=|"
    rb"[^>]*\s(?:name|property)\s*=\s*[\"']?"
    rb"(?:og:|article:|twitter:|fb:|author\b|dcterms\.|dc\.))", re.I)

Field = collections.namedtuple("Field", "name aliases path pattern")
Site = collections.namedtuple("Site", "name archive label path most note "
                              "fields")
Page = collections.namedtuple("Page", "path source values")


def read_rules():
    sites = []
    for line in RULES.read_text("utf-8").splitlines():
        cells = line.split("\t")
        if line.startswith("@"):
            name, archive, label, path, most, note = cells
            sites.append(Site(name[1:], archive, label, re.compile(path),
                              int(most), note, []))
        elif line and not line.startswith("#"):
            name, *aliases = cells[0].split(" ")
            sites[-1].fields.append(
                Field(name, aliases, lxml.etree.XPath(cells[1]),
                      re.compile(cells[2]) if len(cells) > 2 else None))
    return sites


def strip_markup(source):
    source = JSON_LD.sub(b"", source)
    return TAG.sub(lambda m: b"" if META.match(m[0]) else
                   ATTRIBUTE.sub(b"", m[0]), source)


def tree_of(source):
    text = source.decode("utf-8", "replace").lstrip("\ufeff")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    return lxml.html.document_fromstring(text)


def add_text(element, parts):
    if not isinstance(element.tag, str) or element.tag in HIDDEN:
        return
    gap = "" if element.tag in INLINE else " "
    parts += (gap, element.text or "")
    for child in element:
        add_text(child, parts)
        parts.append(child.tail or "")
    parts.append(gap)


def text_of(found):
    if isinstance(found, str):
        return folded(found)
    parts = []
    add_text(found, parts)
    return folded("".join(parts))


def values_of(tree, field):
    values = []
    found = field.path(tree)
    for text in map(text_of, found if isinstance(found, list) else [found]):
        for value in field.pattern.findall(text) if field.pattern else [text]:
            value = folded(value)
            if value and value not in values:
                values.append(value)
    return values


def read_page(site, folder, path):
    source = strip_markup((folder / path).read_bytes())
    tree = tree_of(source)
    return Page(path, source, {field.name: values_of(tree, field)
                               for field in site.fields})


def labels_of(folder):
    rows = (line.split("\t") for line in
            (folder / "labels.tsv").read_text("utf-8").splitlines()[1:])
    return {row[0]: row[1] for row in rows}


def paths_of(site, folder):
    """{key: path} of a site's pages, in an order that nobody chose."""
    labels = labels_of(folder) if site.label != "-" else {}
    paths = labels or {str(p.relative_to(folder)): "-"
                       for p in folder.rglob("*.htm*")}
    chosen = sorted((hashlib.sha1(path.encode()).hexdigest(), path)
                    for path, label in paths.items() if label == site.label
                    and site.path.search(path) and (folder / path).is_file())
    return {site.path.search(path).groups() or path: path
            for _, path in chosen}


def complete(page, site):
    return bool(page.values[site.fields[0].name])


def pages_of(site, folder):
    pages, seen = [], set()
    for path in paths_of(site, folder).values():
        page = read_page(site, folder, path)
        if not complete(page, site) or repr(page.values) in seen:
            continue
        seen.add(repr(page.values))
        pages.append(page)
        if len(pages) == site.most:
            break
    return pages


def pairs_of(before, after, old_folder, new_folder):
    """Pages with the same values before and after, [before], [after]."""
    old, new = (paths_of(before, old_folder), paths_of(after, new_folder))
    pairs, seen = [], set()
    for key in (key for key in old if key in new):
        a = read_page(before, old_folder, old[key])
        b = read_page(after, new_folder, new[key])
        if not complete(a, before) or a.values != b.values \
                or repr(a.values) in seen:
            continue
        seen.add(repr(a.values))
        pairs.append((a, b))
        if len(pairs) == before.most:
            break
    return [a for a, _ in pairs], [b for _, b in pairs]


def origin(site, pages):
    lines = [
        f"# {site.name}", "",
        f"Source: `{site.archive}`, whose PROVENANCE has address and licence."
        f" {site.note}", "", "Removed: JSON-LD, microdata and RDFa "
        "attributes, `meta` and `link` with itemprop, and metas of OpenGraph, "
        "Twitter, articles and authors. Nothing else was changed.", "",
        f"Pages: {len(pages)}. Original paths: `paths.tsv`.", "",
        "| field | pages with it | values | part of a text |",
        "|---|---|---|---|"]
    for field in site.fields:
        counts = [len(page.values[field.name]) for page in pages]
        lines.append(f"| {field.name} | {sum(map(bool, counts))} | "
                     f"{sum(counts)} | {'yes' if field.pattern else 'no'} |")
    return "\n".join(lines) + "\n"


def write_site(site, pages, folder):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pages").mkdir(parents=True)
    gold, paths = [], []
    for number, page in enumerate(pages):
        name = f"{number:04}.html"
        (folder / "pages" / name).write_bytes(page.source)
        paths.append(f"{name}\t{page.path}\n")
        gold += (f"{name}\t{field.name}\t{value}\n" for field in site.fields
                 for value in page.values[field.name])
    (folder / "gold.tsv").write_text("".join(gold), "utf-8")
    (folder / "aliases.tsv").write_text("".join(
        f"{field.name}\t{' '.join(field.aliases)}\n"
        for field in site.fields if field.aliases), "utf-8")
    (folder / "paths.tsv").write_text("".join(paths), "utf-8")
    (folder / "ORIGIN.md").write_text(origin(site, pages), "utf-8")
    check = hashlib.sha256("".join(gold).encode())
    for page in pages:
        check.update(page.source)
    print(f"{site.name}: {len(pages)} pages, {len(site.fields)} fields, "
          f"{len(gold)} values, {check.hexdigest()[:16]}", flush=True)


def folder_of(site):
    return common.unpack(site.archive.split("/")[1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=())
    arguments = parser.parse_args()
    if not common.has_data():
        return
    sites = {site.name: site for site in read_rules()}
    for name, site in sites.items():
        case, _, side = name.partition("/")
        if arguments.only and case not in arguments.only or side == "after":
            continue
        if not side:
            write_site(site, pages_of(site, folder_of(site)),
                       arguments.dest / "sites" / name)
            continue
        after = sites[f"{case}/after"]
        old, new = pairs_of(site, after, folder_of(site), folder_of(after))
        for half, pages in ((site, old), (after, new)):
            write_site(half, pages, arguments.dest / "redesigns" / half.name)


if __name__ == "__main__":
    main()
