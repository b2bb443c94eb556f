"""Guards: selectors that must go on to match, from the outside. A web server
whose pages change, the real daemon, its events and its restart."""

import time

import harness

COUNT = 8
OLD = """<html><head><title>Page {0}</title></head><body>
<div class="menu">{1}</div><div class="post"><h2 class="head">Title of {0}</h2>
<span class="cost">{2}</span><p>Words that stand on page {0} alone.</p></div>
<div class="foot">All rights reserved</div></body></html>
"""
NEW = """<html><head><title>Page {0}</title></head><body>
<nav>{1}</nav><main><article><header><h1>Title of {0}</h1></header>
<div><b class="amount">{2}</b></div><p>Words that stand on page {0} alone.</p>
</article></main><footer>All rights reserved</footer></body></html>
"""
BARE = """<html><head><title>Page {0}</title></head><body>
<div class="menu">{1}</div><div class="post"><h2 class="head">Title of {0}</h2>
<p>Words that stand on page {0} alone: it is sold out.</p></div>
<div class="foot">All rights reserved</div></body></html>
"""
SLOW = '//*[translate(string(/), "abc", "def") = "x"]'


class Guards(harness.Case):
    def setUp(self):
        self.root = self.folder()
        self.write(OLD)
        self.server = self.web(self.root)
        self.host = self.server.host

    def write(self, layout, pages=range(COUNT)):
        links = " ".join(f'<a href="/{k}.html">Page {k}</a>'
                         for k in range(1, COUNT))
        for i in pages:
            name = self.root / ("index.html" if i == 0 else f"{i}.html")
            name.write_text(layout.format(i, links, f"{i}9.50 EUR"))

    def url(self, i):
        return self.server.url + ("" if i == 0 else f"{i}.html")

    def visit(self, *pages):
        """Have these pages fetched now."""
        for i in pages:
            self.daemon_.get("/v1/text", url=self.url(i), fetch="always")

    def crawl(self):
        self.daemon_ = self.daemon()
        # no visits but those of the tests
        self.daemon_.crawl(self.server.url, revisit_interval_s=0, check_interval_s=0)

    def add(self, status=201, **guard):
        answer = self.daemon_.post(f"/v1/sites/{self.host}/guards", guard)
        self.assertEqual(answer.status, status, answer.text)
        return answer.json

    def show(self, number):
        return self.daemon_.json(f"/v1/sites/{self.host}/guards/{number}")

    def events(self, kind="guard.*"):
        text = self.daemon_.get("/v1/events", kinds=kind).text
        events = [harness.json.loads(line) for line in text.splitlines()]
        return [e for e in events if e["kind"].startswith("guard.")]

    def wait_for_state(self, number, state):
        """More of its pages are fetched to find out."""
        return harness.wait_until(
            lambda: self.show(number)["state"] == state, state, 30)

    def finish(self):
        self.daemon_.stop()
        self.daemon_.verify_store()

    def test_a_guard_tells_at_once_what_it_matches(self):
        self.crawl()
        guard = self.add(css="span.cost", name="price")
        self.assertEqual((guard["checked"], guard["holding"]), (COUNT, COUNT))
        self.assertEqual(guard["state"], "ok")
        self.assertEqual(guard["xpath"], "//span[contains(concat(' ',"
                         "normalize-space(@class),' '),' cost ')]")
        self.assertIsNone(guard["warning"])
        self.assertIn({"url": self.url(3), "matches": 1, "value": "39.50 EUR"},
                      guard["examples"] + [
                          {"url": p["url"], "matches": p["matches"],
                           "value": p["value"]} for p in guard["sample"]])
        none = self.add(xpath="//span[@class='nothing']")
        self.assertEqual((none["holding"], none["state"]), (0, "never held"))
        self.assertIn("no tested page", none["warning"])
        several = self.add(xpath="//a/@href", expect="2..")
        self.assertEqual(several["holding"], COUNT)
        self.assertEqual(several["examples"][0]["value"], "/1.html")
        zero = self.add(css="iframe", expect="0")
        self.assertEqual(zero["holding"], COUNT)
        rows = self.daemon_.json(f"/v1/sites/{self.host}/guards")["guards"]
        self.assertEqual([r["pages"] for r in rows], [COUNT, 0, COUNT, COUNT])
        self.finish()

    def test_what_is_wrong_is_told(self):
        self.crawl()
        for guard, words in (
                ({"css": "p["}, "css: at the end"),
                ({"xpath": "//p["}, "xpath: at the end"),
                ({"xpath": "//p[foo()]"}, "at byte 5: unknown function"),
                ({"xpath": "document('x')"}, "unknown function"),
                ({"css": "p", "xpath": "//p"}, "either"),
                ({}, "either"),
                ({"css": "p", "expect": "x"}, "expect"),
                ({"css": "p", "expect": "3..2"}, "expect"),
                ({"css": "p", "expect": "1.."  "x"}, "expect"),
                ({"css": "p", "name": "7"}, "name"),
                ({"css": "p", "cluster": 0}, "cluster")):
            answer = self.daemon_.post(f"/v1/sites/{self.host}/guards", guard)
            message = self.error_of(answer, 400, "bad_request")["message"]
            self.assertIn(words, message)
        self.add(css="p", name="twice")
        self.add(409, css="p", name="twice")
        answer = self.daemon_.post("/v1/sites/nowhere.test/guards",
                                   {"css": "p"})
        self.error_of(answer, 404, "not_found")
        self.error_of(self.daemon_.get(f"/v1/sites/{self.host}/guards/99"), 404)

    def test_a_redesign_breaks_it_and_candidates_are_told(self):
        self.crawl()
        price = self.add(css="span.cost", name="price")["id"]
        title = self.add(xpath="//h2[@class='head']")["id"]
        self.write(NEW)
        self.visit(1)
        self.assertEqual(self.events(), [])  # one page is an edit
        self.assertEqual(self.show(price)["failing"], 1)
        self.visit(2, 3)
        self.wait_for_state(price, "firing")
        self.wait_for_state(title, "firing")
        broken = {e["guard"]: e for e in self.events()}
        self.assertEqual({e["kind"] for e in broken.values()},
                         {"guard.firing"})
        self.assertEqual(set(broken), {price, title})
        self.assertEqual(len(self.events()), 2)
        detail = broken[price]["detail"]
        self.assertEqual((detail["name"], detail["selector"]),
                         ("price", "span.cost"))
        values = {p["url"]: p["value"] for p in detail["pages"]}
        self.assertEqual((values[self.url(1)], values[self.url(2)]),
                         ("19.50 EUR", "29.50 EUR"))
        self.assertGreaterEqual(len(values), COUNT * 0.6)
        best = [c["selector"] for c in detail["candidates"][:3]]
        self.assertTrue(any("amount" in c for c in best), best)
        self.assertEqual(detail["candidates"][0]["example"][1:], "9.50 EUR")
        best = broken[title]["detail"]["candidates"][0]
        self.assertIn("h1", best["selector"])
        self.assertIn("h1", best["xpath"])
        self.assertRegex(best["example"], r"^Title of \d$")
        # the candidate is a guard that holds
        again = self.add(css=detail["candidates"][0]["selector"])
        self.assertGreaterEqual(again["holding"], 3)
        self.finish()

    def test_it_heals(self):
        self.crawl()
        price = self.add(css="span.cost")["id"]
        self.write(NEW)
        self.visit(1, 2)
        self.wait_for_state(price, "firing")
        self.daemon_.stop()  # what is known of it outlives the daemon
        self.daemon_.start()
        self.assertEqual(self.show(price)["state"], "firing")
        self.write(OLD)
        self.visit(1)
        self.assertEqual(self.show(price)["state"], "firing")
        self.visit(2)
        self.assertEqual(self.show(price)["state"], "ok")
        resolved = self.events()[1]
        self.assertNotIn("candidates", resolved["detail"])
        self.assertEqual([e["kind"] for e in self.events()],
                         ["guard.firing", "guard.resolved"])
        self.visit(*range(COUNT))
        self.assertEqual(self.show(price)["failing"], 0)
        self.assertEqual(len(self.events()), 2)
        self.finish()

    def test_an_edit_of_one_page_is_none(self):
        self.crawl()
        price = self.add(css="span.cost")["id"]
        self.write(BARE, [4])
        for _ in range(3):
            self.visit(4)
        self.assertEqual(self.show(price)["failing"], 1)
        self.visit(1, 2, 3, 5, 6, 7)
        self.write(BARE, [5])
        self.visit(4, 5, 4, 5)
        # both do not hold for long, but never two of the last three
        self.assertEqual(self.show(price)["failing"], 2)
        self.assertEqual(self.events(), [])
        self.finish()

    def test_content_of_some_pages_is_no_failure(self):
        """Three of eight are sold out, two of the last three."""
        self.crawl()
        price = self.add(css="span.cost")["id"]
        self.write(BARE, [4, 5, 6])
        self.visit(4, 5)
        self.wait_for_state(price, "ok")
        self.assertEqual(self.show(price)["failing"], 3)
        self.visit(1, 2, 3, 4, 5, 6)
        self.assertEqual(self.events(), [])
        self.finish()

    def test_a_guard_without_pages_is_unmatched(self):
        self.crawl()
        price = self.add(css="span.cost")["id"]
        for i in range(1, COUNT):
            (self.root / f"{i}.html").unlink()
        (self.root / "index.html").write_text("<p>Moved</p>")
        self.visit(*range(1, COUNT))
        self.daemon_.request("DELETE", "/v1/pages?url=" + self.url(0))
        self.assertEqual(self.show(price)["state"], "unmatched")
        self.assertEqual([e["kind"] for e in self.events()],
                         ["guard.unmatched"])
        self.finish()

    def test_what_is_gone_is_no_failure(self):
        self.crawl()
        price = self.add(css="span.cost")["id"]
        for i in (1, 2, 3):
            (self.root / f"{i}.html").unlink()
        self.visit(1, 2, 3)
        shown = self.show(price)
        self.assertEqual((shown["pages"], shown["failing"], shown["state"]),
                         (COUNT - 3, 0, "ok"))
        self.assertEqual(self.events(), [])
        self.finish()

    def test_a_guard_of_nothing_breaks_where_something_comes(self):
        self.crawl()
        zero = self.add(css="iframe", expect="0")["id"]
        self.write(BARE.replace("</p>", "</p><iframe src=x></iframe>"))
        self.visit(1, 2)
        self.wait_for_state(zero, "firing")
        [event] = self.events()
        self.assertEqual(event["detail"]["candidates"], [])
        self.assertEqual({p["matches"] for p in event["detail"]["pages"]}, {1})
        self.finish()

    def test_a_guard_of_a_template_watches_its_pages(self):
        self.crawl()
        cluster = self.daemon_.clusters(self.host)[0]["id"]
        number = int(cluster.rsplit("/", 1)[1])
        guard = self.add(css="span.cost", cluster=number)
        self.assertEqual(guard["cluster"], cluster)
        self.assertGreater(guard["holding"], 2)
        pages = {int(p["url"].rsplit("/", 1)[1].split(".")[0] or 0)
                 for p in guard["sample"]
                 if not p["url"].endswith("/")}
        self.write(NEW)
        self.visit(*sorted(pages)[:2])
        self.wait_for_state(guard["id"], "firing")
        self.assertEqual([e["kind"] for e in self.events()],
                         ["guard.firing"])
        other = self.add(css="span.cost", cluster=number + 1000)
        self.assertEqual(other["checked"], 0)
        self.finish()

    def test_the_client_adds_lists_shows_and_deletes(self):
        self.crawl()
        done = self.daemon_.ctl("guard", "add", self.host, "--css",
                                "span.cost", "--name", "price")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("9.50 EUR", done.stdout)
        done = self.daemon_.ctl("guard", "add", self.host, "--xpath", "//i")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no tested page", done.stderr)
        done = self.daemon_.ctl("guard", "list")
        self.assertIn("span.cost", done.stdout)
        done = self.daemon_.ctl("guard", "show", self.host, "price")
        self.assertIn("span.cost", done.stdout)
        done = self.daemon_.ctl("guard", "rm", self.host, "price")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.daemon_.ctl("guard", "rm", self.host, "price")
        self.assertEqual(done.returncode, 1)
        done = self.daemon_.ctl("--json", "guard", "list", self.host)
        self.assertEqual([g["selector"] for g in
                          harness.json.loads(done.stdout)["guards"]], ["//i"])
        done = self.daemon_.ctl("guard", "add", self.host, "--css", "p[")
        self.assertEqual(done.returncode, 1)
        self.assertIn("at the end", done.stderr)
        self.finish()

    def test_guards_go_with_their_site(self):
        self.crawl()
        self.add(css="span.cost")
        answer = self.daemon_.request("DELETE", f"/v1/sites/{self.host}")
        self.assertEqual(answer.status, 200)
        self.finish()

    def test_a_page_that_was_made_for_it_costs_that_page_alone(self):
        deep = "<div>" * 400 + "x" + "</div>" * 400
        (self.root / "deep.html").write_text(
            f"<html><body><a href=/>x</a>{deep * 60}</body></html>")
        with open(self.root / "index.html", "a", encoding="utf-8") as file:
            file.write('<a href="/deep.html">deep</a>')
        self.crawl()
        begin = time.monotonic()
        error = self.error_of(self.daemon_.post(
            f"/v1/sites/{self.host}/guards",
            {"xpath": "//div//div//div//div//div//div/div"}), 422, "too_slow")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("/deep.html", error["message"])
        self.finish()

    def grow(self, *pages, layout=OLD):
        """Each step of SLOW copies such a page, of which there are 21,000."""
        self.write(layout.replace("</body>", '<div class="a"><p><span>x</span></p>'
                               "</div>" * 7000 + "</body>"), pages)

    def test_a_slow_guard_is_refused_with_its_figure(self):
        self.grow(2)
        self.crawl()
        begin = time.monotonic()
        error = self.error_of(self.daemon_.post(
            f"/v1/sites/{self.host}/guards", {"xpath": SLOW}), 422, "too_slow")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertRegex(error["message"],
                         r"needs [0-9.]+ s of CPU time on .*/2\.html; "
                         r"the limit is 0\.2 s")
        self.assertEqual(self.daemon_.json(
            f"/v1/sites/{self.host}/guards")["guards"], [])
        self.finish()

    def test_guards_that_are_slow_together_are_refused(self):
        self.grow(2)
        self.daemon_ = self.daemon({"guards": {"cpu_limit": "1 s",
                                               "page_cpu_limit": "1 s"}})
        self.daemon_.crawl(self.server.url, revisit_interval_s=0, check_interval_s=0)
        for _ in range(20):
            answer = self.daemon_.post(f"/v1/sites/{self.host}/guards",
                                       {"xpath": SLOW})
            if answer.status != 201:
                break
        message = self.error_of(answer, 422, "too_slow")["message"]
        self.assertIn("the limit is 1 s", message)
        self.finish()

    def test_a_guard_that_becomes_slow_is_suspended(self):
        """The page is stored, and other guards are evaluated on it."""
        self.crawl()
        slow = self.add(xpath=SLOW, expect="0", name="slow")["id"]
        price = self.add(css="span.cost")["id"]
        self.assertEqual(self.show(slow)["state"], "ok")
        self.grow(1)
        begin = time.monotonic()
        self.visit(1)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(self.show(slow)["state"], "suspended")
        self.assertEqual(self.show(price)["state"], "ok")
        event, = self.events()
        self.assertEqual((event["kind"], event["guard"], event["url"]),
                         ("guard.suspended", slow, self.url(1)))
        self.assertRegex(event["detail"]["reason"],
                         r"it took 0\.[0-9]+ s of CPU time")
        self.assertIn("guards.cpu_limit", event["detail"]["reason"])
        self.assertIn('templated_guards{state="suspended"} 1',
                      self.daemon_.get("/metrics").text)
        self.assertIn("x\n", self.daemon_.get("/v1/text",
                                              url=self.url(1)).text)
        self.assertEqual(self.daemon_.json("/v1/quarantine")["pages"], [])
        # It is not evaluated any more, and is not added again.
        self.grow(2, 3)
        self.visit(2, 3)
        self.assertEqual(len(self.events()), 1)
        self.daemon_.request("DELETE",
                             f"/v1/sites/{self.host}/guards/{slow}")
        self.add(422, xpath=SLOW)
        self.finish()

    def test_a_guard_that_others_left_no_time_is_evaluated_next(self):
        """Although the page has not changed since, and the server says so."""
        self.daemon_ = self.daemon({"guards": {"page_cpu_limit": "200 ms"}})
        self.daemon_.crawl(self.server.url, revisit_interval_s=0, check_interval_s=0)
        slow = self.add(xpath=SLOW, expect="0")["id"]
        price = self.add(css="span.cost")["id"]
        self.grow(1, layout=NEW)
        self.write(NEW, [2])
        self.visit(1)
        self.assertEqual(self.show(slow)["state"], "suspended")
        shown = self.show(price)
        self.assertEqual((shown["pages"], shown["failing"]), (COUNT, 0))
        self.visit(1)
        self.assertEqual(self.show(price)["failing"], 1)
        self.visit(2)
        self.wait_for_state(price, "ok")  # two of eight pages
        self.assertEqual(self.show(price)["failing"], 2)
        self.visit(1)
        statuses = [status for _, target, status, *_ in self.server.requests()
                    if target == "/1.html"]
        self.assertEqual(statuses[:4], [200, 200, 200, 304])
        self.finish()

    def test_guards_may_take_a_quarter_of_the_time_of_a_page(self):
        self.daemon_ = self.daemon({"guards": {"cpu_limit": "1 min",
                                               "page_cpu_limit": "1 min"},
                                    "workers": {"cpu_limit": "1 s"}})
        self.daemon_.crawl(self.server.url, revisit_interval_s=0, check_interval_s=0)
        slow = [self.add(xpath=SLOW, expect="0")["id"] for _ in range(20)]
        self.grow(1)
        self.visit(1)
        self.assertEqual(self.daemon_.json("/v1/quarantine")["pages"], [])
        self.assertEqual([self.show(i)["state"] for i in slow].count(
            "suspended"), 1)
        self.finish()


if __name__ == "__main__":
    harness.main()
