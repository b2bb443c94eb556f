"""Templates that change are told of, once and with what has changed; content
that changes, pages that change alone, and a site that is down are not."""

import json
import os
import time

import harness

EACH = 12
SECTIONS = ("article", "product", "profile")
WATCH_S = 0.3
WATCH = {"check_interval": f"{int(WATCH_S * 1000)} ms"}
MENU = ('<div class="menu"><a href="/">Home</a> <a href="/list.html">List</a> '
        '<a href="/about.html">About</a></div>')
FOOT = '<div class="foot">Copyright, imprint, and what else ends a page</div>'
BODIES = {
    "article": '<div class="post"><h1>{0}</h1><p class="by">By nobody</p>'
               "<p>{1}</p><p>{2}</p></div>",
    "product": '<table class="data"><tr><th>Name</th><td>{0}</td></tr>'
               "<tr><th>Use</th><td>{1}</td></tr><tr><th>Price</th><td>{2}"
               '</td></tr></table><form><input name="count"><button>Buy'
               "</button></form>",
    "profile": '<div class="card"><img src="/{0}.png"><dl><dt>Name</dt>'
               "<dd>{0}</dd><dt>Says</dt><dd>{1}</dd></dl></div>"
               '<ul class="done"><li>{2}</li><li>{0}</li></ul>',
    "recipe": '<section class="recipe"><h3>{0}</h3><ol><li>{1}</li><li>{2}'
              "</li></ol><aside><em>Serves four</em></aside></section>",
}
REDESIGN = ('<html><head><title>{0}</title></head><body><header><nav><ul><li>'
            '<a href="/">Home</a></li><li><a href="/list.html">List</a></li>'
            "</ul></nav></header><main><article><h2>{0}</h2><section><p>{1}"
            "</p><p>{2}</p></section></article></main><footer><small>All new, "
            "and better than it ever was</small></footer></body></html>")
MORE = ("<details><summary>More</summary><dl><dt>Size</dt><dd>Any</dd></dl>"
        "<ul><li>In red</li></ul></details><p><em>New</em></p>")
ALONE = ("<html><body><center><font>{0}</font><blockquote><pre>Somebody has "
         "written this page by hand</pre></blockquote></center></body></html>")
# 503 and a time without requests, while a file is there
MAINTENANCE = """
location / {{ if (-f {0}/all) {{ add_header Retry-After {1} always;
	return 503; }} }}
location = /robots.txt {{ return 404; }}
"""
# A file that is there makes a section, or all of it, fail.
FAILING = """
location / {{ if (-f {0}/all) {{ return {1}; }} }}
location /product/ {{ if (-f {0}/all) {{ return {1}; }}
	if (-f {0}/product) {{ return {1}; }} }}
location = /robots.txt {{ return 404; }}
"""
CHALLENGE = """
location / {{ error_page 418 =200 /challenge.html;
	if (-f {0}/all) {{ return 418; }} }}
location = /challenge.html {{ root {0}; }}
location = /robots.txt {{ return 404; }}
"""
CHALLENGE_PAGE = """<html><head><title>Just a moment...</title></head><body>
<div id="challenge-form">Checking your browser before accessing the site.
<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1"></script>
</div></body></html>"""


def words(section, i, edition):
    return (f"{section} {i}", f"What number {i} of all {section}s has to say, "
            f"{(i * 7919 + edition) % 1000} times over",
            f"Number {(i * 104729 + edition * 31) % 9973}")


