#!/usr/bin/env python3
"""Crawl 300 pages of documentation that only a browser can read.

usage: docs_site.py build FOLDER
       docs_site.py crawl FOLDER [--programs DIR] [--pages N] [--render WHEN]

`build` takes the Markdown files of three packages of the npm registry (the rules of
Stylelint, TypeScript ESLint and eslint-plugin-jest) and docsify, which loads and shows
them in the browser; each URL gives the same HTML. `crawl` serves them with nginx, lets
the daemon crawl the site, and prints what that has cost, and how much of the paragraphs
of each file its text has. `--render never` shows the same without a browser.
"""
import argparse
import collections
import html
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

from front_ends import Meter, npm, plain

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/integration"))
import browser  # noqa: E402
import harness  # noqa: E402

PAGES = 300
PACKAGES = {"stylelint": "stylelint@13.13.1",
            "typescript": "@typescript-eslint/eslint-plugin@5.62.0",
            "jest": "eslint-plugin-jest@27.9.0"}
DOCSIFY = "docsify@4.13.1"
NGINX = "location / { try_files $uri /index.html; }"
INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Rules</title>
<link rel="stylesheet" href="/vue.css">
</head>
<body>
<div id="app"></div>
<script>
window.$docsify = {name: "Rules", routerMode: "history", loadSidebar: true,
	auto2top: true, alias: {"/.*/_sidebar.md": "/_sidebar.md"}};
</script>
<script src="/docsify.min.js"></script>
</body>
</html>
"""


def unpack(package, folder):
    """Return {path: bytes} of a package."""
    npm(folder, "pack", "--silent", package)
    archive = next(folder.glob("*.tgz"))
    with tarfile.open(archive) as tar:
        files = {item.name.partition("/")[2]: tar.extractfile(item).read()
                 for item in tar if item.isfile()}
    archive.unlink()
    return files


def rules(files):
    """Return {name: Markdown} of the rules of a package."""
    found = {}
    for path, content in files.items():
        name = (re.fullmatch(r"docs/rules/(.+)\.md", path)
                or re.fullmatch(r"lib/rules/([^/]+)/README\.md", path))
        if name and name[1].lower() != "readme":
            found[name[1]] = content
    return found


def build(folder):
    site = folder / "docs_site"
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    pages = {}
    for group, package in PACKAGES.items():
        for name, content in rules(unpack(package, site)).items():
            pages[f"{group}/{name}"] = content
    pages = dict(sorted(pages.items())[:PAGES - 1])
    sidebar = collections.defaultdict(list)
    for path, content in pages.items():
        file = site / f"{path}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        group, _, name = path.partition("/")
        sidebar[group].append(f"  - [{name}](/{path})")
    lines = [line for group, links in sidebar.items() for line in (f"- {group}", *links)]
    (site / "_sidebar.md").write_text("\n".join(lines) + "\n")
    (site / "README.md").write_text("# Rules\n\nThe rules of three linters.\n")
    (site / "index.html").write_text(INDEX)
    for path, content in unpack(DOCSIFY, site).items():
        if path in ("lib/docsify.min.js", "lib/themes/vue.css"):
            (site / pathlib.Path(path).name).write_bytes(content)
    print(f"{len(pages) + 1} pages in {site}")


def known_text(file):
    """Return the paragraphs and headings of a Markdown file as plain text."""
    text = re.sub(r"\A---\n.*?\n---\n", "", file.read_text(), flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = subprocess.run(["cmark-gfm", "-e", "table", "--to", "html"], input=text, text=True,
                          capture_output=True, check=True).stdout
    pieces = re.findall(r"<(p|h[1-6])>(.*?)</\1>", text, re.S)
    return [piece for piece in (plain(html.unescape(re.sub(r"<[^>]*>", "", piece)))
                                for _, piece in pieces)
            if len(piece.split()) > 3 and "[!" not in piece]


def shares(daemon, server, site):
    """Return the share of the known paragraphs in the text of each stored page."""
    found = {}
    for file in sorted(site.glob("*/*.md")):
        known = known_text(file)
        if not known:
            continue
        answer = daemon.get("/v1/text", url=server.url + str(file.relative_to(site))[:-3])
        if answer.status != 200:
            continue  # not crawled
        text = plain(answer.text)
        found[file] = sum(piece in text for piece in known) / len(known)
    return found


def crawl(arguments):
    site = arguments.folder / "docs_site"
    harness.Daemon.program = arguments.programs / "templated"
    with tempfile.TemporaryDirectory(prefix="templated-"):
        server = harness.Web(site, NGINX)
        daemon = harness.Daemon({"render": {"browser": browser.PROGRAM, **dict(
            pair.split("=", 1) for pair in arguments.set)}}).start()
        try:
            report(arguments, daemon, server, site)
        finally:
            daemon.stop()
            daemon.remove()
            server.stop()


def report(arguments, daemon, server, site):
    meter = Meter(daemon.process.pid)
    begin = time.monotonic()
    daemon.watch(server.url, allow_private=True, max_pages=arguments.pages,
                 render=arguments.render)
    row = {"state": "crawling"}
    while row["state"] in ("crawling", "selecting") or row["pending"]:
        time.sleep(0.5)
        row = daemon.json(f"/v1/sites/{server.host}")
        print(f"\r{row['pages']} pages, {row['pending']} pending ", end="", file=sys.stderr)
    seconds = time.monotonic() - begin
    cpu, mib = meter.end()
    print(file=sys.stderr)
    daemon.wait_for_names(server.host)
    targets = collections.Counter(target.partition("?")[0] for target in server.targets())
    clusters = daemon.clusters(server.host)
    rendered = sum(page["rendered"] for cluster in clusters for page in daemon.json(
        harness.template_path(cluster["id"]) + "/pages", limit=1000)["pages"])
    found = sorted(shares(daemon, server, site).values())
    pages = row["pages"]
    fields = [len(daemon.post(harness.template_path(cluster["id"]) + "/fields",
                              {"find": True}).json.get("fields", [])) for cluster in clusters]
    print(json.dumps({
        "pages": pages, "rendered": rendered, "seconds": round(seconds, 1),
        "cpu_s_per_page": round(cpu / pages, 2), "pages_per_second": round(pages / seconds, 2),
        "mib": round(mib), "requests": sum(targets.values()),
        "requests_of_the_script": targets["/docsify.min.js"],
        "requests_of_the_style": targets["/vue.css"],
        "requests_of_the_sidebar": targets["/_sidebar.md"],
        "templates": sorted((cluster["pages"] for cluster in clusters), reverse=True),
        "fields": fields,
        "text_mean": round(statistics.fmean(found or [0]), 3),
        "text_worst": round(min(found, default=0), 3),
        "text_above_.9": sum(one > .9 for one in found), "text_pages": len(found)}, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("build", "crawl"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/daemon")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--render", choices=("auto", "always", "never"), default="auto")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="of the section render of the configuration")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    (build if arguments.verb == "build" else lambda folder: crawl(arguments))(arguments.folder)


if __name__ == "__main__":
    main()
