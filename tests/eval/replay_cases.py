"""Real sites at several times, as folders that a web server can serve.

A case is a few states of one site. `../shared/data/history` has three of each:
old, control (content changed, the template did not) and new. Of
`../shared/data/temporal` each pair of snapshots that follow each other is a
case, and all snapshots of a site are a chain. In gone/SITE most pages of one
template answer 404 from one moment to the next. A file that is the same in two
states has the same time in both, so that the server's validators say what is
true.
"""

import collections
import csv
import os
import re
import urllib.parse
import zlib

import common

# Sites whose snapshots are whole.
CHAINS = ("flink", "haskelljp", "jena", "jubatus")
# Of a site, a label of labels.tsv and the snapshot: of its pages one of
# GONE_EACH stays.
GONE = {"flink": ("post", "2023-10-13"),
        "jubatus": ("sphinx-page", "2019-03-25"),
        "rocketmq": ("docusaurus-docs-doc-page", "2024-10-12")}
GONE_EACH = 21
# Ports of the cases, below those that the system gives away: keys of pages, and
# so the samples of templates, depend on the port.
FIRST_PORT, PORTS = 20000, 10000
# What is written instead of a site's own name in links that are absolute.
HISTORY_HOSTS = {"flink": ["https://flink.apache.org"],
                 "okhttp": ["https://square.github.io/okhttp"]}
NO_REDESIGN = ("flink-2022-redirects",)
# Kinds of pages that a few were kept of, whatever the snapshot.
SAMPLED = ("javadoc", "maven-site")
BASE_S = 1_600_000_000  # the time of files of the first state
STEP_S = 86400

# label: "none" (content alone), "minor layout edit", "redesign" or "stubs"
# (URLs are gone), of the way from the state before; "" of the first.
# pages: {path: bytes}.
State = collections.namedtuple("State", "name label pages")
Case = collections.namedtuple("Case", "name states")


def own_name(url):
    parts = urllib.parse.urlsplit(url)
    return re.escape(parts.netloc + parts.path).encode()


def read_pages(folder, urls):
    """Links that were written with one of the site's own names lead to our
    server; pages that forbid to be remembered are remembered all the same."""
    own = re.compile(rb"(?:https?:)?//(?:" + b"|".join(map(own_name, urls)) +
                     rb")(?=[/\"'#?])")
    pages = {}
    for path in sorted(folder.rglob("*.htm*")):
        body = path.read_bytes()
        if urls:
            body = own.sub(b"", body)
        pages[str(path.relative_to(folder))] = body.replace(
            b'content="noindex', b'content="index')
    return pages


def without_loose_ends(before, after, new):
    """Pages that became stubs whose target the sample lacks are left out."""
    there = {target_of(path) for path in {**after, **new}}
    kept = {}
    for path, body in before.items():
        stub = re.search(rb'http-equiv="refresh" content="[^"]*url=([^"]+)"',
                         after[path])
        if not stub or stub.group(1).decode() in there:
            kept[path] = body
    return kept


def history_case(name):
    """A path that the control does not have is old and control alike: what is
    there is a sample of the site, and says nothing of the path."""
    folder = common.unpack(name)
    urls = HISTORY_HOSTS.get(name.split("-")[0], ())
    before, after, new, earlier = (
        read_pages(folder / part, urls)
        for part in ("before", "after", "after-new-pages", "control-earlier"))
    label = "redesign"
    if name in NO_REDESIGN:
        label = "stubs"
        before = without_loose_ends(before, after, new)
    return Case(f"history/{name}", [
        State("old", "", {**before, **{path: body for path, body in
                                       earlier.items() if path in before}}),
        State("control", "none", before),
        State("new", label, {**new, **after})])


def left_out(folder, date):
    """How many pages the site had then that the snapshot lacks."""
    row = re.search(rf"^\| {date} \|.*", (folder / "PROVENANCE.md").read_text(
        "utf-8"), re.M).group(0)
    there, kept = (int(cell) for cell in row.split("|")[4:6])
    return there - kept


