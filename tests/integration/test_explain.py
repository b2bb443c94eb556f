"""templatectl explain: the picture agrees with the text, and nothing of a
hostile page runs in it. What a browser does is asked of a browser."""

import html.parser
import http.server
import json
import shutil
import subprocess
import threading

import browser
import harness

CTL = harness.PROGRAMS / "templatectl"

TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3",
        "h4", "h5", "h6", "details", "summary", "dl", "dt", "dd", "table", "tr", "th", "td",
        "p", "span", "br", "ul", "ol", "li", "pre", "blockquote", "code", "em",
        "strong", "b", "i", "div", "figure", "svg", "text", "path", "rect"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class",
              "title", "xmlns", "viewbox", "role", "aria-label", "x", "y",
              "width", "height", "d", "transform", "fill-opacity"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

# Code that leaves a mark which does not stand in its source, and calls home.
MARK = "RAN-42"
CODE = ("document.documentElement.setAttribute('data-mark','RAN-'+6*7);"
        "new Image().src='{home}/ran'")
HOSTILE = """<!doctype html><html lang='x"onload="{code}'><head>
<title>&lt;/title&gt;&lt;script&gt;{code}&lt;/script&gt;</title>
<style>body{{background:url({home}/css)}}</style>
<style>&lt;/style&gt;&lt;script&gt;{code}&lt;/script&gt;</style>
<link rel=stylesheet href="{home}/sheet.css"></head>
<body class='"&gt;&lt;script&gt;{code}&lt;/script&gt;' onload="{code}">
<div id='x"onmouseover="{code}' style="background:url({home}/style)">
<script>{code}</script>
<p>An article that is long enough to be kept by what looks for text, with
<a href="javascript:{code}">a link that does something</a>, and
&lt;script&gt;{code}&lt;/script&gt; as text, and "&gt;&lt;script&gt;{code}
&lt;/script&gt; that leaves an attribute, and &lt;/span&gt;&lt;img src=x
onerror="{code}"&gt; that leaves an element.</p>
<img src=x onerror="{code}"><img src="{home}/image">
<svg onload="{code}"><script>{code}</script><text>&lt;/svg&gt;</text></svg>
<iframe srcdoc="&lt;script&gt;parent.{code}&lt;/script&gt;"></iframe>
<iframe src="{home}/frame"></iframe>
<p>{{}} &lt;/style&gt; @import url({home}/import); \\3c script\\3e</p>
<table><tr><td class="&lt;script&gt;">one<td>two</table>
<ul><li><a href="x">menu</a><li><a href="y">home</a></ul>
<textarea>&lt;/textarea&gt;&lt;script&gt;{code}&lt;/script&gt;</textarea>
<math><mtext></form><form><mglyph><style></math><img src onerror="{code}">
<details open ontoggle="{code}"><summary>more</summary>less</details>
<p>{number} is the number of this page, which no other page has.</p>
</div></body></html>"""


class Picture(html.parser.HTMLParser):
    """What stands in a picture; whatever may not stand in one is a finding."""

    def __init__(self, text):
        super().__init__()
        self.findings = []
        self.open = []
        self.spans = []  # (classes, title, text)
        self.titles = []  # of the figures
        self.policy = None
        self.is_page = False
        self.feed(text)
        self.close()
        self.findings += [f"not closed: {tag}" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in TAGS:
            self.findings.append(f"<{tag}>")
        self.findings += [f"{tag} {name}={value}" for name, value in attributes
                          if name not in ATTRIBUTES]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "svg":
            self.titles.append(given["aria-label"])
        self.is_page = self.is_page or given.get("class") == "page"
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "span" and self.is_page:
            self.spans.append([given["class"].split(), given["title"], ""])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.findings.append(f"</{tag}>")
        if tag == "div":
            self.is_page = False

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            if "url(" in data or "@import" in data:
                self.findings.append("style loads something")
        if self.is_page and self.open and self.open[-1] == "span":
            self.spans[-1][2] += data

    def kept(self):
        """The kept texts without white space."""
        return "".join("".join(text.split())
                       for classes, _, text in self.spans if "k" in classes)


class Home(http.server.BaseHTTPRequestHandler):
    """Hears of everything that a page loads."""

    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_):
        pass


