"""What the template takes from the text of a group of pages, and what it adds.

A group is a site, of a year or of a kind of page. `auto` reads each of its
pages alone, and again with the template of up to KNOWN pages of the group
(tests/eval/template_table). Two kinds of groups have a truth:

- gold texts: crawl-to-the-future, big9 and daniel by site and year, and each
  snapshot of the sites of `temporal`;
- selectors of the content: content.tsv, of sites without gold texts. There the
  visible passages in the selected elements are the truth; titles do not count.
  Only these groups show which elements of the content are lost, such as
  captions and cells of tables.

The models were trained with some of the gold texts (forests of the page:
crawl-to-the-future, daniel; forest of the template: these and the last
snapshots of four sites), and with no site of content.tsv.
"""

import collections
import csv
import dataclasses
import pathlib
import random
import statistics
import tempfile

import common
import corpora
import goldsets

KNOWN = 24
VIEWED = 40  # pages of a group
GOLD_SETS = ("crawl-to-the-future", "daniel", "big9")
WORSE = (0.0, 0.002, 0.005)
SHOWN = 10  # worst groups
CONTENT = pathlib.Path(__file__).with_name("content.tsv")


@dataclasses.dataclass
class Group:
    """pages: their files; gold: {file: (words, bag)}, or None with a
    selector."""

    kind: str
    name: str
    pages: list
    gold: dict | None = None
    selector: str = ""


# A passage of the table; alone, chosen: whether `auto` shows it.
Passage = collections.namedtuple(
    "Passage", "words is_content alone chosen kind text")


def file_of(folder, page):
    found = pathlib.Path(folder, page)
    for path in (found, found.with_name(found.name + ".html"),
                 found.with_name(found.name + ".htm")):
        if path.is_file():
            return path
    return None


def group_of(kind, name, folder, pages, gold):
    """Of the pages of which there is a file."""
    files = {file_of(folder, page): gold[page] for page in sorted(pages)
             if page in gold}
    files.pop(None, None)
    return Group(kind, name, list(files), files)


def gold_groups():
    for made in goldsets.load(common.DATA, common.OUT / "data", GOLD_SETS):
        gold = goldsets.gold_words(common.DATA, made.gold)
        for name, pages in goldsets.members(made).items():
            yield group_of(made.name, f"{made.name} {name}", made.pages,
                           pages, gold)


def snapshot_groups():
    for site, has_snapshots in common.labelled_sites().items():
        if not has_snapshots:
            continue
        folder = common.unpack(site)
        rows = (folder / "gold_source.tsv").read_text("utf-8").splitlines()
        score = goldsets.referee(common.DATA)
        pages = collections.defaultdict(list)
        for path, *_, completeness in (row.split("\t") for row in rows[1:]):
            if float(completeness) >= corpora.MIN_COMPLETENESS:
                date, page = path.split("/", 1)
                pages[date].append(score.key(page))
        for date, some in sorted(pages.items()):
            yield group_of("snapshots", f"{site} {date}", folder / date, some,
                           goldsets.gold_words(common.DATA,
                                               folder / "gold" / date))


def content_groups():
    with CONTENT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        folder = common.unpack(row["site"])
        labels = (folder / "labels.tsv").read_text("utf-8").splitlines()
        files = {}
        for path, label, *_ in (line.split("\t") for line in labels[1:]):
            if label == row["label"] and (folder / path).is_file():
                files.setdefault((folder / path).read_bytes(), folder / path)
        yield Group("selectors", f"{row['site']} {row['label']}",
                    sorted(files.values()), selector=row["selector"])


