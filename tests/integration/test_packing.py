"""Pages of a template share a dictionary, and nobody can tell: not after a kill
at any instant, either."""

import os
import random
import re
import time

import harness

PAGES = 60
ROUNDS = 6


def write_site(folder, pages, edition):
    """Pages of one template, and one that leads to all of them."""
    links = "".join(f"<li><a href=/p/{i}.html>Page {i}</a></li>"
                    for i in range(pages))
    menu = "".join(f"<li><a href=/m/{i}.html>Menu {i * 37 % 101}</a></li>"
                   for i in range(40))
    (folder / "p").mkdir(exist_ok=True)
    (folder / "index.html").write_text(
        f"<html><title>All</title><body><h1>All pages</h1><ul>{links}</ul>")
    for i in range(pages):
        words = " ".join(f"word{i * 31 + k + edition}" for k in range(40))
        (folder / "p" / f"{i}.html").write_text(
            f"<html><head><title>Page {i}</title></head><body><nav class=menu>"
            f"<ul>{menu}</ul></nav><article><h1>Page {i}</h1><p>The text of "
            f"page {i}: {words}.</p></article></body></html>")
    return folder


def table(daemon, name, of="rows"):
    text = daemon.get("/metrics").text
    return int(re.search(rf'templated_{of}{{table="{name}"}} (\d+)', text)[1])


def texts(daemon, base, pages):
    return [daemon.text(f"{base}p/{i}.html", fetch="never", format="html")
            for i in range(pages)]


class Packing(harness.Case):
    def setUp(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)

    def wait_for_small(self, daemon, pages):
        """A page has 3,800 bytes, and 1,300 without a dictionary."""
        harness.wait_until(
            lambda: table(daemon, "dictionaries") > 0
            and table(daemon, "bodies", "table_bytes") < pages * 600,
            "the bodies to be small")

    def test_pages_are_packed_and_read_as_before(self):
        web = self.web(write_site(self.folder(), PAGES, 0))
        daemon = self.daemon()
        daemon.crawl(web.url)
        before = texts(daemon, web.url, PAGES)
        self.wait_for_small(daemon, PAGES)
        self.assertEqual(texts(daemon, web.url, PAGES), before)
        daemon.stop()
        self.assertEqual(daemon.verify_store()["pages"], PAGES + 1)
        daemon.start()
        self.assertEqual(daemon.ctl("compact").returncode, 0)
        self.assertEqual(texts(daemon, web.url, PAGES), before)

    def test_pages_are_packed_when_they_arrive(self):
        web = self.web(write_site(self.folder(), 5 * PAGES, 0))
        daemon = self.daemon()
        daemon.crawl(web.url)
        self.assertGreater(table(daemon, "dictionaries"), 0)
        # a page has 3,800 bytes, and 1,300 compressed without a dictionary
        self.assertLess(table(daemon, "bodies", "table_bytes"),
                        5 * PAGES * 600)
        daemon.stop()
        self.assertEqual(daemon.verify_store()["pages"], 5 * PAGES + 1)

    def test_a_kill_while_pages_arrive_loses_nothing(self):
        web = self.web(write_site(self.folder(), 5 * PAGES, 0))
        daemon = self.daemon({"crawl": {"delay": "2 ms"}})
        daemon.watch(web.url)
        known = 0
        for _ in range(ROUNDS):
            time.sleep(random.uniform(0, 0.6))
            daemon.kill()
            pages = daemon.verify_store()["pages"]
            self.assertGreaterEqual(pages, known)
            known = pages
            daemon.start()
        self.assertEqual(daemon.wait_for(web.host)["pages"], 5 * PAGES + 1)
        self.assertGreater(table(daemon, "dictionaries"), 0)
        for i, text in enumerate(texts(daemon, web.url, 5 * PAGES)):
            self.assertIn(f"word{i * 31 + 39}", text)
        daemon.stop()
        daemon.verify_store()

    def test_a_kill_at_any_instant_loses_nothing(self):
        folder = write_site(self.folder(), PAGES, 0)
        web = self.web(folder)
        daemon = self.daemon()
        daemon.crawl(web.url)
        for edition in range(1, ROUNDS):
            write_site(folder, PAGES, 1000 * edition)
            for i in range(0, PAGES, 3):
                daemon.get("/v1/text", url=f"{web.url}p/{i}.html",
                           fetch="always")
            time.sleep(random.uniform(0, 6))
            daemon.kill()
            self.assertEqual(daemon.verify_store()["pages"], PAGES + 1)
            daemon.start()
        for i in range(0, PAGES, 3):
            self.assertIn(f"word{i * 31 + 1000 * (ROUNDS - 1)} ",
                          daemon.text(f"{web.url}p/{i}.html", fetch="never"))
        harness.wait_until(lambda: table(daemon, "dictionaries") > 0,
                           "a dictionary")


if __name__ == "__main__":
    harness.main()