class Watched(harness.Case):
    """A site of SECTIONS that is watched, and what is told of it."""

    written = 1_600_000_000

    def setUp(self):
        self.root = self.folder()
        self.switches = self.folder()
        for section in SECTIONS:
            self.write_section(section)
        self.write_hubs(SECTIONS)

    def write_section(self, section, form=None, edition=0, count=EACH):
        """`form`: another body; a whole page when it begins with <html>."""
        form = form or BODIES[section]
        for i in range(count):
            body = form.format(*words(section, i, edition))
            if not form.startswith("<html>"):
                body = (f"<html><head><title>{section} {i}</title></head>"
                        f"<body>{MENU}{body}{FOOT}</body></html>")
            self.write(f"{section}/{i}.html", body)

    def write(self, path, body):
        """At once, so that nobody sees half of it."""
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        new = file.with_suffix(".new")
        new.write_text(body)
        # nginx makes an ETag of the second and the size
        self.written += 1
        os.utime(new, (self.written, self.written))
        new.replace(file)

    def write_hubs(self, sections):
        links = "".join(f'<li><a href="/{section}/{i}.html">{section} {i}</a>'
                        "</li>" for section in sections for i in range(EACH))
        self.write("list.html", f"<html><body>{MENU}<ol>{links}</ol>{FOOT}"
                   "</body></html>")
        for name in ("index", "about"):
            self.write(f"{name}.html", f"<html><body>{MENU}<h1>{name}</h1>"
                       f"{FOOT}</body></html>")

    def start(self, extra="", watch=None, **options):
        """Crawl, until each section is a template; forget what was told."""
        self.server = self.web(self.root, extra)
        self.daemon_ = self.daemon({"watch": {**WATCH, **(watch or {})}})
        self.daemon_.crawl(self.server.url, **{
            "threshold": 0.2, "revisit_interval_s": 0, **options})
        self.seq = 0
        self.told = []
        harness.wait_until(lambda: len(self.alerts()) >= len(SECTIONS),
                           "templates")
        self.clusters = {self.section_of(cluster["id"]): cluster["id"]
                         for cluster in self.daemon_.clusters(self.server.host)
                         if cluster["pages"] == EACH}
        self.assertEqual({e["kind"] for e in self.told}, {"template.added"})
        self.assertGreaterEqual({e["cluster"] for e in self.told},
                                set(self.clusters.values()))
        self.assertEqual(set(self.clusters), set(SECTIONS))
        self.told.clear()
        self.mark = len(self.server.details())

    def section_of(self, cluster):
        return harness.path_of(self.daemon_.pages(cluster)[0]).split("/")[0]

    def alerts(self):
        """All that was told since told.clear(); asks for more."""
        lines = self.daemon_.get("/v1/events", since=self.seq).text
        for line in lines.splitlines():
            event = json.loads(line)
            self.seq = event["seq"]
            if event["kind"] != "template.checked" and event["kind"].startswith(
                    ("template.", "site.stale", "site.blocked",
                     "site.unreachable", "site.ok")):
                self.told.append(event)
        return self.told

    def asked(self, section, status=None):
        """Requests for pages of a section since the mark."""
        return [row["target"] for row in self.server.details()[self.mark:]
                if row["target"].startswith(f"/{section}/")
                and status in (None, row["status"])]

    def rounds(self, count, sections=SECTIONS):
        """Wait until each section was looked at so often from now on."""
        begin = time.monotonic()
        before = {s: len(self.asked(s)) for s in sections}

        def is_over():
            return time.monotonic() >= begin + count * WATCH_S and all(
                len(self.asked(s)) >= before[s] + count for s in sections)
        harness.wait_until(is_over, f"{count} rounds", 60)

    def changed(self):
        self.mark = len(self.server.details())

    def requests(self, count):
        """Wait until the server was asked so often from now on."""
        end = len(self.server.details()) + count
        harness.wait_until(lambda: len(self.server.details()) >= end,
                           f"{count} requests")

    def only_alert(self, *kinds, after=None):
        """Wait for it, and a few rounds for others that must not come."""
        harness.wait_until(self.alerts, f"one of {kinds}", 60)
        # on a slow machine more rounds of conditional requests may pass
        self.cost = sum(row["status"] != 304
                        for row in self.server.details()[self.mark:])
        (after or self.rounds)(4)
        self.assertEqual(len(self.alerts()), 1, self.told)
        self.assertIn(self.told[0]["kind"], kinds, self.told)
        return self.told[0]

    def nothing(self, rounds=5, sections=SECTIONS):
        self.rounds(rounds, sections)
        self.assertEqual(self.alerts(), [])


