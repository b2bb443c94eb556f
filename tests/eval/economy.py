#!/usr/bin/env python3
"""economy.py [BUILD] [--saturation K]... [--site NAME]... [--sitemap]
[--threshold T] [--ratio R] [--orders N] [--method M]: how many pages of a real
site are enough to know its templates.

Each site of the data is served by nginx and crawled in full, and again with
crawl.pattern_stop_after K for each K (5, 10, 20). Then a sample of the pages of every
large cluster of the full crawl (10 pages and more) is handed to both daemons,
and the text that method M (df) finds by the templates of the few pages is scored
by that of all pages, as bags of words. Printed per site and K: what ratio of the
pages and bytes was fetched, how many of the large clusters are known from few
pages, too, and the mean F1, of all and of the pages that have a template. With
--sitemap the server also has a sitemap of all pages of the archive, many of
which nothing else leads to; with --threshold both crawls cluster by that, in
place of the one that each chooses for itself. --ratio ends the crawl of few
pages at R of the visits of the full one; --orders crawls few pages N times, beginning
at the site's own first page and at another one before, and says the worst. Without data this says
so.
"""

import argparse
import collections
import pathlib
import re
import statistics
import sys
import urllib.parse

sys.dont_write_bytecode = True

import clusters  # noqa: E402 (nothing is written beside the sources)
import common  # noqa: E402
import goldsets  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

LARGE = 10       # pages of a cluster that counts
PER_CLUSTER = 8  # pages of it that are scored
# Where the pages of an archive begin, when that is not its first folder.
FOLDERS = {"dunkerskulturhus.se": "dunkerskulturhus.se",
           "foretagare.helsingborg.se": "foretagare.helsingborg.se",
           "hidemiyoshi.jp": "simple_mirror"}
SEEDS = {"hidemiyoshi.jp": "blog/"}
# Links that were written with the site's own name lead to our server; and one
# archive forbids to follow its links.
EXTRA = """
try_files $uri $uri/ $uri.html =404;
sub_filter_once off;
sub_filter "https://{0}" "";
sub_filter "http://{0}" "";
sub_filter "noindex, nofollow" "noindex";
absolute_redirect off;
location = /sitemap.xml {{ root {1}; }}
"""
CRAWL = {"max_pages": 10 ** 6, "max_depth": 1000, "max_pages_per_pattern": 10 ** 6,
         "revisit_interval": "0 s", "max_bytes": "100 GB"}

# What came over the wire: pages, and bytes of their answers.
Crawl = collections.namedtuple("Crawl", "daemon server host fetched bytes")


def own_name(folder):
    """The host of the archive's PROVENANCE; one that nobody has without."""
    found = re.search(r"^base-url: https?://([^/\s]+)",
                      (folder / "PROVENANCE").read_text("utf-8"), re.M)
    return found.group(1) if found else "nobody.invalid"


def write_sitemap(folder, pages, host):
    """Of all that labels call a page, below `pages`."""
    locations = []
    for row in (folder / "labels.tsv").read_text("utf-8").splitlines()[1:]:
        path, label = row.split("\t")[:2]
        path = folder / path
        if label.split("/")[0] not in clusters.NO_PAGES and \
                path.is_relative_to(pages):
            path = urllib.parse.quote(str(path.relative_to(pages)))
            locations.append("<url><loc>http://{}/{}</loc></url>\n".format(
                host, path.removesuffix("index.html")))
    (common.OUT / "sitemap.xml").write_text(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "".join(locations) + "</urlset>\n")


def crawl(site, folder, options, seed=None, **limits):
    """All of them run until close()."""
    pages = folder / FOLDERS.get(site, "")
    server = harness.Web(pages, EXTRA.format(own_name(folder), common.OUT))
    write_sitemap(folder, pages, server.host)
    daemon = harness.Daemon({"crawl": {
        **CRAWL, **limits,
        "sitemaps": "yes" if options.sitemap else "no"}}).start()
    for page in [SEEDS.get(site, "")] if seed is None else [
            seed, SEEDS.get(site, "")]:
        daemon.watch(server.url + page, **options.threshold)
    daemon.wait_for(server.host)
    rows = [row for row in server.details() if row["status"] == 200
            and row["target"] not in ("/robots.txt", "/sitemap.xml")]
    return Crawl(daemon, server, server.host, len(rows),
                 sum(row["sent"] for row in rows))


def close(done):
    done.daemon.remove()
    done.server.stop()


def large_clusters(done):
    """[its pages, as targets], of each."""
    found = []
    for cluster in done.daemon.clusters(done.host):
        if cluster["pages"] >= LARGE:
            found.append(sorted(url.split(done.host, 1)[1] for url in
                                done.daemon.pages(cluster["id"])))
    return sorted(found)


