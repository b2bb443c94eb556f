"""Sites come and go, and leave nothing behind."""

import json
import re
import time

import harness


class Sites(harness.Case):
    def test_deleted_site_leaves_nothing(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        answer = daemon.request("DELETE", f"/v1/sites/{web.host}")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json, {"deleted": web.host})
        self.assertEqual(daemon.json("/v1/sites")["sites"], [])
        self.error_of(daemon.get(f"/v1/sites/{web.host}"), 404, "not_found")
        self.error_of(daemon.get("/v1/text", url=web.url), 404, "not_found")
        counts = daemon.json("/v1/status")["counts"]
        for name in ("sites", "pages", "clusters", "urls"):
            self.assertEqual(counts[name], 0, name)
        daemon.stop()
        report = daemon.verify_store()
        for name in ("sites", "pages", "clusters", "df_counts", "urls"):
            self.assertEqual(report[name], 0, name)

    def test_deleting_one_leaves_the_other(self):
        webs = [self.web(), self.web()]
        daemon = self.daemon()
        for web in webs:
            daemon.crawl(web.url)
        wanted = daemon.partition(webs[1].host)
        daemon.request("DELETE", f"/v1/sites/{webs[0].host}")
        self.assertEqual(daemon.partition(webs[1].host), wanted)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_deleted_in_the_middle_of_its_crawl(self):
        web = self.web()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=5)
        harness.wait_until(lambda: len(web.targets()) > 10, "some requests")
        answer = daemon.request("DELETE", f"/v1/sites/{web.host}")
        self.assertEqual(answer.status, 200, answer.text)
        daemon.wait_for_calm()
        self.assertEqual(daemon.json("/v1/status")["counts"]["pages"], 0)
        daemon.crawl(web.url)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_second_watch_is_the_same_site(self):
        web = self.web()
        daemon = self.daemon()
        first = daemon.post("/v1/sites", {"url": web.url})
        self.assertEqual(first.status, 201)
        daemon.wait_for(web.host)
        second = daemon.post("/v1/sites", {"url": web.url})
        self.assertEqual(second.status, 200)
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)
        self.assertEqual(len(daemon.json("/v1/sites")["sites"]), 1)

    def test_two_sites_at_once(self):
        webs = [self.web(), self.web(), self.web()]
        daemon = self.daemon()
        for web in webs:
            daemon.watch(web.url)
        for web in webs:
            daemon.wait_for(web.host)
        partitions = [daemon.partition(web.host) for web in webs]
        self.assertEqual(partitions[0], partitions[1])
        self.assertEqual(partitions[0], partitions[2])
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_options_are_checked(self):
        daemon = self.daemon()
        for options in ({"threshold": 2}, {"threshold": "low"},
                        {"measure": "miles"}, {"max_pages": -1},
                        {"delay_ms": 1.5}, {"allow_private": "yes"},
                        {"url": "ftp://example.org/"}, {"url": ""},
                        {"url": "foo"}, {"url": "foo/bar.html"},
                        {"url": 7}):
            with self.subTest(options=options):
                body = {"url": "http://127.0.0.1:1/", **options}
                self.error_of(daemon.post("/v1/sites", body), 400)
        done = daemon.ctl("watch", "foo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("foo: neither a URL nor the name of a host",
                      done.stderr)
        self.assertEqual(daemon.json("/v1/sites")["sites"], [])

    def test_measure_and_threshold_count(self):
        web = self.web()
        daemon = self.daemon()
        site = daemon.crawl(web.url, measure="cp", threshold=1)
        self.assertEqual(site["templates"], 1)
        self.assertEqual(site["measure"], "cp")
        daemon.request("DELETE", f"/v1/sites/{web.host}")
        site = daemon.crawl(web.url, measure="cpc", threshold=0)
        self.assertGreater(site["templates"], 20)

    def test_what_is_secret_is_not_shown(self):
        """Headers, passwords of proxies, and of hooks: by no answer."""
        daemon = self.daemon()
        url = f"http://127.0.0.1:{harness.free_port()}/"
        site = daemon.watch(url, headers={"Authorization": "s3same"},
                            proxy="http://me:s3same@127.0.0.1:1/")
        self.assertEqual(site["headers"], "Authorization: ***\n")
        self.assertEqual(site["proxy"], "http://***@127.0.0.1:1/")
        daemon.post("/v1/hooks", {"target": url.replace(
            "http://", "http://me:s3same@") + "hook?key=s3same"})
        for path in ("/v1/sites", f"/v1/sites/{site['host']}", "/v1/hooks",
                     "/v1/hooks/1", "/v1/status", "/v1/config", "/metrics",
                     "/v1/events", f"/v1/sites/{site['host']}/report"):
            self.assertNotIn("s3same", daemon.get(path).text, path)
        for verb in (["sites"], ["site", site["host"]], ["hook", "list"]):
            for more in ([], ["--json"]):
                done = daemon.ctl(*more, *verb)
                self.assertNotIn("s3same", done.stdout + done.stderr, verb)
        self.assertNotIn("s3same", daemon.messages())

    def test_unreachable_site_ends(self):
        daemon = self.daemon()
        port = harness.free_port()
        site = daemon.watch(f"http://127.0.0.1:{port}/")
        self.assertEqual(site["pages"], 0)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["failed"] > 0,
            "the failure")
        self.assertEqual(daemon.clusters(site["host"]), [])

    def why(self, daemon, url, *options):
        """What `watch --wait` says of a site that cannot be fetched."""
        begin = time.monotonic()
        done = daemon.ctl("watch", "--wait", *options, url)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_site_that_cannot_be_fetched_says_why(self):
        daemon = self.daemon()
        port = harness.free_port()
        self.assertIn("no connection", self.why(
            daemon, f"http://127.0.0.1:{port}/"))
        self.assertIn("has no address", self.why(
            daemon, "http://no-such-host.invalid/"))
        web = self.web(extra="location /x { return 401; }"
                             "location /y { return 404; }"
                             "location /z { default_type image/png; }")
        options = ("--sitemaps", "no", "--soft-404-probe", "no")
        self.assertIn("status 401: it needs a user and a password", self.why(
            daemon, f"{web.url}x", *options))
        site = harness.wait_until(
            lambda: (lambda row: row["state"] == "unreachable" and row)(
                daemon.json(f"/v1/sites/{web.host}")), "its state")
        self.assertEqual(site["pages"], 0)
        self.assertIn("status 401", site["reason"])
        # while the seed is tried again, the site is crawling
        harness.wait_until(
            lambda: "status 401" in daemon.ctl("site", "list").stdout,
            "the reason")
        harness.wait_until(
            lambda: "status 401" in
            daemon.ctl("site", "show", web.host).stdout, "the reason")
        # Its pages can be fetched.
        done = daemon.ctl("watch", "--wait", web.url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(daemon.json(f"/v1/sites/{web.host}")["state"],
                         "watching")

    def test_used_up_limit_is_a_state(self):
        daemon = self.daemon()
        web = self.web()
        done = daemon.ctl("watch", "--wait", "--max-pages", "10", web.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr,
                         r"max_pages is used up: \d+ URLs unseen")
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertEqual(site["state"], "exhausted")
        self.assertIn(f"{site['skipped']} URLs unseen", site["reason"])

        def events():
            return [json.loads(line) for line in
                    daemon.get("/v1/events", site=web.host).text.splitlines()
                    if "site.exhausted" in line]
        self.assertEqual([e["detail"] for e in events()], [
            {"limit": "max_pages", "unseen": site["skipped"]}])
        daemon.crawl(web.url, max_pages=1000)
        # the URLs that were left out follow a moment after the limit
        harness.wait_until(lambda: daemon.json(
            f"/v1/sites/{web.host}")["state"] == "watching", "all pages")
        self.assertEqual(len(events()), 1)

    def test_patterns_choose_the_urls(self):
        root = self.folder()
        names = [f"{part}/{i}" for part in ("news", "tag") for i in range(4)]
        links = "".join(f'<p><a href="/{name}.html">{name}</a></p>'
                        for name in names)
        for name in ["index"] + names:
            path = root / f"{name}.html"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"<html><body>{links}<p>Text of {name}.</p>")
        web = self.web(root)
        daemon = self.daemon()
        site = daemon.crawl(web.url, exclude=["/tag/"])
        self.assertEqual((site["pages"], site["skipped"]), (5, 4))
        self.assertEqual((site["include"], site["exclude"]), ([], ["/tag/"]))
        self.assertFalse([t for t in web.targets() if t.startswith("/tag/")])
        why = daemon.ctl("page", "show", f"{web.url}tag/1.html").stdout
        self.assertIn("excluded", why)
        # They are kept when others change, and over a restart.
        daemon.crawl(web.url, delay_ms=1)
        daemon.stop()
        daemon.start()
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertEqual((site["pages"], site["exclude"]), (5, ["/tag/"]))
        # Without them the others are visited.
        done = daemon.ctl("watch", "--wait", "--exclude", "", "--include",
                          "/news/", "--include", "/tag/2", web.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertEqual((site["pages"], site["exclude"]), (6, []))
        self.assertEqual(site["include"], ["/news/", "/tag/2"])
        for wrong in (["news"], [""], "/news/", [7], ["/a\n/b"]):
            with self.subTest(wrong=wrong):
                self.error_of(daemon.post("/v1/sites", {
                    "url": web.url, "include": wrong}), 400)
        daemon.stop()
        daemon.verify_store()

    def test_refresh_header_is_followed(self):
        root = self.folder()
        (root / "target.html").write_text(
            "<html><body><p>The text of the target.</p></body></html>")
        web = self.web(root, "location = /from { default_type text/html; "
                             "add_header Refresh '0; url=/target.html'; "
                             "return 200 '<html></html>'; }")
        daemon = self.daemon()
        site = daemon.crawl(f"{web.url}from")
        self.assertIn("/target.html", web.targets())
        self.assertEqual(site["classes"], {"page": 1, "stub": 1})

    def test_what_was_exported_is_imported(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url, include=["/"], exclude=["/no/"],
                     check_interval_s=3600, max_pages=500,
                     headers={"X-Key": "s3same"})
        row = max(daemon.clusters(web.host), key=lambda c: c["pages"])
        number = row["id"].split("/")[1]
        path = f"/v1/sites/{web.host}"
        for target, body in (
                (f"{path}/templates/{number}/name", {"name": "my: name"}),
                (f"{path}/guards", {"css": "h1", "name": "title",
                                    "cluster": int(number)}),
                (f"{path}/guards", {"xpath": "//a[1]", "expect": "1.."}),
                ("/v1/silences", {"site": web.host,
                                  "kind": "template.changed",
                                  "cluster": row["id"]}),
                ("/v1/silences", {"site": web.host, "kind": "guard.firing",
                                  "guard": 1})):
            answer = daemon.post(target, body)
            self.assertIn(answer.status, (200, 201), answer.text)
        file = self.folder() / "sites.yaml"
        done = daemon.ctl("site", "export", "-o", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = file.read_text()
        self.assertNotIn("s3same", text)
        self.assertIn("set its header X-Key again", text)
        self.assertEqual(daemon.ctl("site", "export", web.host).stdout, text)
        self.assertEqual(daemon.ctl("site", "export", "a.b").returncode, 1)
        # It is known already.
        self.assertEqual(self.imported(daemon, file), (0, 0, 0))
        self.assertEqual(daemon.ctl("site", "export").stdout, text)
        # Another store gets the same, once its pages are there.
        other = self.daemon()
        self.imported(other, file)
        other.wait_for(web.host)
        self.imported(other, file)
        self.assertEqual(self.imported(other, file), (0, 0, 0))
        secret = f"# {web.host}: set its header X-Key again\n"
        # A guard whose template was not there yet comes later.
        self.assertEqual(
            sorted(re.split("\n *(?:- )?", other.ctl("site",
                                                     "export").stdout)),
            sorted(re.split("\n *(?:- )?", text.replace(secret, ""))))
        file.write_text("sites: [")
        self.assertEqual(other.ctl("site", "import", file).returncode, 1)

    def imported(self, daemon, file):
        done = daemon.ctl("--json", "site", "import", file)
        counts = json.loads(done.stdout)
        self.assertEqual(counts["sites"], 1, done.stderr)
        self.assertEqual(counts["wrong"], 0, done.stderr)
        self.assertEqual(done.returncode, 4 if counts["waiting"] else 0)
        return counts["added"], counts["waiting"], done.returncode

    def test_server_that_was_down_is_crawled_later(self):
        daemon = self.daemon()
        port = harness.free_port()
        site = daemon.watch(f"http://127.0.0.1:{port}/", check_interval_s=1)
        # more than the first four attempts
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["failed"] > 4 and
            daemon.json(f"/v1/sites/{site['host']}")["state"] == "unreachable",
            "the state after them")
        web = self.web(port=port)
        harness.wait_until(lambda: web.targets(), "a request", 10)
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)


if __name__ == "__main__":
    harness.main()