def chosen(group):
    """(pages of the sample, pages to be viewed), others than these first."""
    pages = list(group.pages)
    random.Random(group.name).shuffle(pages)
    known = pages[:min(KNOWN, max(3, len(pages) // 2))]
    return known, (pages[len(known):] + known)[:VIEWED]


def passages_of(build, groups):
    """[(Group, file, its Passages)]."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, viewed = pathlib.Path(scratch), []
        with open(folder / "list", "w", encoding="utf-8") as out:
            for group in groups:
                known, pages = chosen(group)
                out.write(f"content 0 {group.selector}\n")
                out.writelines(f"sample 0 {file}\n" for file in known)
                out.writelines(f"page 0 {file}\n" for file in pages)
                viewed += [(group, file, []) for file in pages]
        common.call(build / "tests" / "eval" / "template_table",
                    folder / "list", "-", folder / "out")
        with open(folder / "out", encoding="utf-8", errors="replace",
                  newline="\n") as file:
            for line in file:
                page, words, *flags, kind, text = line[:-1].split("\t", 6)
                viewed[int(page)][2].append(Passage(
                    int(words), *(flag == "1" for flag in flags), kind, text))
    return viewed


def text_score(gold, passages, field):
    """Word F1 by the referee."""
    text = "\n".join(passage.text for passage in passages
                     if getattr(passage, field))
    words = goldsets.referee(common.DATA).words(text)
    return goldsets.word_score(common.DATA, gold, words)[2]


def selector_score(passages, field):
    """F1 of words, of whole passages; None for a page without content."""
    body = [passage for passage in passages if passage.kind != "title"]
    wanted = sum(p.words for p in body if p.is_content)
    shown = sum(p.words for p in body if getattr(p, field))
    right = sum(p.words for p in body if p.is_content and getattr(p, field))
    return 2 * right / (wanted + shown) if wanted else None


def moves_of(viewed):
    """{Group: [(F1 of the page alone, with the template)]}."""
    moves = collections.defaultdict(list)
    for group, file, passages in viewed:
        both = [text_score(group.gold[file], passages, field) if group.gold
                else selector_score(passages, field)
                for field in ("alone", "chosen")]
        if both[0] is not None:
            moves[group.kind, group.name].append(both)
    return {group: (statistics.fmean(a for a, _ in both),
                    statistics.fmean(b - a for a, b in both), len(both))
            for group, both in moves.items()}


def show_groups(report, moves):
    report.table("What the template does to a group of pages", "groups",
                 "number", "page alone", "difference",
                 *(f"worse by over {limit:g}" for limit in WORSE),
                 "better by over 0.005", "worst", "by")
    kinds = dict.fromkeys(kind for kind, _ in moves)
    for wanted in [[kind] for kind in kinds] + [list(kinds)]:
        rows = {name: row for (kind, name), row in moves.items()
                if kind in wanted}
        worst = min(rows, key=lambda name: rows[name][1])
        differences = [difference for _, difference, _ in rows.values()]
        report.row(wanted[0] if len(wanted) == 1 else "all", len(rows),
                   statistics.fmean(alone for alone, *_ in rows.values()),
                   f"{statistics.fmean(differences):+.4f}",
                   *(sum(d < -max(limit, 1e-9) for d in differences)
                     for limit in WORSE),
                   sum(d > 0.005 for d in differences), worst,
                   f"{rows[worst][1]:+.4f}")
    report.table("The worst groups", "groups", "group", "pages", "page alone",
                 "difference")
    for (kind, name), (alone, difference, pages) in sorted(
            moves.items(), key=lambda move: move[1][1])[:SHOWN]:
        report.row(kind, name, pages, alone, f"{difference:+.4f}")


def show_elements(report, viewed):
    counts = collections.defaultdict(collections.Counter)
    for group, _, passages in viewed:
        for passage in passages:
            if group.selector and passage.is_content:
                counts[passage.kind][passage.alone, passage.chosen] += 1
    report.table("Passages of the content, of groups with selectors", "element",
                 "chosen from the page alone", "lost with the template",
                 "added by the template")
    for kind, count in sorted(counts.items()):
        report.row(kind, count[True, True] + count[True, False],
                   count[True, False], count[False, True])


def tables(report, build):
    groups = [group for some in (gold_groups(), snapshot_groups(),
                                 content_groups())
              for group in some if len(group.pages) >= goldsets.MIN_GROUP]
    viewed = passages_of(build, groups)
    show_groups(report, moves_of(viewed))
    show_elements(report, viewed)
