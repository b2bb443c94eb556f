"""Web sites for a cluster: an address each, pages that change, one log.

A real nginx serves all of them; what it logs tells who asked when.
"""

import html
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import threading

import network

CONF = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
	types {{ text/html html; text/plain txt; }}
	log_format chaos escape=json '{{"time":$msec,"took":$request_time,'
		'"node":"$remote_addr","host":"$host","target":"$request_uri",'
		'"status":$status}}';
	access_log {folder}/access.log chaos;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	server {{ listen 80; root {folder}/sites/$host; }}
}}
"""
WORDS = ("river stone light paper garden window table morning engine letter "
         "winter bridge copper market silver forest harbour meadow").split()


class SiteFarm:
    """`count` sites of `pages` pages at 10.77.1.1 and so on."""

    def __init__(self, count, pages, seed):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-farm-"))
        self.hosts = [f"10.77.1.{1 + i}" for i in range(count)]
        self.pages = pages
        self.seed = seed
        self.lock = threading.Lock()
        self.versions = {}  # (host, page): times that it was edited
        self.designs = dict.fromkeys(self.hosts, 0)
        for host in self.hosts:
            network.Network.add(host)
            (self.folder / "sites" / host / "kept").mkdir(parents=True)
            for page in range(pages):
                self.write(host, page)
        self.start()

    def start(self):
        conf = self.folder / "nginx.conf"
        conf.write_text(CONF.format(
            folder=self.folder,
            user="user root;" if os.geteuid() == 0 else ""))
        self.process = subprocess.Popen(
            [network.harness.NGINX, "-p", str(self.folder), "-e",
             str(self.folder / "error.log"), "-c", str(conf)],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        network.harness.wait_until((self.folder / "pid").exists, "nginx")

    def body(self, host, page):
        source = random.Random(f"{self.seed} {host} {page} "
                               f"{self.versions.get((host, page), 0)}")
        text = "".join(f"<p>{' '.join(source.choices(WORDS, k=40))}.</p>"
                       for _ in range(4))
        links = "".join(f'<li><a href="/{f"{n}.html" if n else ""}">{n}</a>'
                        "</li>" for n in range(self.pages))
        design = self.designs[host]
        return (f"<!DOCTYPE html><html><head><title>{page} of {host}</title>"
                f"</head><body class=d{design}><nav><ul>{links}</ul></nav>"
                + f"<section class=s{design}>" * (1 + design % 3)
                + f"<main class=m{design}><h1>{html.escape(host)} {page}</h1>"
                f"{text}</main></body></html>")

    def write(self, host, page):
        self.put(host, f"{page or 'index'}.html", self.body(host, page))

    def put(self, host, name, text):
        """As one: no reader sees half of it."""
        path = self.folder / "sites" / host / name
        new = path.with_suffix(".new")
        new.write_text(text, "utf-8")
        new.replace(path)

    def edit(self, source):
        """A page has other text."""
        host = source.choice(self.hosts)
        page = source.randrange(self.pages)
        with self.lock:
            self.versions[host, page] = self.versions.get((host, page), 0) + 1
            self.write(host, page)

    def redesign(self, source):
        """All pages of a site have another template."""
        host = source.choice(self.hosts)
        with self.lock:
            self.designs[host] += 1
            for page in range(self.pages):
                self.write(host, page)

    def requests(self):
        """(host, node, start, end, is it a page) of each request, by nginx's
        clock. Pages follow robots.txt at once."""
        rows = []
        for line in (self.folder / "access.log").read_text().splitlines():
            row = json.loads(line)
            rows.append((row["host"], row["node"], row["time"] - row["took"],
                         row["time"], row["target"] != "/robots.txt"))
        return rows

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
