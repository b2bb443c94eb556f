"""Pages of a site that a browser renders during the crawl: which ones, what is
stored of them, and what changes report.
"""

import concurrent.futures
import os
import re
import signal
import subprocess
import time
import urllib.parse

import harness
import test_render
from test_render_daemon import (
    APP, BROWSER, HTML, REDESIGN, Rendered, SHELL, WORDS, data, shell)


class Crawled(Rendered):
    """A site whose pages only scripts write."""

    def site(self, names=("a", "b", "c", "d")):
        links = ["/" + name for name in names]
        pages = {"/app.js": ("text/javascript", APP),
                 "/": shell(), "/data/.json": data("Home", links)}
        for name in names:
            pages["/" + name] = shell(name)
            pages[f"/data/{name}.json"] = data(f"Page {name}")
        return self.serve(pages)

    def page(self, daemon, url):
        return daemon.json("/v1/pages", url=url)["page"]

    def test_auto_renders_pages_that_are_empty_without_scripts(self):
        server = self.site()
        daemon = self.daemon()
        site = daemon.crawl(server.url)
        self.assertEqual(site["render"], "auto")
        # the links are those that scripts have written
        self.assertEqual(site["pages"], 5, daemon.messages())
        text = daemon.text(server.url + "b", method="plain")
        self.assertIn("Page b 2", text)
        self.assertTrue(self.page(daemon, server.url + "b")["rendered"])
        # the bodies that are stored are those of the DOM
        copy = daemon.text(server.url + "b", format="copy")
        self.assertIn("Page b 3", copy)
        # it is visited again as it was: its data is loaded again
        server.pages["/data/b.json"] = data("Other b")
        text = daemon.text(server.url + "b", fetch="always", method="plain")
        self.assertIn("Other b 2", text)
        self.assertNotIn("Page b", text)
        daemon.stop()
        daemon.verify_store()

    def test_a_site_has_a_click_a_wait_and_a_scroll(self):
        server = self.site()
        server.pages["/app.js"] = ("text/javascript", APP + """
const more = put("button", "more");
more.onclick = () => setTimeout(() => {
    put("p", "Behind the button").id = "late"; }, 2000);
addEventListener("scroll", () => put("p", "At the end"));
put("div", "").style.height = "5000px";
""")
        daemon = self.daemon()
        daemon.crawl(server.url, max_pages=1, render_click="button",
                     render_wait="#late", render_scroll=True)
        text = daemon.text(server.url, method="plain")
        self.assertIn("Behind the button", text)
        self.assertIn("At the end", text)
        # other requests keep them, and an empty text removes them
        site = daemon.crawl(server.url, max_pages=1, render_wait="",
                            render_scroll=False)
        self.assertEqual((site["render_click"], site["render_wait"],
                          site["render_scroll"]), ("button", "", False))
        answer = daemon.post("/v1/sites", {"url": server.url,
                                           "render_click": "a["})
        error = self.error_of(answer, 400, "bad_request")
        self.assertIn("render_click: a bracket", error["message"])
        daemon.crawl(server.url, max_pages=1, render_click="")
        text = daemon.text(server.url, method="plain", fetch="always")
        self.assertNotIn("Behind the button", text)
        daemon.stop()
        daemon.verify_store()

    def test_never_and_always(self):
        server = self.site()
        server.pages["/plain"] = (HTML, "<title>P</title>" + "".join(
            f"<p>Paragraph {i}. {WORDS} {WORDS}</p>" for i in range(9)) +
            "<script>document.body.append('by a script')</script>")
        daemon = self.daemon()
        site = daemon.crawl(server.url, render="never", max_pages=1)
        self.assertEqual((site["render"], site["pages"]), ("never", 1))
        self.assertFalse(self.page(daemon, server.url)["rendered"])
        self.assertEqual(server.count("/app.js"), 0)
        self.assertFalse(daemon.processes_of("renderer"))
        # a client may want one page rendered
        text = daemon.text(server.url, render=1, method="plain")
        self.assertIn("Home 1", text)
        self.assertTrue(self.page(daemon, server.url)["rendered"])
        # by default a page with text is not rendered
        daemon.watch(server.url, render="auto", max_pages=1)
        text = daemon.text(server.url + "plain", fetch="always",
                           method="plain")
        self.assertNotIn("by a script", text)
        daemon.watch(server.url, render="always", max_pages=1)
        text = daemon.text(server.url + "plain", fetch="always",
                           method="plain")
        self.assertIn("by a script", text)

    def test_rendered_and_raw_pages_are_in_different_clusters(self):
        """The same markup, once from scripts and once not."""
        server = self.site()
        body = ("<div id=root><h1>Page {0}</h1>" + "".join(
            f"<p>Page {{0}} {i}: {WORDS}</p>" for i in range(4)) + "</div>")
        for name in ("x", "y", "z"):
            server.pages["/" + name] = (HTML, SHELL.format(
                title=name).replace('<div id=root></div>', body.format(name))
                .replace("<script src=/app.js defer></script>", ""))
        server.pages["/data/.json"] = data("Home", [
            "/" + name for name in "abcdxyz"])
        daemon = self.daemon()
        site = daemon.crawl(server.url)
        self.assertEqual(site["pages"], 8, daemon.messages())
        kinds = [{self.page(daemon, url)["rendered"]
                  for url in daemon.pages(row["id"])}
                 for row in daemon.clusters(server.host)]
        self.assertTrue(all(len(kind) == 1 for kind in kinds), kinds)
        self.assertEqual(sorted(map(tuple, kinds))[0], (False,))

    def test_a_page_that_cannot_be_rendered_has_a_reason(self):
        server = self.site()
        server.pages["/b"] = (HTML, SHELL.format(title="b") +
                              "<script>for (;;);</script>")
        daemon = self.daemon(timeout="10 s")
        daemon.watch(server.url)
        harness.wait_until(
            lambda: "not rendered: the page took longer" in daemon.messages(),
            "the reason")
        # it is stored as it is, and may be rendered at the next visit
        self.assertEqual(daemon.wait_for(server.host)["pages"], 5)
        self.assertFalse(self.page(daemon, server.url + "b")["rendered"])
        self.assertTrue(self.page(daemon, server.url + "a")["rendered"])
        server.pages["/b"] = shell("b")
        text = daemon.text(server.url + "b", fetch="always", method="plain")
        self.assertIn("Page b 2", text)

    def test_a_failed_request_to_render_changes_nothing(self):
        server = self.site()

        def plain(word):
            return HTML, "<title>P</title>" + "".join(
                f"<p>{word} {i}. {WORDS} {WORDS}</p>" for i in range(9)) + \
                "<script>for (;;);</script>"
        server.pages["/plain"] = plain("First")
        daemon = self.daemon(timeout="5 s")
        daemon.crawl(server.url, max_pages=1)
        url = server.url + "plain"
        self.assertIn("First 1", daemon.text(url, fetch="missing",
                                             method="plain"))
        answer = daemon.get("/v1/text", url=url, render=1)
        # the next visit is soon here, and may hide the error (502)
        self.assertIn(answer.status, (502, 504), answer.text)
        self.assertIn("not rendered", daemon.messages())
        server.pages["/plain"] = plain("Second")
        self.assertIn("Second 1", daemon.text(url, fetch="always",
                                              method="plain"))

    def test_without_a_browser_rendered_pages_are_kept(self):
        server = self.site()
        daemon = self.daemon()
        daemon.crawl(server.url)
        daemon.stop()
        daemon.configure({"render": {"browser": None, "timeout": None}})
        daemon.start()
        url = server.url + "b"
        for _ in range(2):
            seen = server.count("/b")
            answer = daemon.get("/v1/text", url=url, fetch="always")
            self.error_of(answer, 502, "not_rendered")
            harness.wait_until(lambda n=seen: server.count("/b") > n,
                               "the visit")
        self.assertIn("Page b 2", daemon.text(url, method="plain"))
        self.assertTrue(self.page(daemon, url)["rendered"])
        # with `never`, only a page with text replaces it
        daemon.watch(server.url, render="never")
        answer = daemon.get("/v1/text", url=url, fetch="always")
        self.error_of(answer, 502, "not_rendered")
        server.pages["/b"] = (HTML, "<title>B</title>" + "".join(
            f"<p>Raw {i}. {WORDS} {WORDS}</p>" for i in range(9)))
        self.assertIn("Raw 1", daemon.text(url, fetch="always",
                                           method="plain"))

    def test_shells_that_do_not_change_are_rendered_later(self):
        server = self.site()
        for name in "ab":
            server.pages["/" + name] = (*shell(name), 200, {"ETag": '"1"'})
        server.pages["/plain"] = (HTML, "<title>P</title>" + "".join(
            f"<p>Paragraph {i}. {WORDS} {WORDS}</p>" for i in range(9)) +
            "<script>document.body.append('by a script')</script>",
            200, {"ETag": '"1"'})
        daemon = super().daemon()
        daemon.crawl(server.url, max_pages=1)
        for name in ("a", "b", "plain"):
            daemon.text(server.url + name, fetch="missing")
        daemon.stop()
        daemon.configure({"render": {"browser": BROWSER, "timeout": "20 s"}})
        daemon.start()
        text = daemon.text(server.url + "a", fetch="always", method="plain")
        self.assertIn("Page a 2", text)
        text = daemon.text(server.url + "plain", fetch="always",
                           method="plain")
        self.assertNotIn("by a script", text)
        daemon.watch(server.url, render="always", max_pages=1)
        text = daemon.text(server.url + "plain", fetch="always",
                           method="plain")
        self.assertIn("by a script", text)

    def test_without_a_browser_that_starts_pages_are_stored_as_they_are(self):
        server = self.site()
        daemon = super().daemon(browser="/nonexistent")
        site = daemon.crawl(server.url)
        self.assertEqual(site["pages"], 1)
        self.assertFalse(self.page(daemon, server.url)["rendered"])
        self.assertIn("install the package chromium", daemon.messages())

    def test_a_script_that_leaves_the_page_is_a_redirect(self):
        server = self.site()
        server.pages["/data/.json"] = data("Home", ["/old"])
        server.pages["/old"] = (HTML, SHELL.format(title="o").replace(
            "/app.js", "/leave.js"))
        server.pages["/leave.js"] = ("text/javascript",
                                     "location.replace('/a')")
        daemon = self.daemon()
        daemon.crawl(server.url)
        page = self.page(daemon, server.url + "old")
        self.assertEqual(page["redirect"], server.url + "a")
        # on a busy machine, a page may look complete before its data arrives
        harness.wait_until(
            lambda: "Page a 1" in daemon.text(server.url + "a", method="plain",
                                              fetch="always"), "the text")

    def test_kills_during_a_crawl_lose_nothing(self):
        names = [f"p{i}" for i in range(8)]
        server = self.site(names)
        daemon = self.daemon()
        daemon.watch(server.url)
        for i in range(3):
            harness.wait_until(
                lambda i=i: len([path for path in server.log
                                 if path.startswith("/data/")]) > 2 * i
                and daemon.processes_of("renderer"), "a renderer")
            victims = (daemon.processes_of("renderer") if i % 2
                       else self.our_browsers(daemon))
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.assertEqual(daemon.wait_for(server.host)["pages"],
                         len(names) + 1, daemon.messages())
        daemon.stop()
        daemon.verify_store()

    def test_the_tool_renders(self):
        server = self.site(names=("a",))
        daemon = self.daemon()
        daemon.crawl(server.url, render="never", max_pages=1)
        file = self.folder() / "a.html"
        file.write_text(server.pages["/a"][1])
        done = daemon.ctl("extract", "--render", "--method", "plain", "--url",
                          server.url + "a", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Page a 1", done.stdout)
        self.assertFalse(self.page(daemon, server.url + "a"))
        done = daemon.ctl("text", server.url + "a", "--render", "--method",
                          "plain")
        self.assertIn("Page a 1", done.stdout, done.stderr)
        self.assertTrue(self.page(daemon, server.url + "a")["rendered"])
        done = daemon.ctl("extract", "--render", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn("add --url", done.stderr)

    def test_credentials_go_only_to_the_origin_of_the_site(self):
        """A proxy stands for two hosts, as no test leaves loopback."""
        home, other = "http://shop.test/", "http://other.test/x.json"
        server = self.serve({
            home: shell(), home + "data/.json": data("Home"),
            home + "app.js": ("text/javascript", APP + f"""
fetch("{other}").catch(() => 0);"""),
            other: ("application/json", "{}")})
        daemon = self.daemon({"crawl": {"proxy": server.url,
                                        "proxy_trusted": "yes"}})
        daemon.crawl(home, headers={"X-Key": "secret"})
        sent = dict(server.headers)
        self.assertEqual(sent[home + "app.js"].get("X-Key"), "secret")
        self.assertEqual(sent[home + "data/.json"].get("X-Key"), "secret")
        self.assertNotIn("X-Key", sent[other])
        for headers in sent.values():
            self.assertTrue(headers["User-Agent"].startswith("templated/"))

    def test_frames_of_other_origins_do_not_get_the_credentials(self):
        """Their origin is opaque: other hosts of loopback are not loaded."""
        server = self.site(names=())
        frame = f"""<script>
fetch("{server.url}stolen.json").then((r) => r.text()).catch(() => 0);
</script><script src={server.url}stolen.js></script>
<iframe src={server.url}stolen></iframe>"""
        for name in ("stolen", "stolen.js", "stolen.json", "boxed.json"):
            server.pages["/" + name] = ("text/plain", "{}", 200, {
                "Access-Control-Allow-Origin": "*"})
        server.pages["/boxed"] = (HTML, """<script>
fetch("/boxed.json").then((r) => r.text()).catch(() => 0);</script>""")
        server.pages["/app.js"] = ("text/javascript", APP + f"""
for (const url of ["data:text/html,{urllib.parse.quote(frame)}", "/boxed"]) {{
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.src = url;
    document.body.append(frame);
}}""")
        daemon = self.daemon()
        # the header of the site replaces that of the browser
        daemon.crawl(server.url, headers={"X-Key": "secret",
                                          "Accept": "text/x-own"})
        sent = dict(server.headers)
        for path in ("/app.js", "/data/.json", "/boxed"):
            self.assertEqual(sent[path].get("X-Key"), "secret")
            self.assertEqual(sent[path].get("Accept"), "text/x-own")
        for path in ("/stolen", "/stolen.js", "/stolen.json", "/boxed.json"):
            self.assertIn(path, sent, daemon.messages())
            self.assertNotIn("X-Key", sent[path])

    def test_a_page_of_a_client_gets_no_file_fetched_with_credentials(self):
        server = self.site(names=())
        server.pages["/app.js"] = ("text/javascript", APP, 200, {
            "Cache-Control": "max-age=3600"})
        daemon = self.daemon()
        daemon.crawl(server.url, headers={"X-Key": "secret"})
        for _ in range(2):
            self.render(daemon, server.url + "a", SHELL.format(title="A"))
        keys = [headers.get("X-Key") for path, headers in server.headers
                if path == "/app.js"]
        self.assertEqual(keys, ["secret", None])

    def test_files_of_a_site_are_fetched_once(self):
        server = self.site()
        kind, script = server.pages["/app.js"]
        server.pages["/app.js"] = (kind, script, 200, {
            "Cache-Control": "max-age=3600"})
        for name in "abcd":
            server.pages["/" + name] = (HTML, SHELL.format(title=name).replace(
                "</head>", "<script src=/more.js defer></script></head>"))
        server.pages["/more.js"] = (kind, "const more = 1;", 200,
                                    {"ETag": '"1"', "Cache-Control":
                                     "no-cache"})
        daemon = self.daemon()
        self.assertEqual(daemon.crawl(server.url)["pages"], 5)
        self.assertEqual(server.count("/app.js"), 1)
        tags = [headers.get("If-None-Match")
                for path, headers in server.headers if path == "/more.js"]
        self.assertEqual(tags, [None] + 3 * ['"1"'])

    def test_an_archive_of_the_crawl_gives_the_same_page(self):
        server = self.site(["a"])
        server.pages["/app.js"] = ("text/javascript", APP + """
setTimeout(() => document.body.append(
    ["made", Date.now(), Math.random()].join(" ")), 100);""")
        folder = self.folder()
        harness.give(folder)
        daemon = self.daemon({"crawl": {"warc_dir": folder}})
        daemon.crawl(server.url)
        made = re.search(r"made \d+ \S+",
                         daemon.text(server.url + "a", method="plain"))[0]
        daemon.stop()
        server.pages.clear()
        archive, = folder.glob("*.warc.gz")
        done = subprocess.run(
            [test_render.CTL, "render", "--browser", BROWSER, "--archive",
             archive, server.url + "a"], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        self.assertIn(made, done.stdout, done.stderr)

    def picture(self, daemon, path):
        answer = daemon.get(path)
        self.assertEqual(answer.status, 200, (answer.body, daemon.messages()))
        self.assertEqual(answer.headers["content-type"], "image/webp")
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertIn("default-src 'none'; sandbox",
                      answer.headers["content-security-policy"])
        self.assertEqual(answer.body[:4], b"RIFF")
        return answer.body

    def incidents(self, daemon):
        return daemon.json("/v1/incidents")["incidents"]

    def test_a_redesign_has_screenshots_of_before_and_after(self):
        server = self.site()
        daemon = self.daemon({"watch": {"check_interval": "1 s",
                                        "gather": "1 s"}}, screenshots="yes")
        daemon.crawl(server.url, revisit_interval_s=0)
        cluster = self.page(daemon, server.url + "a")["cluster"]
        host, number = cluster.split("/")
        path = f"/v1/sites/{host}/templates/{number}/screenshot"
        before = self.picture(daemon, path)
        answer = daemon.post(f"/v1/sites/{host}/guards", {"css": "h1"})
        self.assertEqual(answer.status, 201, answer.text)
        server.pages["/app.js"] = ("text/javascript", REDESIGN)
        for name in "abcd":
            daemon.text(server.url + name, fetch="always", method="plain")
        row = harness.wait_until(
            lambda: [row for row in self.incidents(daemon) if row["alert"]
                     and daemon.json(f"/v1/incidents/{row['id']}")
                     ["screenshots"]], "an incident with screenshots", 90)[0]
        path = f"/v1/incidents/{row['id']}/screenshots/"
        pictures = [self.picture(daemon, path + side)
                    for side in ("before", "after")]
        self.assertNotEqual(*pictures)
        self.error_of(daemon.get("/v1/incidents/99999/screenshots/after"), 404)
        daemon.stop()
        daemon.verify_store()

    def test_a_stop_while_a_page_is_rendered_loses_nothing(self):
        server = self.site()
        server.pages["/b"] = (HTML, SHELL.format(title="b") +
                              "<script>for (;;);</script>")
        daemon = self.daemon(timeout="60 s")
        daemon.watch(server.url)
        harness.wait_until(lambda: server.count("/b") > 0, "the page")
        begin = time.monotonic()
        daemon.stop()
        self.assertLess(time.monotonic() - begin, 30)
        daemon.verify_store()
        server.pages["/b"] = shell("b")
        daemon.start()
        self.assertEqual(daemon.wait_for(server.host)["pages"], 5)


WORD_LIST = ("lock canal barge water tide morning crew rope bridge market "
             "fish bread winter river stone tower letter evening").split()


def sentences(name, count):
    """Text of its own for each page."""
    return " ".join(
        f"{name}{i} " + " ".join(WORD_LIST[(i * 7 + j * 5) % len(WORD_LIST)]
                                 for j in range(11)) + "."
        for i in range(count))


ARTICLE = """<!doctype html><html lang=en><head><title>{name} - News</title>
<script src=/{script} defer></script></head><body class=article>
<header><a href=/>The News</a></header>
<nav><ul><li><a href=/>Home</a><li><a href=/a0>First</a></ul></nav>
<main><article id=article><h1>About {name}</h1>
<p class=teaser>{teaser}</p>{body}</article></main>
<footer><p>Printed by The News, all rights reserved</p></footer></body></html>
"""
FILL = """
fetch("/data" + location.pathname + ".txt").then((r) => r.text())
    .then((text) => {
        for (const part of text.split("\\n")) {
            const p = document.createElement("p");
            p.textContent = part;
            document.getElementById("article").append(p);
        }
    });
"""
CLOCK = """
const clock = document.createElement("p");
clock.textContent = "It is " + new Date().toLocaleTimeString();
document.querySelector("header").append(clock);
const box = document.createElement("aside");
box.innerHTML = "<h2>Weather</h2><p>Sunny and warm, with some clouds.</p>";
document.querySelector("footer").before(box);
"""


class Decided(Rendered):
    """Templates decide whether their pages are rendered."""

    COUNT = 12

    def site(self, script, is_whole):
        self.pages = {"/fill.js": ("text/javascript", FILL),
                      "/clock.js": ("text/javascript", CLOCK)}
        self.script, self.is_whole = script, is_whole
        names = [f"a{i}" for i in range(self.COUNT)]
        for name in names:
            self.add(name)
        self.home(names)
        return self.serve(self.pages)

    def home(self, names):
        self.pages["/"] = (HTML, "<title>News</title><body class=home><ul>" +
                           "".join(f"<li><a href=/{name}>{name}</a>"
                                   for name in names) + "</ul>")

    def add(self, name):
        text = "\n".join(sentences(name + part, 4) for part in "xyz")
        body = "".join(f"<p>{part}</p>" for part in text.split("\n"))
        self.pages["/" + name] = (HTML, ARTICLE.format(
            name=name, script=self.script, teaser=sentences(name, 1),
            body=body if self.is_whole else ""))
        self.pages[f"/data/{name}.txt"] = ("text/plain", text)

    def rendered(self, daemon, template):
        answer = daemon.json(f"/v1/sites/{template.replace('/', '/templates/')}"
                             "/pages")
        return sorted(page["url"] for page in answer["pages"]
                      if page["rendered"])

    def template(self, daemon, server):
        return next(row for row in daemon.clusters(server.host)
                    if row["pages"] >= self.COUNT)

    def wait_for_decision(self, daemon, server, decision):
        def look():
            return next((row for row in daemon.clusters(server.host)
                         if row["render"]["decision"] == decision
                         and "words_new" in row["render"]), None)
        return harness.wait_until(look, f"the decision {decision}", 60)

    def alerts(self, daemon):
        answer = daemon.get("/v1/events", limit=1000).text
        return [event["kind"] for event in map(
            harness.json.loads, answer.splitlines()) if event["alert"]]

    def test_a_template_whose_text_comes_by_scripts_is_rendered(self):
        server = self.site("fill.js", is_whole=False)
        daemon = self.daemon(timeout="12 s")
        daemon.crawl(server.url, check_interval_s=2)
        number = self.wait_for_decision(daemon, server, "yes")["id"]
        # a kill while the other pages are rendered loses nothing
        daemon.kill()
        daemon.start()
        harness.wait_until(
            lambda: len(self.rendered(daemon, number)) == self.COUNT,
            "the rendered pages")
        row = self.template(daemon, server)
        self.assertEqual(row["id"], number)
        self.assertGreater(row["render"]["words_new"], 100)
        self.assertIn("a5z3", daemon.text(server.url + "a5"))
        # a new page is rendered at its first visit
        self.add("b1")
        self.assertIn("b1z3", daemon.text(server.url + "b1", fetch="missing"))
        self.assertEqual(server.count("/b1"), 1)
        self.assertEqual(len(self.rendered(daemon, number)), self.COUNT + 1)
        self.assertEqual(
            daemon.messages().count("its pages are rendered"), 1)
        done = daemon.ctl("template", "list", server.host)
        self.assertRegex(done.stdout, rf"{number} +13 +yes +yes ")
        # a page that takes too long is tried again
        self.add("b2")
        kind, page = self.pages["/b2"]
        self.pages["/b2"] = kind, page + "<script>for (;;);</script>"
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(daemon.get, "/v1/text", url=server.url + "b2",
                        fetch="missing")
            harness.wait_until(
                lambda: "b2: not rendered" in daemon.messages(), "the message")
            self.pages["/b2"] = kind, page
        harness.wait_until(
            lambda: len(self.rendered(daemon, number)) == self.COUNT + 2,
            "the rendered page")
        # the watcher checks the rendered pages, and finds no change
        begin = server.count("/a3")
        harness.wait_until(lambda: server.count("/a3") > begin + 1,
                           "two rounds of checks", 60)
        self.assertEqual(self.alerts(daemon), [])
        daemon.stop()
        daemon.verify_store()

    def test_a_template_whose_text_is_printed_is_not_rendered(self):
        server = self.site("clock.js", is_whole=True)
        daemon = self.daemon()
        daemon.crawl(server.url)
        row = self.wait_for_decision(daemon, server, "no")
        self.assertEqual(row["pages"], self.COUNT)
        self.assertLess(row["render"]["words_new"], 30)
        time.sleep(1)
        self.assertEqual(server.count("/clock.js"), 1)
        self.assertEqual(self.rendered(daemon, row["id"]), [])
        daemon.stop()
        daemon.verify_store()


if __name__ == "__main__":
    harness.main()
