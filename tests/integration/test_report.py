"""templatectl site report: a page about a site that says what is so, harms nobody
whatever the site is, and looks as it should in a browser."""

import functools
import html
import http.server
import json
import os
import re
import subprocess
import threading
import time
import unittest

import browser
import harness

try:
    import lxml.etree
    import lxml.html
except ImportError:
    lxml = None

MAX_BYTES = 4 << 20
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
SECTIONS = ("clusters", "thresholds", "templates", "timeline", "changes")
EACH = 12
WATCH_S = 1
LOADING = {"script", "img", "iframe", "object", "embed", "link", "base",
           "video", "audio", "source", "form", "input", "image", "use",
           "foreignobject"}

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

# Measures the page in a frame of some width; what it finds is its own DOM.
WRAPPER = """<!doctype html><html><body style="margin:0">
<iframe id="f" src="report.html" style="border:0;width:{0}px;height:900px">
</iframe><pre id="out"></pre><script>
window.ran = 0;
document.getElementById('f').onload = function () {{
  const page = this.contentDocument, root = page.documentElement;
  const box = e => e.getBoundingClientRect();
  const seen = e => {{ const b = box(e); return b.width > 0 && b.height > 0; }};
  const all = [...page.body.querySelectorAll('*')].filter(seen);
  const charts = {{}};
  for (const svg of page.querySelectorAll('figure > svg'))
    if (seen(svg))
      charts[svg.getAttribute('class')] = {{
        width: box(svg).width, height: box(svg).height,
        marks: [...svg.querySelectorAll('rect,path,circle')].filter(seen).length,
        texts: svg.querySelectorAll('text').length,
        out: [...svg.querySelectorAll('text')].filter(
          t => box(t).right > box(svg).right + 2 ||
               box(t).bottom > box(svg).bottom + 2).length }};
  const sides = page.querySelector('.sides');
  document.getElementById('out').textContent = JSON.stringify({{
    width: root.clientWidth, scroll: root.scrollWidth,
    wide: all.filter(e => !e.closest('svg') && !e.closest('thead') &&
                     box(e).right > root.clientWidth + 1)
             .map(e => e.outerHTML.slice(0, 120)),
    charts: charts, ran: window.ran, title: page.title,
    columns: sides ? getComputedStyle(sides).gridTemplateColumns
                     .split(' ').length : 0,
    font: getComputedStyle(page.body).fontSize,
    heats: all.filter(e => e.className == 'heat').length }});
}};
</script></body></html>"""


