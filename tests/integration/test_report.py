"""templatectl site report: the web application with the data of one site in one
file. It needs no daemon and no network, and a hostile site cannot harm it."""

import base64
import hashlib
import html
import json
import os
import re
import time
import urllib.parse

import harness
import ui

MAX_BYTES = 4 << 20
EACH = 12
WATCH_S = 1

CODE = "document.title='RAN';parent.ran=1"
EVIL = {
    "title": f"</title><script>{CODE}</script><img src=x onerror=\"{CODE}\">",
    "class": "x&quot;&gt;&lt;script&gt;" + CODE + "&lt;/script&gt;",
    "text": f"&lt;/details&gt;&lt;script&gt;{CODE}&lt;/script&gt; &quot; ' "
            "&amp;amp; &#x202e;turned round",
}
OLD = ('<html><head><title>{title}</title></head><body><div class="menu">'
       '<a href="/">Home</a> <b class="{cls}">{text}</b></div>'
       '<div class="post"><h1>{kind} {i}</h1><p>Number {i} of {kind} tells {n} '
       "things that no other page tells in such a way.</p>{extra}</div>"
       '<div class="foot">Copyright and imprint</div></body></html>')
NEW = ('<html><head><title>{title}</title></head><body><header><nav><ul><li>'
       '<a href="/">Home</a></li></ul><i class="{cls}">{text} anew</i></nav>'
       "</header><main><article><h2>{kind} {i}</h2><section><p>Number {i} of "
       "{kind} tells {n} things that no other page tells in such a way.</p>{extra}"
       "</section></article></main><footer><small>All new, and better than "
       "ever</small></footer></body></html>")

# On two of three pages, so that not every page of a sample has them.
EXTRA = ('<div class="offer"><b>Now cheaper</b></div>',
         "<aside><p><em>Today only</em></p></aside>")