class Changes(Watched):
    def test_a_round_is_a_few_conditional_requests(self):
        self.start()
        self.nothing()
        rows = self.server.details()[self.mark:]
        # one page of each round is fetched even if it is not modified
        fetched = [row for row in rows if row["status"] != 304]
        self.assertEqual({row["status"] for row in fetched}, {200}, rows)
        self.assertLessEqual(2 * len(fetched), len(rows) + len(SECTIONS))
        asked = [len(self.asked(section)) for section in SECTIONS]
        self.assertGreater(min(asked), 3)
        self.assertLess(len(rows), 8 * len(SECTIONS) * EACH / 2)

    def test_content_alone_changes(self):
        self.start()
        for edition in (1, 2):
            for section in SECTIONS:
                self.write_section(section, edition=edition)
            self.changed()
            self.nothing()
            for section in SECTIONS:
                self.assertTrue(self.asked(section, 200))

    def test_one_page_is_edited_by_hand(self):
        self.start()
        self.rounds(1)
        page = self.asked("product")[0]  # one that is looked at
        self.write(page[1:], ALONE.format(page))
        self.changed()
        harness.wait_until(lambda: page in self.asked("product", 200), page)
        self.nothing(8)

    def test_redesign_of_a_template(self):
        self.start()
        self.write_section("product", REDESIGN)
        self.changed()
        event = self.only_alert("template.changed", "template.replaced")
        self.assertEqual(event["cluster"], self.clusters["product"])
        self.assertGreaterEqual(event["pages"], 3)
        # the sample of each section, and the pages of this one again
        self.assertLess(self.cost, 2 * len(SECTIONS) * EACH)
        detail = event["detail"]
        self.assertIn("/table", json.dumps(detail).replace(">", "/"))
        self.assertIn("/article", json.dumps(detail).replace(">", "/"))
        self.assertIn("/product/", json.dumps(detail))
        self.daemon_.stop()
        self.daemon_.verify_store()

    def test_every_template_is_redesigned(self):
        self.start()
        for section in SECTIONS:
            self.write_section(section, REDESIGN)
        self.changed()
        harness.wait_until(lambda: len(self.alerts()) >= len(SECTIONS),
                           "all of them")
        self.rounds(4)
        about = [e["cluster"] for e in self.alerts()
                 if e["kind"] in ("template.changed", "template.replaced")]
        self.assertEqual(sorted(about), sorted(self.clusters.values()))
        others = {e["kind"] for e in self.told
                  if e["cluster"] not in self.clusters.values()}
        self.assertLessEqual(others, {"template.added"})

    def test_section_that_vanishes(self):
        self.start()
        harness.shutil.rmtree(self.root / "product")
        self.changed()
        event = self.only_alert(
            "template.removed",
            after=lambda count: self.rounds(count, ("article", "profile")))
        self.assertEqual(event["cluster"], self.clusters["product"])
        self.assertGreaterEqual(event["pages"], 3)

    def test_section_most_of_which_is_gone(self):
        self.start()
        for i in range(3, EACH):
            (self.root / "product" / f"{i}.html").unlink()
        self.changed()
        event = self.only_alert("template.removed")
        self.assertEqual(event["cluster"], self.clusters["product"])
        self.assertEqual((event["pages"], event["detail"]["left"]),
                         (EACH - 3, 3))

    def test_section_that_fails_has_not_vanished(self):
        self.start(FAILING.format(self.switches, 500))
        (self.switches / "product").touch()
        self.changed()
        harness.wait_until(lambda: self.asked("product", 500), "a failure")
        self.nothing(8, ("article", "profile"))
        (self.switches / "product").unlink()
        self.nothing(8, ("article", "profile"))

    def test_site_that_is_blocked(self):
        for status, extra in ((500, FAILING), (200, CHALLENGE)):
            with self.subTest(status):
                (self.switches / "challenge.html").write_text(CHALLENGE_PAGE)
                self.start(extra.format(self.switches, status))
                (self.switches / "all").touch()
                self.changed()
                self.only_alert("site.blocked", "site.unreachable",
                                after=self.requests)
                self.told.clear()
                (self.switches / "all").unlink()
                self.changed()
                harness.wait_until(self.alerts, "its end", 90)
                self.assertEqual([e["kind"] for e in self.told], ["site.ok"])
                self.told.clear()
                self.nothing(4)
                self.daemon_.stop()

    def test_killed_while_visits_wait(self):
        """Before the daemon decides about them, and before it reports."""
        self.start(FAILING.format(self.switches, 500))
        (self.switches / "all").touch()
        self.changed()
        harness.wait_until(lambda: self.asked("product", 500), "a failure")
        for _ in range(3):
            self.kill_after(WATCH_S / 2)
        harness.wait_until(self.alerts, "its begin", 60)
        self.kill_after(0)
        self.write_section("product", REDESIGN)
        (self.switches / "all").unlink()
        self.changed()
        for delay_ms in (10, 30, 60, 100, 150, 210, 280, 360):
            self.kill_after(delay_ms / 1000)
        harness.wait_until(lambda: len(self.alerts()) >= 3, "a redesign", 60)
        self.rounds(4)
        self.assertEqual([e["kind"] for e in self.alerts()], [
            "site.unreachable", "site.ok", "template.changed"], self.told)
        self.assertEqual(self.told[2]["cluster"], self.clusters["product"])
        self.daemon_.stop()
        self.daemon_.verify_store()

    def kill_after(self, delay_s):
        time.sleep(delay_s)
        self.daemon_.kill()
        self.daemon_.start()

    def test_site_that_asks_for_a_pause(self):
        """One 503 tells enough, and it is not asked again in this time."""
        self.start(MAINTENANCE.format(self.switches, 8))
        (self.switches / "all").touch()
        self.changed()
        harness.wait_until(self.alerts, "its begin")
        self.assertEqual([e["kind"] for e in self.told], ["site.unreachable"])
        self.assertIn("no visit before ", self.told[0]["detail"]["reason"])
        site = self.daemon_.json(f"/v1/sites/{self.server.host}")
        self.assertEqual(site["state"], "unreachable")
        self.assertRegex(site["reason"],
                         r"503.*; no visit before (\d\d:){2}\d\d UTC$")
        failures = [row for row in self.server.details()[self.mark:]
                    if row["status"] == 503]
        self.assertEqual(len(failures), 1, failures)
        (self.switches / "all").unlink()
        harness.wait_until(lambda: len(self.alerts()) > 1, "its end")
        self.assertEqual(self.told[1]["kind"], "site.ok")
        site = self.daemon_.json(f"/v1/sites/{self.server.host}")
        self.assertIsNone(site["reason"])
        self.told.clear()
        self.nothing(4)

    def test_site_that_is_stale(self):
        """Off, and back on the same port."""
        self.start(watch={"stale_after": "2 s"})
        self.nothing()
        port = self.server.port
        self.server.process.terminate()
        self.server.process.wait(30)
        harness.wait_until(self.alerts, "staleness", 60)
        self.server = self.web(self.root, port=port)
        self.mark = 0
        harness.wait_until(lambda: self.asked("article", 304),
                           "pages again", 90)
        self.rounds(4)
        self.assertEqual([e["kind"] for e in self.alerts()], ["site.stale"])

    def test_kill_before_the_event(self):
        """At some instant between the change and what is told of it."""
        self.start()
        for i, rounds in enumerate((0.0, 0.5, 1.0, 1.5)):
            self.write_section("product", (REDESIGN, BODIES["recipe"])[i % 2])
            self.changed()
            time.sleep(rounds * WATCH_S)
            self.daemon_.kill()
            self.daemon_.start()
            harness.wait_until(lambda: [
                e for e in self.alerts() if e["kind"] in (
                    "template.changed", "template.restored")], "the event")
            self.rounds(4)
            told = [e["kind"] for e in self.alerts()
                    if e["kind"] != "template.added"]
            self.assertEqual(len(told), 1, self.told)
            self.told.clear()
        self.daemon_.stop()
        self.daemon_.verify_store()

    def test_section_that_is_new(self):
        self.start()
        self.write_section("recipe")
        self.write_hubs((*SECTIONS, "recipe"))
        self.daemon_.text(self.server.url + "list.html", fetch="always")
        event = self.only_alert("template.added")
        self.assertEqual(self.section_of(event["cluster"]), "recipe")
        self.assertNotIn(event["cluster"], self.clusters.values())

    def test_versions_are_kept(self):
        """Of a template that changes, and keeps its name."""
        self.start(threshold=0.4)
        template = self.clusters["product"]
        form = '<form><input name="count"><button>Buy</button></form>'
        self.assertIn(form, BODIES["product"])
        self.write_section("product", BODIES["product"].replace(form, MORE))
        event = self.only_alert("template.changed")
        self.assertEqual(event["cluster"], template)
        self.assertEqual(event["detail"]["versions"], [1, 2])
        said = [self.daemon_.ctl("template", "show", template, *arguments)
                for arguments in ((), ("--version", "1"), ("--version", "2"),
                                  ("--diff", "1", "2"))]
        self.assertEqual([done.returncode for done in said], [0] * 4,
                         said[-1].stderr)
        self.assertEqual(["details" in done.stdout for done in said[1:]],
                         [False, True, True])
        self.assertIn("version 2", said[0].stdout)


