"""stored.py [--pages N] [--keep DIR] FOLDER...: what a page takes in the store.

Each folder of saved pages is served by nginx and crawled; told are the bytes a
page of every table, by the daemon's own metrics, once it has nothing to do.
With --keep the store of each folder is left under DIR, by the folder's name.
"""

import argparse
import html
import pathlib
import re
import shutil
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

# The figures must stand still for so long before they count.
QUIET_S = 20


def serve(folder, most):
    """A root whose first page links to the pages of the folder."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="td-bench-"))
    (root / "site").symlink_to(folder.resolve())
    pages = sorted(p for p in folder.rglob("*.html"))[:most]
    lines = []
    for page in pages:
        target = urllib.parse.quote(str(page.relative_to(folder)))
        lines.append(f'<a href="/site/{html.escape(target)}">{target}</a>')
    (root / "index.html").write_text("<html><body>" + "\n".join(lines)
                                     + "</body></html>")
    size = sum(p.stat().st_size for p in pages)
    return root, size, len(pages)


def table_bytes(daemon):
    rows = {}
    for line in daemon.get("/metrics").text.splitlines():
        match = re.match(r'\w*table_bytes\{table="(\w+)"\} (\d+)', line)
        if match:
            rows[match[1]] = int(match[2])
    return rows


def settle(daemon):
    """The bytes of each table when nothing has changed for a while."""
    rows = {}
    since = time.monotonic()
    while time.monotonic() - since < QUIET_S:
        now = table_bytes(daemon)
        if now != rows:
            rows, since = now, time.monotonic()
        time.sleep(1)
    return rows


def cpu_seconds(daemon):
    stat = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text()
    return sum(map(int, stat.rsplit(")", 1)[1].split()[11:13])) / 100


def measure(folder, options):
    root, size, count = serve(folder, options.pages)
    web = daemon = None
    try:
        web = harness.Web(root)
        daemon = harness.Daemon().start()
        daemon.watch(web.url, max_pages=count + 1, max_depth=1)
        daemon.wait_for(web.host)
        cpu = cpu_seconds(daemon)
        rows = settle(daemon)
        pages = daemon.json(f"/v1/sites/{web.host}")["pages"]
        later = cpu_seconds(daemon) - cpu
        status = daemon.json("/v1/status")["store"]
        daemon.ctl("compact")
        compact = sum(table_bytes(daemon).values()) / pages
        daemon.stop()
        if options.keep:
            shutil.copytree(daemon.store, options.keep / folder.name,
                            dirs_exist_ok=True)
        tell(folder.name, pages, size / count, rows, (cpu, later), status,
             compact)
    finally:
        if daemon:
            daemon.remove()
        if web:
            web.stop()
        shutil.rmtree(root, ignore_errors=True)


def tell(name, pages, source, rows, cpu, status, compact):
    print(f"{name}: {pages} pages of {source:.0f} bytes; CPU "
          f"{1000 * cpu[0] / pages:.2f} ms a page, {1000 * cpu[1] / pages:.2f} "
          f"when it was crawled")
    for table, size in sorted(rows.items(), key=lambda row: -row[1]):
        if size / pages >= 0.5:
            print(f"  {table:<14}{size / pages:9.0f}")
    print(f"  {'all':<14}{sum(rows.values()) / pages:9.0f}   "
          f"live {status['live_bytes'] / pages:.0f}, "
          f"of the file {status['file_bytes'] / pages:.0f}, "
          f"on disk {status['allocated_bytes'] / pages:.0f}, "
          f"compacted {compact:.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    for folder in options.folders:
        measure(folder, options)


if __name__ == "__main__":
    main()