class Report(ui.Case):
    def report(self, daemon, host):
        """(path, text, data) of the file that templatectl writes."""
        path = self.folder() / "new" / "report.html"
        done = daemon.ctl("site", "report", host, "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(os.listdir(path.parent), ["report.html"])
        text = path.read_text("utf-8")
        self.assertLess(len(text.encode()), MAX_BYTES)
        return path, text, self.is_closed(text)

    def is_closed(self, text):
        """The data, if the file allows only its own script and style."""
        policy = re.search(r'<meta http-equiv="Content-Security-Policy"\s+'
                           r'content="([^"]*)">', text)[1].replace("&#39;", "'")
        parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
        self.assertEqual(parts["default-src"], "'none'")
        for kind, tag in (("script", r'<script type="module">'),
                          ("style", r"<style>")):
            inner = re.findall(rf"{tag}(.*?)</{kind}>", text, re.S)
            self.assertEqual(len(inner), 1, kind)
            digest = base64.b64encode(hashlib.sha256(
                inner[0].encode()).digest()).decode()
            self.assertEqual(parts[f"{kind}-src"], f"'sha256-{digest}'")
        data = re.search(r'<script type="application/json" id="saved">(.*?)'
                         "</script>", text, re.S)[1]
        self.assertNotIn("<", data)
        self.assertNotIn("\u2028", data)
        # three scripts or styles, and nothing of the site between them
        self.assertEqual(len(re.findall("<script|<style", text)), 3)
        return json.loads(data)

    def write(self, root, form, kinds=("story", "thing"), edition=0):
        for kind in kinds:
            for i in range(EACH):
                file = root / f"{kind}" / f"{i}.html"
                file.parent.mkdir(exist_ok=True)
                new = file.with_suffix(".new")
                new.write_text(form.format(
                    kind=kind, i=i, n=(i * 7919 + edition) % 1000,
                    extra=EXTRA[edition] if i % 3 else "",
                    title=html.escape(EVIL["title"]), cls=EVIL["class"],
                    text=EVIL["text"]))
                stamp = 1_600_000_000 + edition
                os.utime(new, (stamp, stamp))
                new.replace(file)

    def events(self, daemon, kind):
        return [json.loads(line) for line in
                daemon.get("/v1/events", limit=100000).text.splitlines()
                if json.loads(line)["kind"] == kind]

    def redesigned(self):
        """A hostile site that was redesigned while it was watched."""
        root = self.folder()
        self.write(root, OLD)
        links = "".join(
            f'<li><a href="/{kind}/{i}.html">{i}</a>'
            for kind in ("story", "thing") for i in range(EACH))
        (root / "index.html").write_text(
            f'<ul>{links}<li><a href="javascript:alert(1)">x</a></ul>')
        web = self.web(root)
        daemon = self.daemon({"watch": {"gather": "0 s"}})
        daemon.crawl(web.url, threshold=0.2, revisit_interval_s=0,
                     check_interval_s=WATCH_S)
        harness.wait_until(lambda: self.events(daemon, "template.added"),
                           "a template")
        self.write(root, NEW, edition=1)
        harness.wait_until(lambda: self.events(daemon, "template.replaced") or
                           self.events(daemon, "template.changed"),
                           "the redesign")
        harness.wait_until(
            lambda: daemon.json("/v1/incidents")["incidents"], "the incident")
        time.sleep(2 * WATCH_S)
        return web, daemon

    def figures_agree(self, daemon, saved, host):
        """The events and the differences of versions have the same figures."""
        diffs = [tuple(len(answer[part][way]) for part in ("paths", "fragments")
                       for way in ("gone", "come"))
                 for path, answer in saved["answers"].items()
                 if path.startswith(f"/v1/sites/{host}/templates/") and
                 "/diff?" in path]
        changed = [event for event in self.events(daemon, "template.changed")
                   if len(event["detail"]["versions"]) == 2]
        self.assertTrue(changed)
        for event in changed:
            self.assertIn(tuple(event["detail"][part][f"{way}_count"]
                                for part in ("paths", "fragments")
                                for way in ("gone", "come")), diffs)

    def open(self, path):
        """The report, read from the disk."""
        self.open_browser()
        self.tab.go(path.as_uri())
        self.ready()
        return self.tab

    def view(self, tab, place):
        """The text of a view of the report."""
        tab.run("delete main.dataset.ready")
        tab.run(f"location.hash = {place!r}")
        tab.wait(f"location.hash == {place!r}")
        self.ready()
        self.fits(place)
        self.assertEqual(tab.run(
            "document.querySelectorAll('#main form:not(.filters), #main "
            "button:not(form button)').length"), 0, place)
        return self.text()

    def test_a_hostile_site_that_was_redesigned(self):
        web, daemon = self.redesigned()
        path, text, saved = self.report(daemon, web.host)
        self.assertEqual(saved["host"], web.host)
        self.assertIn(f"/v1/sites/{web.host}", saved["answers"])
        self.assertIn(f"/v1/sites/{web.host}/templates", saved["answers"])
        self.figures_agree(daemon, saved, web.host)
        daemon.stop()
        tab = self.open(path)
        host = urllib.parse.quote(web.host, safe=":")
        shown = tab.run("main.innerText")
        self.assertIn(web.host, shown)
        for tab_name in ("", "/events", "/threshold"):
            self.assertNotIn("did not work", self.view(
                tab, f"#/ui/sites/{host}{tab_name}"))
        incident = saved["answers"]["/v1/incidents?site=" + urllib.parse.quote(
            web.host, safe="")]["incidents"][0]
        story = self.view(tab, f"#/ui/incidents/{incident['id']}")
        self.assertIn("What happened", story)
        for place in [answer["id"] for answer in saved["answers"][
                f"/v1/sites/{web.host}/templates"]["templates"][:2]]:
            number = place.rpartition("/")[2]
            for part in ("", "/texts", "/versions", "/tree"):
                shown = self.view(tab, f"#/ui/templates/{host}/{number}{part}")
                self.assertNotIn("did not work", shown)
                self.assertNotIn("Not found", shown, part)
        self.assertNotEqual(tab.run("document.title"), "RAN")
        self.assertIsNone(tab.run("window.ran"))
        self.assertEqual(tab.run(
            "[...document.querySelectorAll('img, iframe, object, a[href^="
            "javascript]')].length"), 0)
        self.assertEqual([url for url in tab.requested()
                          if not url.startswith("file:")], [])
        self.assertEqual(tab.complaints(), [])

    @staticmethod
    def huge(kind, i):
        """Of 14 kinds nothing is alike; what is shown is as long as it can
        be, and stands as deep as it can."""
        evil = "&quot;" * 70
        tag = "abcdefghijklmn"[kind]
        wide = "".join(
            f'<p class="{tag}{chr(97 + j // 400)}{chr(97 + j % 20)}'
            f'{chr(97 + j // 20 % 20)}{"&amp;" * 60}">{evil}{j}</p>'
            for j in range(600))
        deep = "".join(f"<div class={tag}{chr(97 + j % 26)}>{evil}{j}"
                       for j in range(60))
        return (f"<html><head><title>{evil}</title></head><body class={tag}>"
                f"<div class={tag}{tag}>{deep}{'</div>' * 60}{wide}</div>"
                f"<i>page {i}</i></body></html>")

    def test_the_size_is_bounded(self):
        root = self.folder()
        pages = [(kind, i) for kind in range(14) for i in range(4)]
        tail = "q=" + "%22" * 90
        for kind, i in pages:
            (root / f"{kind}-{i}.html").write_text(self.huge(kind, i))
        (root / "index.html").write_text("".join(
            f'<a href="/{kind}-{i}.html?{tail}">x</a>' for kind, i in pages))
        web = self.web(root)
        daemon = self.daemon()
        daemon.crawl(web.url, threshold=0.2)
        _, text, saved = self.report(daemon, web.host)
        self.assertGreater(len(text), 500_000)
        self.assertIn(f"/v1/sites/{web.host}/templates", saved["answers"])

    def test_where_it_is_written(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        answer = daemon.get(f"/v1/sites/{web.host}/report")
        self.assertEqual((answer.status, answer.type),
                         (200, "text/html; charset=utf-8"))
        here = self.folder()
        tool = [harness.PROGRAMS / "templatectl", "-s", daemon.socket]
        done = harness.run([*tool, "site", "report", web.host], cwd=here)
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"{web.host}.html\n"), done.stderr)
        self.assertEqual(os.listdir(here), [f"{web.host}.html"])
        done = harness.run([*tool, "site", "report", "-o", "-", web.host], cwd=here)
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>\n"))
        # the old file stays when the new one cannot be written
        kept = here / "kept"
        kept.mkdir()
        done = harness.run([*tool, "site", "report", "-o", kept, web.host])
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(sorted(os.listdir(here)),
                         sorted([f"{web.host}.html", "kept"]))
        self.error_of(daemon.get("/v1/sites/nobody.example/report"), 404,
                      "not_found")
        done = harness.run([*tool, "site", "report", "nobody.example"], cwd=here)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(os.listdir(here)), 2)
        self.assertEqual(harness.run([*tool, "site", "report"]).returncode, 2)

    def test_a_site_without_pages(self):
        daemon = self.daemon()
        web = self.web(self.folder())
        daemon.crawl(web.url)
        path, _, _ = self.report(daemon, web.host)
        tab = self.open(path)
        self.assertIn(web.host, tab.run("main.innerText"))
        self.assertEqual(tab.complaints(), [])


if __name__ == "__main__":
    harness.main()
