"""Law 6: how the crawler behaves, as the web server's log has it."""

import harness

PAGE = """<html><head><title>{0}</title></head><body><div class="menu">
<a href="/">Home</a> <a href="/one.html">One</a> <a href="/two.html">Two</a>
<a href="/old.html">Old</a> <a href="/secret/key.html">Key</a>
<a href="/secret/open.html">Open</a> <a href="/loop.html">Loop</a>
<a href="/away.html">Away</a> <a href="/binary.bin">Binary</a>
<a href="/picture.png">Picture</a> <a href="{1}">Other host</a>
<a href="mailto:a@example.org">Mail</a></div>
<p>What stands on {0} alone, and nowhere else on this site.</p></body></html>
"""
ROBOTS = """User-agent: *
Disallow: /secret/
Allow: /secret/open.html
"""
EXTRA = """
gzip on;
gzip_min_length 1;
location = /old.html { return 301 /new.html; }
location = /loop.html { return 302 /loop.html; }
location = /away.html { return 302 http://127.0.0.1:1/; }
location = /busy.html { return 503; }
"""


class Manners(harness.Case):
    def site(self, other="http://127.0.0.1:1/", robots=ROBOTS):
        folder = self.folder()
        (folder / "secret").mkdir()
        for name in ("index", "one", "two", "new", "secret/key",
                     "secret/open"):
            (folder / (name + ".html")).write_text(PAGE.format(name, other))
        (folder / "binary.bin").write_bytes(bytes(range(256)) * 16)
        (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" * 9)
        if robots is not None:
            (folder / "robots.txt").write_text(robots)
        return folder

    def test_robots_txt_is_asked_first_and_kept(self):
        web = self.web(self.site(), EXTRA)
        daemon = self.daemon()
        daemon.crawl(web.url)
        targets = web.targets()
        self.assertEqual(targets[0], "/robots.txt")
        self.assertEqual(targets.count("/robots.txt"), 1)
        self.assertNotIn("/secret/key.html", targets)
        self.assertIn("/secret/open.html", targets)
        error = self.error_of(
            daemon.get("/v1/text", url=web.url + "secret/key.html"), 404)
        self.assertIn("robots", error["message"])

    def test_agent_says_who_is_calling(self):
        web = self.web(self.site(), EXTRA)
        self.daemon().crawl(web.url)
        agents = {row[4] for row in web.requests()}
        self.assertEqual(len(agents), 1)
        self.assertRegex(agents.pop(), r"^templated/[0-9.]+ \(")

    def test_redirect_inside_the_site_is_followed(self):
        web = self.web(self.site(), EXTRA)
        daemon = self.daemon()
        daemon.crawl(web.url)
        self.assertEqual(web.targets().count("/new.html"), 1)
        answer = daemon.json("/v1/text", url=web.url + "old.html",
                             format="json")
        self.assertEqual(answer["url"], web.url + "new.html")
        self.assertIn("What stands on new alone", answer["text"])

    def test_redirect_loop_ends(self):
        web = self.web(self.site(), EXTRA)
        self.daemon().crawl(web.url)
        self.assertLessEqual(web.targets().count("/loop.html"), 12)

    def test_other_hosts_are_left_alone(self):
        other = self.web()
        web = self.web(self.site(other.url), EXTRA.replace(
            "http://127.0.0.1:1/", other.url))
        daemon = self.daemon()
        daemon.crawl(web.url)
        self.assertEqual(other.targets(), [])
        self.assertEqual(len(daemon.json("/v1/sites")["sites"]), 1)

    def test_compressed_pages_are_read(self):
        web = self.web(self.site(), EXTRA)
        daemon = self.daemon()
        daemon.crawl(web.url)
        encodings = {row[3] for row in web.requests()
                     if row[1] == "/one.html"}
        self.assertEqual(encodings, {"gzip"})
        self.assertIn("What stands on one alone",
                      daemon.text(web.url + "one.html"))

    def test_what_is_no_page_is_no_page(self):
        web = self.web(self.site(), EXTRA)
        daemon = self.daemon()
        site = daemon.crawl(web.url)
        self.assertNotIn("/picture.png", web.targets())
        # index, one, two, new, secret/open
        self.assertEqual(site["pages"], 5)

    def test_delay_is_kept(self):
        web = self.web(self.site(), EXTRA)
        daemon = self.daemon()
        watch = harness.time.monotonic()
        daemon.crawl(web.url, delay_ms=200)
        seconds = harness.time.monotonic() - watch
        self.assertGreaterEqual(seconds, 0.2 * (len(web.targets()) - 2))

    def test_limits_of_a_site_are_kept(self):
        web = self.web()
        daemon = self.daemon()
        site = daemon.crawl(web.url, max_pages=10)
        self.assertLessEqual(site["pages"], 10)
        self.assertGreaterEqual(site["pages"], 8)
        web = self.web()
        site = daemon.crawl(web.url, max_depth=1)
        # The first page and the six that it links to.
        self.assertEqual(site["pages"], 7)

    def test_missing_robots_txt_allows_all(self):
        web = self.web(self.site(robots=None), EXTRA)
        self.daemon().crawl(web.url)
        self.assertIn("/secret/key.html", web.targets())

    def test_failing_robots_txt_forbids_all(self):
        web = self.web(self.site(),
                       EXTRA + "location = /robots.txt { return 500; }")
        daemon = self.daemon()
        daemon.watch(web.url)
        harness.wait_until(lambda: len(web.targets()) >= 3,
                           "robots.txt to be asked for again")
        self.assertEqual(set(web.targets()), {"/robots.txt"})


if __name__ == "__main__":
    harness.main()
