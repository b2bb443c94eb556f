#!/usr/bin/env python3
"""Let the daemon render a front end many times with 1, 2 and 4 tabs, and print the pages per second, the memory of the
browser, and the number of different DOMs.

usage: tabs.py FOLDER [--programs DIR] [--browser PROGRAM] [--pages N] [--tabs N]... [--delay S] [--hostile]
               [APP]

FOLDER is that of front_ends.py. The cached share is the part of the answered requests that the server has not seen. With
--hostile, render each page of hostile.py together with three pages of the app, which must not change.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from front_ends import APPS, ROOT, Meter, serve
from hostile import PAGES

PATIENCE_S = 60


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=300)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    def __init__(self, arguments, folder, tabs):
        self.socket = str(folder / "socket")
        (folder / "templated.yaml").write_text(
            f"socket:\n  path: {self.socket}\nstore:\n  path: {folder}/store\nrender:\n  browser: {arguments.browser}\n"
            f"  tabs: {tabs}\n  max_pages: 1000\n  timeout: {30 if not arguments.hostile else 15} s\n" + ("process:\n  user: nobody\n" if os.geteuid() == 0 else ""))
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        self.log = open(folder / "log", "wb+")
        self.process = subprocess.Popen([arguments.programs / "templated", "-c", folder / "templated.yaml"],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.ask("GET", "/v1/status")
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    sys.exit(f"tabs.py: the daemon does not start: {(folder / 'log').read_text()}")
                time.sleep(0.1)

    def ask(self, method, path, body=None):
        connection = Connection(self.socket)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def renderer(self):
        rows = self.ask("GET", "/v1/status")[1]["processes"]
        return next(row for row in rows if row["role"] == "renderer")["running"][0]["pid"]

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.log.close()


@contextlib.contextmanager
def running(arguments, name, tabs):
    """The server of the app, the daemon, and a function that renders the page of the app, or another one."""
    server = serve(arguments.folder, name)
    server.delay = arguments.delay
    origin = f"http://127.0.0.1:{server.server_port}"
    url = origin + APPS[name][2]
    file = server.folder / APPS[name][2].lstrip("/")
    document = (file if file.is_file() else server.folder / "index.html").read_bytes()
    with tempfile.TemporaryDirectory(prefix="tabs-") as folder:
        daemon = Daemon(arguments, pathlib.Path(folder), tabs)
        try:
            daemon.ask("POST", "/v1/sites", json.dumps({"url": origin, "allow_private": True, "max_pages": 1}))
            query = "/v1/render?" + urllib.parse.urlencode({"url": url})

            def render(html=document):
                status, answer = daemon.ask("POST", query, html)
                return (answer["end"], answer["html"].replace(origin, ""), answer["requests"]) if status == 200 \
                    else (answer["error"]["message"].removeprefix("the page could not be rendered: "), "", [])

            yield server, daemon, render
        finally:
            daemon.stop()
            server.shutdown()


def measure(arguments, name, tabs):
    with running(arguments, name, tabs) as (server, daemon, render):
        render()
        time.sleep(2)
        meter = Meter(daemon.renderer())
        seen = server.count
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(max(2 * tabs, 2)) as pool:
            pages = [future.result() for future in [pool.submit(render) for _ in range(arguments.pages)]]
        seconds = time.monotonic() - begin
        cpu, mib = meter.end()
        seen = server.count - seen
    ends = collections.Counter(end for end, _, _ in pages)
    answered = sum(row["fate"] == "answered" and row["kind"] != "document" for _, _, rows in pages for row in rows)
    return (name, str(tabs), ", ".join(f"{count} {end}" for end, count in ends.items()), f"{len(pages) / seconds:.2f}",
            f"{cpu / len(pages):.2f}", f"{mib:.0f}", f"{1 - seen / answered if answered else 0:.2f}",
            f"{len({html for _, html, _ in pages})} of {len(pages)}")


def attack(arguments, tabs):
    with running(arguments, arguments.app, tabs) as (_, daemon, render):
        good = render()[1]
        for name, script in PAGES.items():
            html = f"<!doctype html><body><p>start<script>{script}</script>".encode()
            begin = time.monotonic()
            meter = Meter(daemon.process.pid)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                hostile = pool.submit(render, html)
                others = [pool.submit(render) for _ in range(3)]
                same = sum(other.result()[1] == good for other in others)
                end = hostile.result()[0]
            cpu, mib = meter.end()
            print(f"| {name} | {end} | {same} of 3 | {time.monotonic() - begin:.0f} | {cpu:.1f} | {mib:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("app", nargs="?", default="react", choices=APPS, metavar="APP", help="default: react")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/daemon")
    parser.add_argument("--browser", default="/usr/bin/chromium-headless-shell")
    parser.add_argument("--pages", type=int, default=100, help="default: 100")
    parser.add_argument("--tabs", type=int, action="append", help="default: 1, 2 and 4")
    parser.add_argument("--delay", type=float, default=0, help="of each answer of the server, in seconds; default: 0")
    parser.add_argument("--hostile", action="store_true")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    if arguments.hostile:
        print("| page | end | others | s | CPU s | MiB |")
        print("|---|---|---|---|---|---|")
        attack(arguments, (arguments.tabs or [4])[0])
        return
    print("| app | tabs | end | pages/s | CPU s/page | MiB | cached | DOMs |")
    print("|---|---|---|---|---|---|---|---|")
    for tabs in arguments.tabs or (1, 2, 4):
        print("| " + " | ".join(measure(arguments, arguments.app, tabs)) + " |", flush=True)


if __name__ == "__main__":
    main()