COMMON = "".join(f"<{tag}>{tag} of all</{tag}>" for tag in
                 ("h1", "h2", "h3", "h4", "p", "pre", "ul", "ol", "dl",
                  "section", "article", "aside", "nav", "header", "footer",
                  "address"))
KINDS = {"big": ("b", "i", "u", "s", "q", "em", "code"),
         "small": ("a", "sub", "sup", "var", "kbd", "abbr", "cite")}


class MergesAndSplits(Watched):
    """By paths of tags: `big` and `small` have 16 + 3 in common and 7 of their
    own, 7 / 26 apart; a page with 4 of each lies 4 / 27 from both."""

    def setUp(self):
        self.root = self.folder()
        paths = [f"{kind}/{i}.html" for kind, count in (
            ("big", EACH), ("small", EACH // 2)) for i in range(count)]
        for i, path in enumerate(paths):
            self.write_kind(path, KINDS[path.split("/")[0]], i)
        links = "".join(f'<li><a href="/{path}">It</a></li>' for path in paths)
        self.write("index.html", f"<html><body><ol>{links}</ol></body></html>")

    def write_kind(self, path, tags, i):
        self.write(path, "<html><head></head><body>" + COMMON + "".join(
            f"<{tag}>Number {i} says {i * 7919 % 997}</{tag}>"
            for tag in tags) + "</body></html>")

    def begin(self):
        self.server = self.web(self.root)
        self.daemon_ = self.daemon({"watch": WATCH})
        self.daemon_.crawl(self.server.url, threshold=0.2, revisit_interval_s=0,
                           measure="cp")
        self.seq = self.mark = 0
        self.told = []
        harness.wait_until(lambda: len(self.alerts()) >= 2, "templates")
        self.told.clear()
        self.clusters = self.by_kind()
        self.assertEqual(set(self.clusters), set(KINDS))

    def looks(self, count):
        """Rounds in which at least a page of each kind is asked for."""
        self.requests(count * len(KINDS))

    def by_kind(self):
        found = {}
        for cluster in self.daemon_.clusters(self.server.host):
            for url in self.daemon_.pages(cluster["id"]):
                found[harness.path_of(url).split("/")[0]] = cluster["id"]
        return {kind: found[kind] for kind in KINDS}

    def test_merge_and_split(self):
        self.begin()
        bridge = self.server.url + "big/bridge.html"
        self.write_kind("big/bridge.html",
                        KINDS["big"][:4] + KINDS["small"][:4], 99)
        self.daemon_.text(bridge, fetch="always")
        self.assertEqual(set(self.by_kind().values()),
                         {self.clusters["big"]})
        event = self.only_alert("template.merged", after=self.looks)
        self.assertEqual(event["cluster"], self.clusters["small"])
        self.assertEqual(event["other"], self.clusters["big"])
        for number, other in ("small", "big"), ("big", "small"):
            said = self.daemon_.ctl("template", "show", self.clusters[number]).stdout
            self.assertIn("merged", said)
            self.assertIn(self.clusters[other], said)
        self.told.clear()
        # until then, another move of the pages would correct the merger
        self.looks(8)
        self.assertEqual(self.alerts(), [])
        (self.root / "big" / "bridge.html").unlink()
        self.daemon_.get("/v1/text", url=bridge, fetch="always")
        event = self.only_alert("template.split", after=self.looks)
        after = self.by_kind()
        self.assertEqual(after["big"], self.clusters["big"])
        self.assertEqual(event["cluster"], after["big"])
        self.assertEqual(event["other"], after["small"])
        said = self.daemon_.ctl("template", "show", after["small"]).stdout
        self.assertIn(after["big"], said)
        self.daemon_.stop()
        self.daemon_.verify_store()


if __name__ == "__main__":
    harness.main()
