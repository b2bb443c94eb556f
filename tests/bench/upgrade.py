"""upgrade.py OLD NEW FOLDER...: open a store of a former version.

OLD and NEW are folders with the programs of two builds. The old daemon crawls
the folders; then the new one opens its store and compresses the pages again.
Printed are the KB a page of live pages, of the file and of the disk: before,
and SECONDS later, and the file after `compact`; how many of up to 200 texts are
as before; and what `verify` says.
"""

import argparse
import pathlib
import shutil
import sys
import time

import pipeline
import stored

harness = pipeline.harness
TEXTS = 50  # of a site


def use(programs):
    harness.PROGRAMS = programs
    harness.Daemon.program = programs / "templated"


def texts(daemon, webs):
    found = {}
    for web in webs:
        templates = daemon.json(f"/v1/sites/{web.host}/templates")["templates"]
        for template in templates:
            number = template["id"].rpartition("/")[2]
            rows = daemon.json(f"/v1/sites/{web.host}/templates/{number}"
                               f"/pages?limit={TEXTS}")
            for row in rows["pages"]:
                if sum(url.startswith(web.url) for url in found) < TEXTS:
                    found[row["url"]] = daemon.text(row["url"])
    return found


def report(daemon, name, pages):
    sizes = daemon.json("/v1/status")["store"]
    print(f"{name}: " + ", ".join(
        f"{what} {sizes[what + '_bytes'] / pages / 1000:.2f}"
        for what in ("used", "live", "file", "allocated")
        if what + "_bytes" in sizes), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    harness.PATIENCE_S = 3600
    use(options.old)
    daemon, webs, roots = harness.Daemon(), [], []
    try:
        daemon.start()
        for folder in options.folders:
            root, _, count = stored.serve(folder, 1000)
            roots.append(root)
            webs.append(harness.Web(root))
            daemon.watch(webs[-1].url, max_pages=count + 1, max_depth=1)
        pages = sum(daemon.wait_for(web.host)["pages"] for web in webs)
        report(daemon, f"{pages} pages; KB a page: old", pages)
        before = texts(daemon, webs)
        daemon.stop()
        use(options.new)
        daemon.start()
        report(daemon, "new", pages)
        time.sleep(options.seconds)
        report(daemon, f"{options.seconds:.0f} s later", pages)
        after = {url: daemon.text(url) for url in before}
        same = sum(before[url] == after[url] for url in before)
        print(f"texts as before: {same} of {len(before)}")
        print(daemon.ctl("verify").stdout.strip())
        daemon.ctl("compact")
        report(daemon, "compacted", pages)
    finally:
        daemon.remove()
        for web in webs:
            web.stop()
        for root in roots:
            shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