def sampled(folder, date):
    """Pages of the snapshot that another one may lack by chance."""
    with open(folder / "labels.tsv", "r", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return {row[0].removeprefix(f"{date}/") for row in rows
            if row[1] in SAMPLED and row[0].startswith(f"{date}/")}


def base_urls(folder):
    """What the site was called, at one time or another."""
    line = re.search(r"^- Base URL of the site: (.*)",
                     (folder / "PROVENANCE.md").read_text("utf-8"),
                     re.M).group(1)
    return re.findall(r"(https?://[^\s()]+?)/?(?=[\s)]|$)", line)


def temporal_case(name, row):
    """A page that the later snapshot may lack because it is a sample is in
    neither."""
    folder = common.unpack(name)
    dates = row["date_from"], row["date_to"]
    old, new = (read_pages(folder / date, base_urls(folder)) for date in dates)
    gone = old.keys() - new.keys()
    if len(gone) > left_out(folder, dates[1]):
        gone &= sampled(folder, dates[0])
    return Case(f"temporal/{name}/{dates[1]}", [
        State(dates[0], "", {path: body for path, body in old.items()
                             if path not in gone}),
        State(dates[1], row["kind"], new)])


def gone_case(name):
    """Most pages of one template answer 404."""
    label, date = GONE[name]
    folder = common.unpack(name)
    pages = read_pages(folder / date, base_urls(folder))
    with open(folder / "labels.tsv", "r", encoding="utf-8") as file:
        mine = sorted(row[0].removeprefix(f"{date}/") for row in (
            line.rstrip("\n").split("\t") for line in file)
            if row[0].startswith(f"{date}/") and row[1] == label)
    gone = set(mine) - set(mine[::GONE_EACH])
    return Case(f"gone/{name}", [
        State(date, "", pages),
        State("404", "stubs", {path: body for path, body in pages.items()
                               if path not in gone})])


def chain(name):
    """All snapshots, one after the other."""
    folder = common.unpack(name)
    with open(folder / "changes.tsv", "r", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    dates = [(rows[0]["date_from"], "")] + [
        (row["date_to"], row["kind"]) for row in rows]
    return Case(f"chain/{name}", [
        State(date, label, read_pages(folder / date, base_urls(folder)))
        for date, label in dates])


def names_of(kind):
    return sorted(path.name.removesuffix(".tar.zst") for path in
                  (common.DATA / "data" / kind).glob("*.tar.zst"))


def cases(wanted):
    """One after the other: each that has one of the words in its name. Chains
    are not among them unless the word begins with theirs."""
    for name in CHAINS:
        if any(f"chain/{name}".startswith(word)
               for word in wanted if word.startswith("chain")):
            yield chain(name)
    for name in GONE:
        if any(word in f"gone/{name}" for word in wanted):
            yield gone_case(name)
    for name in names_of("history"):
        if any(word in f"history/{name}" for word in wanted):
            yield history_case(name)
    for name in names_of("temporal"):
        with open(common.unpack(name) / "changes.tsv", "r",
                  encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                if any(word in f"temporal/{name}/{row['date_to']}"
                       for word in wanted):
                    yield temporal_case(name, row)


def port_of(case, run):
    """The same for each run of that number, so that two can be compared."""
    return FIRST_PORT + zlib.crc32(f"{case.name} {run}".encode()) % PORTS


def write_states(case, folder):
    """[folder of each state]."""
    written = []
    times = {}
    for index, state in enumerate(case.states):
        root = folder / str(index)
        last = case.states[index - 1].pages if index else {}
        for path, body in state.pages.items():
            if last.get(path) != body:
                times[path] = BASE_S + index * STEP_S
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
            os.utime(file, (times[path], times[path]))
        written.append(root)
    return written


def target_of(path):
    """What a page is asked for by."""
    return "/" + urllib.parse.quote(re.sub(r"(^|/)index\.html$", r"\1", path))


def sitemap(paths, host):
    return ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "".join(f"<url><loc>http://{host}{target_of(path)}</loc></url>\n"
                      for path in paths) + "</urlset>\n")