def body_of(done, target):
    connection = harness.http.client.HTTPConnection(done.host)
    connection.request("GET", target)
    return connection.getresponse().read()


def text_of(done, target, body, method):
    """None when the crawl has no template for it, and the method needs one."""
    answer = done.daemon.post("/v1/extract", body, method=method,
                              url=f"http://{done.host}{target}")
    return answer.text if answer.status == 200 else None


def score_cluster(full, few, targets, score, method):
    """F1 of a sample of its pages, and of those (or None) that the few pages
    have a template for; None when there is no text to be found."""
    scores, known = [], []
    for target in targets[::max(1, len(targets) // PER_CLUSTER)]:
        body = body_of(full, target)
        words = score.words(text_of(full, target, body, method) or "")
        got = text_of(few, target, body, method)
        if not words:
            continue  # all of it is template: there is nothing to find
        found = score.words(got or "")
        overlap = score.bag(collections.Counter(words), found)
        scores.append(score.prf(overlap, len(found), len(words))[2])
        known += [] if got is None else scores[-1:]
    if not scores:
        return None
    return statistics.mean(scores), statistics.mean(known) if known else None


def tried(done):
    """Visits, of which some brought no page."""
    site = done.daemon.json(f"/v1/sites/{done.host}")
    return site["fetched"] + site["failed"]


def seeds_of(full, orders):
    """Where crawls in other orders begin: None for the site's own page."""
    pages = sorted({row["target"][1:] for row in full.server.details()
                    if row["status"] == 200 and row["target"] not in
                    ("/robots.txt", "/sitemap.xml")})
    return [None] + [pages[i * len(pages) // orders]
                     for i in range(1, orders)]


def compare(full, few, large, score, method):
    """(clusters that are known, all, mean F1, F1 where known)."""
    rows = [row for row in (score_cluster(full, few, targets, score,
                                          method)
                            for targets in large) if row]
    known = [row[1] for row in rows if row[1] is not None]
    return (len(known), len(rows),
            statistics.mean(row[0] for row in rows) if rows else 1.0,
            statistics.mean(known) if known else 1.0)


def measure(site, options, report):
    """{saturation: (ratio of pages, ratio of bytes, F1, where known)}."""
    score = goldsets.referee(common.DATA)
    folder = common.unpack(site)
    full = crawl(site, folder, options, pattern_stop_after=0)
    large = large_clusters(full)
    budget = {} if options.ratio is None else {
        "max_pages": max(1, round(options.ratio * tried(full)))}
    found = {}
    for saturation in options.saturation:
        runs = []
        for seed in seeds_of(full, options.orders):
            few = crawl(site, folder, options, seed, pattern_stop_after=saturation,
                        **budget)
            runs.append((few.fetched / full.fetched, few.bytes / full.bytes,
                         *compare(full, few, large, score, options.method)))
            close(few)
        pages, size, known, rows, f1, where = map(statistics.mean, zip(*runs))
        found[saturation] = (pages, size, f1, where)
        report.row(site, saturation, full.fetched, f"{pages:.3f}",
                   f"{size:.3f}", f"{known:g} of {rows:g}", f1, where,
                   min(run[4] for run in runs))
    close(full)
    return found


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--saturation", type=int, action="append")
    parser.add_argument("--site", action="append")
    parser.add_argument("--sitemap", action="store_true")
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--ratio", type=float)
    parser.add_argument("--method", default="df")
    parser.add_argument("--orders", type=int, default=1)
    options = parser.parse_args()
    options.threshold = {} if options.threshold is None else {
        "threshold": options.threshold}
    options.saturation = options.saturation or [5, 10, 20]
    options.site = options.site or sorted(
        archive.name.removesuffix(".tar.zst") for archive in
        (common.DATA / "data" / "sites").glob("*.tar.zst"))
    return options


def main():
    if not common.has_data():
        return
    options = read_options()
    harness.PROGRAMS = options.build.resolve() / "daemon"
    report = common.Report()
    report.table("Pages that are enough", "site", "saturation", "pages",
                 "ratio", "ratio of bytes", "large clusters known",
                 f"F1 of {options.method}", "where known", "F1, worst order")
    sites = [measure(site, options, report) for site in options.site]
    report.table("Means over the sites", "saturation", "ratio of the pages",
                 "ratio of the bytes", f"F1 of {options.method}", "where known")
    for saturation in options.saturation:
        report.row(saturation, *(statistics.mean(column) for column in zip(
            *(found[saturation] for found in sites))))


if __name__ == "__main__":
    main()