class Explain(harness.Case):
    def ctl(self, *arguments, status=0):
        process = harness.run([CTL, *arguments])
        self.assertEqual(process.returncode, status,
                         f"{arguments}: {process.stdout}{process.stderr}")
        return process

    def picture(self, *arguments):
        """What `explain` prints, which must be fit for a browser."""
        picture = Picture(self.ctl("explain", *arguments).stdout)
        self.assertEqual(picture.findings, [], arguments)
        self.assertEqual(picture.policy, POLICY)
        self.assertTrue(picture.spans, arguments)
        return picture

    def methods(self):
        rows = json.loads(self.ctl("--json", "methods").stdout)["methods"]
        return {row["name"]: row["needs_template"] for row in rows}

    def home(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Home)
        server.heard = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def hostile_site(self, server, pages=6):
        folder = self.folder() / 'a"><script>x()<'
        address = f"http://127.0.0.1:{server.server_port}"
        code = CODE.format(home=address)
        folder.mkdir()
        for number in range(pages):
            (folder / f"p{number}.html").write_text(HOSTILE.format(
                code=code, home=address, number=number), "utf-8")
        return folder

    def browse(self, path):
        """The DOM of the page when its scripts and events had their time."""
        process = subprocess.run(
            [browser.PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={self.folder()}", "--proxy-server=127.0.0.1:9",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "--virtual-time-budget=3000", "--dump-dom", path.as_uri()],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=harness.PATIENCE_S, check=False)
        self.assertIn("</html>", process.stdout, process.stderr)
        return process.stdout

    def test_features_are_the_same_for_people_and_programs(self):
        rows = json.loads(self.ctl("--json", "features").stdout)["features"]
        lines = self.ctl("features").stdout.splitlines()[1:]
        self.assertEqual([row["name"] for row in rows],
                         [line.split()[0] for line in lines])
        self.assertEqual(len({row["name"] for row in rows}), len(rows))
        self.assertTrue(all(row["definition"] for row in rows))

    def test_a_method_keeps_in_the_picture_what_it_keeps_as_text(self):
        for name, needs_template in self.methods().items():
            if needs_template:
                continue
            for page in ("index.html", "community/index.html"):
                path = harness.SITE / page
                text = self.ctl("extract", "--method", name, path).stdout
                picture = self.picture("--method", name, path)
                self.assertEqual(picture.kept(), "".join(text.split()), name)

    def test_so_does_one_that_needs_a_template(self):
        site = self.folder() / "site"
        shutil.copytree(harness.SITE / "docs", site)
        page = sorted(site.rglob("*.html"))[0].relative_to(site)
        for name, needs_template in self.methods().items():
            if not needs_template:
                continue
            out = self.folder()
            self.ctl("batch", "--method", name, "--out", out, site)
            text = (out / page).with_suffix(".txt").read_text("utf-8")
            picture = self.picture("--method", name, "--site", site, page)
            self.assertEqual(picture.kept(), "".join(text.split()), name)
            self.assertTrue(any(" of " in title and " pages" in title
                                for _, title, _ in picture.spans), name)

    def test_df_draws_its_histogram_and_says_why(self):
        picture = self.picture("--method", "df", "--site", harness.SITE,
                               "categories/index.html")
        self.assertEqual(picture.titles,
                         ["Document frequency of the page's texts"])
        for classes, title, _ in picture.spans:
            self.assertIn("of the cluster's pages hold it", title)
            if "k" in classes:
                self.assertIn(", not over 33.3 %", title)

    def test_param_changes_what_is_kept(self):
        page = "categories/index.html"
        some = self.picture("--method", "df", "--site", harness.SITE, page)
        all_of_it = self.picture("--method", "df", "--param", "max_ratio=1",
                                 "--site", harness.SITE, harness.SITE / page)
        self.assertLess(len(some.kept()), len(all_of_it.kept()))
        out = self.folder()
        self.ctl("batch", "--method", "df", "--param", "max_ratio=1", "--out",
                 out, harness.SITE)
        text = (out / "categories" / "index.txt").read_text("utf-8")
        self.assertEqual(all_of_it.kept(), "".join(text.split()))

    def test_out_is_a_file(self):
        page = harness.SITE / "index.html"
        printed = self.ctl("explain", page).stdout
        for option in ("-o", "--out"):
            path = self.folder() / "new" / "why.html"
            self.assertEqual(self.ctl("explain", option, path, page).stdout, "")
            self.assertEqual(path.read_text("utf-8"), printed)
        folder = self.folder()
        self.ctl("extract", "--format", "explain", "--out", folder, page)
        self.assertEqual((folder / "index.explain.html").read_text("utf-8"),
                         printed)

    def test_a_page_alone_is_explained_in_place_of_df(self):
        page = harness.SITE / "index.html"
        process = self.ctl("explain", "--method", "df", page)
        self.assertIn("from the page only, by auto instead of df",
                      process.stdout)
        text = self.ctl("extract", "--method", "df+", page).stdout
        self.assertEqual(text, self.ctl("extract", page).stdout)

    def test_wrong_command_lines(self):
        page = harness.SITE / "index.html"
        for arguments in (("--method", "nonsense", page),
                          ("--method", "df", "--param", "x=1", page),
                          ("-o",), ("-x", "f", page), (page, page),
                          ("--site", harness.SITE, "http://h/"), ()):
            self.ctl("explain", *arguments, status=2)
        self.ctl("batch", "--param", "max_ratio=1", "--out", self.folder(),
                 harness.SITE, status=2)
        for arguments in (("--method", "sst", page), ("no-such-file",),
                          ("--site", harness.SITE, "no-such-page"),
                          ("--site", "no-such-folder", "index.html"),
                          ("-o", "/dev/null/x", page)):
            process = self.ctl("explain", *arguments, status=1)
            self.assertEqual(process.stdout, "")
            self.assertIn("templatectl: explain: ", process.stderr)
        self.ctl("explain", "-s", "/nonexistent", "http://h/", status=3)

    def test_the_daemon_explains_its_pages(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        url = web.url + "categories/"
        process = daemon.ctl("explain", "--method", "df", "--param",
                             "max_ratio=0.5", url)
        self.assertEqual(process.returncode, 0, process.stderr)
        picture = Picture(process.stdout)
        self.assertEqual(picture.findings, [])
        self.assertIn("not over 50 %", process.stdout)
        self.assertEqual(
            picture.kept(), "".join(daemon.text(
                url, method="df", param="max_ratio=0.5").split()))
        answer = daemon.get("/v1/text", url=url, format="explain")
        self.assertEqual(answer.type, "text/html; charset=utf-8")

    def test_a_hostile_page_is_text_in_every_method(self):
        site = self.hostile_site(self.home())
        for name, needs_template in self.methods().items():
            arguments = (["--site", site, "p1.html"] if needs_template
                         else [site / "p1.html"])
            picture = self.picture("--method", name, *arguments)
            texts = [text for _, _, text in picture.spans]
            self.assertTrue(any("</span><img src=x" in t for t in texts), name)

    @browser.needed
    def test_nothing_of_a_hostile_page_runs_in_a_browser(self):
        server = self.home()
        site = self.hostile_site(server)
        # Were there nothing to run, the rest would prove nothing.
        self.assertIn(MARK, self.browse(site / "p1.html"))
        for loaded in ("/ran", "/image", "/css", "/style", "/frame"):
            self.assertIn(loaded, server.heard)
        for name, arguments in (
                ("plain", [site / "p1.html"]),
                ("accb", [site / "p1.html"]),
                ("df", ["--site", site, "p1.html"])):
            path = self.folder() / "why.html"
            self.ctl("explain", "--method", name, "-o", path, *arguments)
            server.heard.clear()
            dom = self.browse(path)
            self.assertIn("leaves an attribute", dom)
            self.assertNotIn(MARK, dom)
            self.assertEqual(server.heard, [])


if __name__ == "__main__":
    harness.main()
