"""whole.py FOLDER...: what a page costs the whole daemon, beside its floor.

Each FOLDER is a site, served by an nginx of its own on loopback and crawled
from its index.html without a delay. The floor of a page is what a bare loop of
libcurl (bench_crawl) takes to fetch it and lexbor to parse it into a document:
0.36 of libxml2's SAX parser with empty handlers on the same pages (bench_parse;
measured where lexbor was at hand). All in CPU time, of all threads.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import crawl  # noqa: E402 (the folders must be on the path before)
import harness  # noqa: E402

LEXBOR = 0.36  # of libxml2's SAX parser
PARSE = harness.PROGRAMS.parent / "tests" / "bench" / "bench_parse"


def sax_us(folder):
    """CPU of libxml2's bare parser a page of the folder, in us."""
    done = subprocess.run([str(PARSE), str(folder), "3"], text=True,
                          capture_output=True, check=True)
    row = re.search(r"^libxml2\s+([0-9.]+)", done.stdout, re.M)
    return float(row.group(1)) * 1000


def fetched(web, folder, target):
    """The file that nginx gives for a target, when it is a page."""
    path = folder / target.partition("?")[0].lstrip("/")
    if path.is_dir():
        path = path / "index.html"
    return path if path.suffix in (".html", ".htm") and path.is_file() else None


def measure(folder):
    """(pages, us a page of the daemon, of the loop, of lexbor)."""
    web = harness.Web(folder)
    pages = pathlib.Path(tempfile.mkdtemp(prefix="td-bench-"))
    try:
        run = crawl.crawl([web.host], 20000)
        targets = [target for target in dict.fromkeys(web.targets())
                   if fetched(web, folder, target)]
        bare = crawl.fetch([f"http://{web.host}{t}" for t in targets])
        for number, target in enumerate(targets):
            shutil.copy(fetched(web, folder, target),
                        pages / f"{number}.html")
        return (run.pages, crawl.cpu_us(run), crawl.cpu_us(bare),
                LEXBOR * sax_us(pages))
    finally:
        web.stop()
        shutil.rmtree(pages, ignore_errors=True)


def main(folders):
    print(f"{'CPU us a page':<30}{'pages':>7}{'daemon':>8}{'curl':>7}"
          f"{'lexbor':>8}{'ratio':>7}")
    sums = [0, 0, 0, 0]
    for folder in map(pathlib.Path, folders):
        if not (folder / "index.html").exists():
            sys.exit(f"whole.py: {folder} has no index.html to begin with")
        row = measure(folder.resolve())
        print(f"{folder.name:<30}{row[0]:>7}{row[1]:>8.0f}{row[2]:>7.0f}"
              f"{row[3]:>8.0f}{row[1] / (row[2] + row[3]):>7.2f}", flush=True)
        sums = [total + part * (row[0] if i else 1)
                for i, (total, part) in enumerate(zip(sums, row))]
    if sums[0]:
        daemon, curl, lexbor = (total / sums[0] for total in sums[1:])
        print(f"{'all':<30}{sums[0]:>7}{daemon:>8.0f}{curl:>7.0f}"
              f"{lexbor:>8.0f}{daemon / (curl + lexbor):>7.2f}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