class Served(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Report(harness.Case):
    def page(self, daemon, host):
        """The page by the tool, as text; what holds for each is checked."""
        path = self.folder() / "new" / "report.html"
        done = daemon.ctl("site", "report", host, "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(os.listdir(path.parent), ["report.html"])
        text = path.read_text("utf-8")
        self.assertLess(len(text.encode()), MAX_BYTES)
        if lxml is not None:
            self.is_harmless(self.parse(text))
        return text

    def parse(self, text):
        """Every element ends where it must: the void ones given an end, it is
        well-formed XML, but for the entity."""
        head, _, rest = text.partition("\n")
        self.assertEqual(head, "<!DOCTYPE html>")
        rest = re.sub(r"<(meta|br)\b([^>]*)>", r"<\1\2/>", rest)
        rest = rest.replace("&nbsp;", "&#160;")
        rest = rest.replace("<details open>", '<details open="">')
        lxml.etree.fromstring(rest.encode())
        return lxml.html.document_fromstring(text)

    def is_harmless(self, root):
        for element in root.iter():
            tag = str(element.tag).lower()
            self.assertNotIn(tag, LOADING)
            for name, value in element.attrib.items():
                self.assertFalse(name.lower().startswith("on"), (tag, name))
                if name in ("href", "src", "action", "xlink:href"):
                    self.assertEqual(tag, "a")
                    self.assertTrue(value.startswith(
                        ("http://", "https://", "#")), value)
                    if not value.startswith("#"):
                        self.assertIn("noreferrer", element.get("rel"))
                if name == "style":
                    self.assertRegex(value, r"^--t:[0-9]+%$")
            if tag == "style":
                self.assertNotIn("url(", element.text)
                self.assertNotIn("@import", element.text)
        self.assertEqual(root.xpath(
            "//meta[@http-equiv='Content-Security-Policy']/@content"),
            [POLICY])

    def readable(self, root):
        """What one needs who cannot see it."""
        self.assertEqual(root.get("lang"), "en")
        self.assertEqual(len(root.xpath("//h1")), 1)
        self.assertEqual(root.xpath("//section/@id"), list(SECTIONS))
        for section in root.xpath("//section"):
            self.assertTrue(section.xpath("h2"), section.get("id"))
        for table in root.xpath("//table"):
            self.assertTrue(table.xpath("caption"))
            columns = len(table.xpath("thead/tr/th[@scope='col']"))
            for row in table.xpath("tbody/tr"):
                self.assertEqual(len(row.xpath("td")), columns)
        for svg in root.xpath("//figure/svg"):
            self.assertEqual(svg.get("role"), "img")
            self.assertTrue(svg.xpath("title"))
        ids = root.xpath("//@id")
        self.assertEqual(len(ids), len(set(ids)))
        for link in root.xpath("//a/@href"):
            if link.startswith("#"):
                self.assertIn(link[1:], ids)

    def write(self, root, form, kinds=("story", "thing"), edition=0, extra=""):
        for kind in kinds:
            for i in range(EACH):
                file = root / f"{kind}" / f"{i}.html"
                file.parent.mkdir(exist_ok=True)
                new = file.with_suffix(".new")
                new.write_text(form.format(
                    kind=kind, i=i, n=(i * 7919 + edition) % 1000,
                    extra=extra if i % 3 else "",
                    title=html.escape(EVIL["title"]), cls=EVIL["class"],
                    text=EVIL["text"]))
                stamp = 1_600_000_000 + edition
                os.utime(new, (stamp, stamp))
                new.replace(file)

    def events(self, daemon, kind):
        return [json.loads(line) for line in
                daemon.get("/v1/events", limit=100000).text.splitlines()
                if json.loads(line)["kind"] == kind]

    def redesigned(self, extra=("", "")):
        """A hostile site that was redesigned under our eyes, and its page."""
        root = self.folder()
        self.write(root, OLD, extra=extra[0])
        links = "".join(
            f'<li><a href="/{kind}/{i}.html">{i}</a>'
            for kind in ("story", "thing") for i in range(EACH))
        (root / "index.html").write_text(
            f'<ul>{links}<li><a href="javascript:alert(1)">x</a></ul>')
        web = self.web(root)
        daemon = self.daemon()
        daemon.crawl(web.url, threshold=0.2, revisit_interval_s=0, check_interval_s=WATCH_S)
        harness.wait_until(lambda: self.events(daemon, "template.added"),
                           "a template")
        self.write(root, NEW, edition=1, extra=extra[1])
        harness.wait_until(lambda: self.events(daemon, "template.replaced") or
                           self.events(daemon, "template.changed"),
                           "the redesign")
        time.sleep(2 * WATCH_S)
        return web, daemon, self.page(daemon, web.host)

    @unittest.skipIf(lxml is None, "python3-lxml is not installed")
    def test_a_site_that_has_not_changed(self):
        web = self.web()
        daemon = self.daemon()
        site = daemon.crawl(web.url)
        root = self.parse(self.page(daemon, web.host))
        self.readable(root)
        clusters = daemon.clusters(web.host)
        rows = root.xpath("//section[@id='clusters']//tbody/tr")
        self.assertEqual(len(rows), max(min(len(clusters), 12), sum(
            c["has_template"] for c in clusters)))
        for row, cluster in zip(rows, clusters):
            cells = [cell.text_content() for cell in row.xpath("td")]
            self.assertEqual(cells[0], cluster["id"])
            self.assertEqual(cells[2], f"{cluster['pages']:,}")
        text = root.text_content()
        self.assertIn(f"{site['threshold']:.3f}", text)
        self.assertIn("chosen from the pages", text)
        learned = [c for c in clusters if c["has_template"]][:12]
        self.assertEqual(root.xpath("//section[@id='templates']/article/@id"),
                         ["t" + c["id"].split("/")[-1] for c in learned])
        for article in root.xpath("//section[@id='templates']/article"):
            self.assertTrue(article.xpath(".//li[@class='region']"))
            self.assertLessEqual(len(article.xpath(
                ".//span[starts-with(@class,'row')]")), 400)
            self.assertTrue(article.xpath(".//span[@class='heat']"))
        figure = root.xpath("//section[@id='thresholds']//svg")
        self.assertEqual([svg.get("class") for svg in figure],
                         ["lv wide", "lv narrow"])

    @unittest.skipIf(lxml is None, "python3-lxml is not installed")
    def test_a_hostile_site_that_was_redesigned(self):
        _, daemon, text = self.redesigned(EXTRA)
        root = self.parse(text)
        self.readable(root)
        self.assertNotIn("<script", text)
        self.assertNotIn("<img", text)
        self.assertNotIn('href="javascript', text)
        self.assertNotIn("\u202e", text)
        whole = root.text_content()
        self.assertIn("</title><script>", whole)  # as text
        self.assertIn("</details><script>", whole)
        told = (self.events(daemon, "template.replaced") +
                self.events(daemon, "template.changed"))
        articles = root.xpath("//section[@id='changes']/article")
        self.assertGreaterEqual(len(articles), 1)
        self.assertIn("e%u" % told[0]["seq"],
                      root.xpath("//section[@id='changes']/article/@id"))
        before = articles[-1].xpath(".//div[@class='before']")[0]
        after = articles[-1].xpath(".//div[@class='after']")[0]
        self.assertIn("div.foot", [e.text for e in before.iter("del")])
        self.assertIn("Copyright and imprint",
                      [e.text for e in before.iter("del")])
        self.assertIn("footer", [e.text for e in after.iter("ins")])
        self.assertIn("All new, and better than ever",
                      [e.text for e in after.iter("ins")])
        # body is in both: not marked
        self.assertNotIn("body", [e.text for e in root.iter("del", "ins")])
        kinds = root.xpath("//section[@id='timeline']//td/span/code")
        self.assertIn(told[0]["kind"], [k.text for k in kinds])
        self.assertTrue(root.xpath("//svg[@class='chart lanes']//circle"))
        self.figures_agree(root, told)
        self.verify(daemon)

    def figures_agree(self, root, told):
        """The timeline, the sides and the events have the same figures."""
        rows = [row.text_content() for row in root.xpath(
            "//section[@id='timeline']//tr[contains(., 'paths moved')]")]
        articles = root.xpath("//section[@id='changes']/article")
        self.assertEqual(len(rows), len(articles))
        sides = [tuple(int(re.search(rf"(\d+) {noun}s? {way}",
                                     article.text_content()).group(1))
                       for noun in ("path", "text")
                       for way in ("gone", "come")) for article in articles]
        figures = [tuple(
            int(n) for pair in re.findall(r"(\d+) gone, (\d+) come", row)
            for n in pair) for row in rows]
        self.assertEqual(figures, sides)
        for event in told:
            paths = event["detail"]["paths"]
            self.assertIn((paths["gone_count"], paths["come_count"]),
                          [side[:2] for side in sides], event["kind"])

    def verify(self, daemon):
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def measure(self, text, width):
        """What a browser makes of the page in so many pixels."""
        folder = self.folder()
        (folder / "report.html").write_text(text, "utf-8")
        (folder / "index.html").write_text(WRAPPER.format(width), "utf-8")
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0),
            functools.partial(Served, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            done = subprocess.run(
                [browser.PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
                 f"--user-data-dir={self.folder()}", "--no-proxy-server",
                 f"--window-size={max(width, 600)},1000",
                 "--enable-logging=stderr",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                 "--virtual-time-budget=5000", "--dump-dom",
                 f"http://127.0.0.1:{server.server_port}/"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=harness.PATIENCE_S, check=False)
        finally:
            server.shutdown()
            server.server_close()
        found = re.search(r'<pre id="out">(.+?)</pre>', done.stdout, re.S)
        self.assertTrue(found, done.stdout[:500] + done.stderr[-500:])
        console = [line for line in done.stderr.splitlines()
                   if "CONSOLE" in line and "favicon" not in line]
        self.assertEqual(console, [])
        return json.loads(html.unescape(found.group(1)))

    @browser.needed
    def test_in_a_browser(self):
        web, _, text = self.redesigned()
        for width, kind, columns in ((400, "narrow", 1), (1400, "wide", 2)):
            with self.subTest(width=width):
                seen = self.measure(text, width)
                # a rail of the frame's own may take some of it
                self.assertGreater(seen["width"], width - 20)
                self.assertLessEqual(seen["scroll"], seen["width"])
                self.assertEqual(seen["wide"], [])
                self.assertEqual(seen["ran"], 0)
                self.assertEqual(seen["title"], f"Templates of {web.host}")
                self.assertEqual(set(seen["charts"]), {
                    "chart sizes", f"lv {kind}", "chart lanes"})
                for name, chart in seen["charts"].items():
                    self.assertGreater(chart["width"], 0.75 * width, name)
                    self.assertGreater(chart["height"], 60, name)
                    self.assertGreater(chart["marks"], 3, name)
                    self.assertGreater(chart["texts"], 3, name)
                    self.assertEqual(chart["out"], 0, name)
                self.assertEqual(seen["columns"], columns)
                self.assertGreater(seen["heats"], 3)
                self.assertIn(seen["font"], ("15px", "16px"))

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

    @unittest.skipIf(lxml is None, "python3-lxml is not installed")
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
        begin = time.monotonic()
        text = self.page(daemon, web.host)
        self.assertLess(time.monotonic() - begin, 60)
        root = self.parse(text)
        self.readable(root)
        self.assertGreater(len(text), 500_000)
        self.assertIn("the page would be too large", root.text_content())
        self.assertIn("Without a tree", root.text_content())
        if browser.PROGRAM is not None:
            seen = self.measure(text, 400)
            self.assertLessEqual(seen["scroll"], seen["width"])
            self.assertEqual(seen["wide"], [])

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

    @unittest.skipIf(lxml is None, "python3-lxml is not installed")
    def test_a_site_without_pages(self):
        daemon = self.daemon()
        web = self.web(self.folder())
        daemon.crawl(web.url)
        root = self.parse(self.page(daemon, web.host))
        self.readable(root)
        self.assertIn("It has no pages yet", root.text_content())

    @unittest.skipIf(lxml is None, "python3-lxml is not installed")
    def test_a_site_whose_tree_is_too_large(self):
        web = self.web()
        daemon = self.daemon({"clustering": {"max_dendrogram_size": 3}})
        daemon.crawl(web.url, measure="cpc")
        root = self.parse(self.page(daemon, web.host))
        self.readable(root)
        self.assertIn("more distinct signatures", root.text_content())


if __name__ == "__main__":
    harness.main()
