"""From a URL to clean text: the whole path over the sample site."""

import json
import re

import harness

LIKE_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
PAGES = 69  # what links lead to, counted by hand: see ORIGIN.md
MENU = ("Apache RocketMQ Logo", "Toggle Menu", "Release Notes", "Follow:",
        "Leave a Comment", "Share on", "Sponsorship")


class WholePath(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.web = harness.Web(harness.SITE)
        cls.addClassCleanup(cls.web.stop)
        cls.daemon = harness.Daemon()
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()
        cls.host = cls.web.host
        cls.site = cls.daemon.crawl(cls.web.url)
        cls.article = cls.web.url + "docs/batch-example/"

    def test_site_is_crawled_whole(self):
        site = self.site
        self.assertEqual(site["host"], self.host)
        self.assertEqual(site["url"], self.web.url)
        self.assertEqual(site["state"], "watching")
        self.assertEqual(site["pages"], PAGES)
        self.assertEqual(site["pending"], 0)
        self.assertEqual(site["found"], site["fetched"] + site["failed"])
        self.assertEqual(site["measure"], "wcas")
        self.assertGreater(site["threshold"], 0.1)
        self.assertLess(site["threshold"], 0.3)
        self.assertIs(site["auto"], True)
        self.assertTrue(site["allow_private"])
        self.assertFalse(site["sample"])
        self.assertRegex(site["added"], LIKE_TIME)

    def test_sites_lists_the_site(self):
        sites = self.daemon.json("/v1/sites")["sites"]
        self.assertEqual([s["host"] for s in sites], [self.host])

    def test_every_page_is_fetched_once(self):
        targets = self.web.targets()
        self.assertEqual(len(targets), len(set(targets)))
        self.assertEqual(targets[0], "/robots.txt")

    def test_clusters_are_the_kinds_of_pages(self):
        kinds = harness.labels()
        del kinds["index.html"]  # the home page is a cluster of its own
        found = {}
        sizes = []
        for cluster in self.daemon.clusters(self.host):
            pages = [harness.path_of(u)
                     for u in self.daemon.pages(cluster["id"])]
            self.assertEqual(len(pages), cluster["pages"])
            sizes.append(len(pages))
            labelled = {kinds[p] for p in pages if p in kinds}
            self.assertLessEqual(len(labelled), 1, pages)
            for kind in labelled:
                self.assertNotIn(kind, found, "a kind is in two clusters")
                found[kind] = set(pages)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(sum(sizes), PAGES)
        # Of the four archives one cannot be reached by links.
        self.assertEqual({k: len(v) for k, v in found.items()},
                         {"post": 31, "document": 32, "archive": 3,
                          "landing": 2})

    def test_cluster_has_its_fields(self):
        cluster = self.daemon.clusters(self.host)[0]
        self.assertTrue(cluster["id"].startswith(self.host + "/"))
        self.assertIs(cluster["has_template"], True)
        self.assertRegex(cluster["created"], LIKE_TIME)
        self.assertRegex(cluster["changed"], LIKE_TIME)
        self.assertEqual(len(cluster["sample"]), 3)
        self.assertEqual(self.daemon.json(
            harness.template_path(cluster["id"])), cluster)
        page = self.daemon.json(
            harness.template_path(cluster["id"]) + "/pages", limit=1)["pages"][0]
        self.assertRegex(page["fetched"], LIKE_TIME)
        file = harness.SITE / harness.path_of(page["url"])
        self.assertEqual(page["bytes"], file.stat().st_size)

    def test_template_holds_the_menu_with_its_frequency(self):
        name = self.cluster_of(self.article)
        template = self.daemon.json(
            harness.template_path(name) + "/versions/current")
        pages = template["pages"]
        texts = {f["text"]: f for f in template["fragments"]}
        for text in ("Why RocketMQ", "Quick Start", "Batch Example"):
            self.assertIn(text, texts)
        for fragment in template["fragments"]:
            self.assertRegex(fragment["hash"], r"^[0-9a-f]{16}$")
            self.assertGreater(3 * fragment["df"], pages)
            self.assertLessEqual(fragment["df"], pages)
            self.assertAlmostEqual(fragment["ratio"],
                                   fragment["df"] / pages, places=3)
        # Counted in the files: pages of the kind that hold the words.
        files = [harness.SITE / harness.path_of(u)
                 for u in self.daemon.pages(name)]
        holds = sum("Why RocketMQ</a>" in f.read_text("utf-8") for f in files)
        self.assertEqual(texts["Why RocketMQ"]["df"], holds)

    def cluster_of(self, url):
        return self.daemon.json("/v1/text", url=url, format="json")["cluster"]

    def test_text_is_the_article_without_the_menu(self):
        text = self.daemon.text(self.article)
        for words in ("Sending messages in batch improves performance of "
                      "delivering small messages.",
                      "same waitStoreMsgOK and no schedule support",
                      "better split the lists"):
            self.assertIn(words, text)
        for words in MENU:
            self.assertNotIn(words, text)
        plain = self.daemon.text(self.article, method="plain")
        self.assertIn("Toggle Menu", plain)
        self.assertIn("Leave a Comment", plain)

    def test_text_as_json(self):
        answer = self.daemon.json("/v1/text", url=self.article, format="json")
        self.assertEqual(answer["url"], self.article)
        self.assertEqual(answer["title"], "Batch Example - Apache RocketMQ")
        self.assertEqual(answer["language"], "en")
        self.assertEqual(answer["description"],
                         "How to use batch in Rocketmq")
        self.assertEqual(answer["method"], "auto")
        self.assertEqual(answer["reason"], "template: cluster of 32 pages")
        self.assertEqual(answer["cluster_pages"], 32)
        self.assertEqual(answer["template"],
                         {"id": self.cluster_of(self.article),
                          "version": answer["generation"], "pages": 32})
        self.assertEqual(answer["favor"], "balance")
        self.assertIsNone(answer["scope"])
        self.assertEqual(answer["quality"], "ok")
        self.assertGreater(answer["confidence"], 0.5)
        self.assertLessEqual(answer["confidence"], 1)
        title = answer["metadata"]["title"]
        self.assertIn("Batch Example", title["value"])
        self.assertTrue(title["source"])
        self.assertEqual("".join("".join(block["text"].split())
                                 for block in answer["blocks"]),
                         "".join(answer["text"].split()))
        kinds = {block["kind"] for block in answer["blocks"]}
        self.assertLessEqual({"heading", "paragraph", "code"}, kinds)
        self.assertRegex(answer["fetched"], LIKE_TIME)
        self.assertIs(answer["truncated"], False)
        self.assertEqual(answer["text"].strip(),
                         self.daemon.text(self.article).strip())

    def test_text_as_html(self):
        answer = self.daemon.get("/v1/text", url=self.article, format="html")
        self.assertEqual(answer.status, 200)
        self.assertIn("html", answer.type)
        self.assertIn("better split the lists", answer.text)
        self.assertNotIn("<script", answer.text)

    def test_flags_change_the_choice(self):
        plain = self.daemon.text(self.article)
        self.assertNotIn("Community", plain)
        menu = self.daemon.text(self.article, include=".greedy-nav")
        self.assertIn("Community", menu)
        self.assertIn("better split the lists", menu)
        less = self.daemon.text(self.article, exclude="pre, code")
        self.assertNotIn("ListSplitter", less)
        self.assertEqual(self.daemon.text(
            self.article, include="body", exclude="html").strip(), "")
        few, many = (self.daemon.text(self.article, favor=name)
                     for name in ("precision", "recall"))
        self.assertLessEqual(len(few), len(plain))
        self.assertLessEqual(len(plain), len(many))
        done = self.daemon.ctl("text", "--include", ".greedy-nav", self.article)
        self.assertEqual(done.stdout.strip(), menu.strip())
        for name, value in (("include", "a:hover"), ("exclude", "["),
                            ("param", "threshold=2")):
            error = self.error_of(self.daemon.get(
                "/v1/text", url=self.article, **{name: value}), 400,
                "malformed")
            self.assertTrue(error["message"])

    def test_a_scope_is_named_and_told(self):
        for name in ("body", "page"):
            answer = self.daemon.json("/v1/text", url=self.article,
                                      format="json", scope=name)
            self.assertEqual(answer["scope"], name)
            self.assertIn("better split the lists", answer["text"])
            done = self.daemon.ctl("text", "--scope", name, self.article)
            self.assertEqual(done.stdout.strip(), answer["text"].strip())
        error = self.error_of(self.daemon.get(
            "/v1/text", url=self.article, scope="site"), 400, "bad_request")
        self.assertIn("body or page", error["message"])

    def test_quality_is_told_beside_text(self):
        answer = self.daemon.get("/v1/text", url=self.article)
        self.assertEqual(answer.headers["X-Templated-Quality"], "ok")
        self.assertGreater(float(answer.headers["X-Templated-Confidence"]), 0)
        answer = self.daemon.post(
            "/v1/extract", b"<div id=root></div><script src=a.js></script>")
        self.assertEqual(answer.headers["X-Templated-Quality"], "js-only")

    def test_page_unlike_all_has_no_template_and_says_so(self):
        body = (b"<title>Alone</title><table><tr><td>"
                + b"No page of the site is made like this one. " * 9)
        answer = self.daemon.post("/v1/extract", body, format="json",
                                  url=self.web.url + "alone").json
        self.assertEqual(answer["method"], "auto")
        self.assertLess(answer["cluster_pages"], 3)
        self.assertIsNone(answer["template"])
        self.assertIn("from the page only", answer["reason"])

    def test_redirect_leads_to_the_page(self):
        url = self.web.url + "release_notes/release-notes-4.7.0"
        answer = self.daemon.json("/v1/text", url=url, format="json")
        self.assertEqual(answer["url"], url + "/")

    def test_posted_page_is_answered_from_the_template(self):
        file = harness.SITE / "docs" / "batch-example" / "index.html"
        body = file.read_bytes().replace(b"better split the lists",
                                         b"rather walk in the woods")
        answer = self.daemon.post("/v1/extract", body, format="json",
                                  url=self.web.url + "docs/new-example/")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["method"], "auto")
        self.assertEqual(answer.json["template"]["id"],
                         answer.json["cluster"])
        self.assertEqual(answer.json["cluster"],
                         self.cluster_of(self.article))
        self.assertIn("rather walk in the woods", answer.json["text"])
        self.assertNotIn("Toggle Menu", answer.json["text"])
        self.assertIsNone(answer.json["fetched"])
        self.error_of(self.daemon.get(
            "/v1/text", url=self.web.url + "docs/new-example/",
            fetch="never"), 404, "not_found")

    def test_events_tell_of_each_page(self):
        lines = self.daemon.get("/v1/events").text.splitlines()
        events = [json.loads(line) for line in lines]
        numbers = [e["seq"] for e in events]
        self.assertEqual(numbers, sorted(set(numbers)))
        added = {e["url"] for e in events if e["kind"] == "page.added"}
        self.assertEqual(len(added), PAGES)
        self.assertEqual({e["site"] for e in events}, {self.host})
        middle = numbers[len(numbers) // 2]
        later = self.daemon.get("/v1/events", since=middle, limit=2).text
        self.assertEqual([json.loads(x)["seq"] for x in later.splitlines()],
                         [n for n in numbers if n > middle][:2])

    def test_the_newest_events(self):
        def events(**query):
            return [json.loads(line) for line in self.daemon.get(
                "/v1/events", **query).text.splitlines()]
        numbers = [e["seq"] for e in events()]
        newest = events(newest=1, limit=3)
        self.assertEqual([e["seq"] for e in newest], numbers[-3:])
        self.assertTrue(all(e["summary"] for e in newest), newest)
        self.assertEqual([e["seq"] for e in events(newest=1)], numbers)
        self.assertEqual(events(newest=1, limit=0), [])
        added = [e["seq"] for e in events(kinds="page.added")]
        self.assertEqual([e["seq"] for e in events(
            newest=1, limit=2, kinds="page.added", site=self.host)],
            added[-2:])
        self.assertEqual(events(newest=1, site="none.example"), [])

    def test_status_counts(self):
        status = self.daemon.json("/v1/status")
        self.assertEqual(status["counts"]["sites"], 1)
        self.assertEqual(status["counts"]["pages"], PAGES)
        self.assertEqual(status["pid"], self.daemon.process.pid)
        self.assertEqual(status["store"]["path"], self.daemon.store)
        self.assertEqual(status["pipeline"]["committed"], PAGES)
        self.assertEqual(status["pipeline"]["in_flight"], 0)
        self.assertIsNone(status["pipeline"]["paused"])
        self.assertIsNone(status["config"]["error"])

    def test_verify_finds_nothing(self):
        report = self.daemon.json("/v1/verify")
        self.assertEqual(report["problems"], 0, report["report"])
        self.assertEqual(report["pages"], PAGES)
        self.assertGreater(report["df_counts"], 1000)

    def test_errors_are_told(self):
        daemon = self.daemon
        self.error_of(daemon.get("/v1/nonsense"), 404, "no_route")
        self.error_of(daemon.request("PUT", "/v1/sites"), 405,
                      "method_not_allowed")
        self.error_of(daemon.post("/v1/sites", {"url": self.web.url,
                                                "colour": "red"}),
                      400, "bad_request")
        self.error_of(daemon.post("/v1/sites", b"{"), 400)
        self.error_of(daemon.get("/v1/text"), 400, "bad_request")
        error = self.error_of(daemon.get("/v1/text", url=self.article,
                                         method="magic"), 404, "not_found")
        self.assertIn("unknown", error["message"])
        self.error_of(daemon.get("/v1/sites/nobody.example"), 404,
                      "not_found")
        self.error_of(daemon.get(f"/v1/sites/{self.host}/templates/999"),
                      404, "not_found")
        self.error_of(daemon.get("/v1/text", url="gopher://x/"), 400)


if __name__ == "__main__":
    harness.main()
