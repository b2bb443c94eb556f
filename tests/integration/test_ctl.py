"""templatectl: exit statuses, JSON for programs, tables for people."""

import collections
import http.server
import json
import os
import pathlib
import re
import shutil
import socketserver
import subprocess
import threading
import urllib.parse
import xml.etree.ElementTree

import harness

CTL = harness.PROGRAMS / "templatectl"


def children(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    try:
        return [int(child) for child in path.read_text("ascii").split()]
    except OSError:
        return []


# The sanitizers go without the filter of system calls.
SECCOMP = "0" if os.environ.get("SANITIZER") else "2"


def is_fetcher_closed_in(pid):
    """Whether there is the fetcher that the spawner has started, with the
    filter."""
    for child in [c for spawner in children(pid) for c in children(spawner)]:
        folder = pathlib.Path(f"/proc/{child}")
        try:
            if b"\0fetcher\0" not in (folder / "cmdline").read_bytes():
                continue
            status = (folder / "status").read_text("ascii")
        except OSError:
            continue
        mode = re.search(r"^Seccomp:\s*(\d)", status, re.M).group(1)
        if mode == SECCOMP:
            return True
    return False


class Torn(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """A node of a cluster with many sites, of which another one is missing."""

    daemon_threads = True
    hosts = [f"site{i:04}.example" for i in range(1203)]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            words = urllib.parse.parse_qs(
                urllib.parse.urlsplit(self.path).query)
            limit = int(words.get("limit", ["9999"])[0])
            after = words.get("after", [""])[0]
            rows = [host for host in Torn.hosts if host > after]
            answer = {"sites": [{"host": host} for host in rows[:limit]]}
            if len(rows) > limit:
                answer["next"] = rows[limit - 1]
            self.server.asked.append(limit)
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Templated-Missing", "b, c")
            self.send_header("X-Templated-Stale", "true")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    def __init__(self, path):
        super().__init__(str(path), Torn.Handler)
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Ctl(harness.Case):
    def done(self, process, status=0):
        self.assertEqual(process.returncode, status,
                         process.stdout + process.stderr)
        return process.stdout

    def test_usage_is_2(self):
        for arguments in (("nonsense",), ("text",), ("--nonsense",),
                          ("watch", "--threshold", "7", "http://x/"),
                          ("template", "list", "not a host/"), ("text", "a", "b")):
            with self.subTest(arguments=arguments):
                process = harness.run([CTL, *arguments])
                self.done(process, 2)
                self.assertEqual(process.stdout, "")
                self.assertIn("templatectl", process.stderr)

    def test_who_slips_is_told_what_was_meant(self):
        for arguments, meant in ((("wacth",), "did you mean watch?"),
                                 (("watch", "--max-page=3", "http://x/"),
                                  "did you mean --max-pages?"),
                                 (("--sokcet",), "did you mean --socket?"),
                                 (("site", "show", "--remove", "x"),
                                  "unknown option; see templatectl site --help")):
            with self.subTest(arguments=arguments):
                process = harness.run([CTL, *arguments])
                self.done(process, 2)
                self.assertIn(meant, process.stderr)

    def test_an_option_of_another_action_is_rejected(self):
        for arguments, named in (
                (("site", "rm", "--batch", "3", "a.example"),
                 "--batch: unknown option of site rm;"),
                (("site", "--svg=x", "report", "a.example"),
                 "--svg: unknown option of site report;"),
                (("guard", "show", "a.example", "1", "--css", "h1"),
                 "--css: unknown option of guard show;"),
                (("template", "list", "--limit", "3", "a.example"),
                 "--limit: unknown option of template list;"),
                (("partition", "list", "--store", "x", "--force"),
                 "--force: unknown option of partition list;")):
            with self.subTest(arguments=arguments):
                process = harness.run(
                    [CTL, "-s", "/nonexistent/socket", *arguments])
                self.done(process, 2)
                self.assertEqual(process.stdout, "")
                self.assertIn(named, process.stderr)

    def test_usage_is_that_of_the_action(self):
        for arguments, told in (
                (("site",), "too few operands; usage: templatectl site list"),
                (("site", "lst"), "lst: unknown action; did you mean list?"),
                (("site", "show"),
                 "too few operands; usage: templatectl site show HOST\n"),
                (("site", "rm", "a", "b"),
                 "too many operands; usage: templatectl site rm HOST\n")):
            with self.subTest(arguments=arguments):
                process = harness.run([CTL, *arguments])
                self.done(process, 2)
                self.assertIn(told, process.stderr)
        text = self.done(harness.run([CTL, "site", "import", "--help"]))
        self.assertIn("--async", text)
        self.assertNotIn("thresholds HOST", text)

    def test_help_has_each_verb_once_in_80_columns(self):
        table = json.loads(self.done(harness.run([CTL, "completion", "table"])))
        text = self.done(harness.run([CTL, "--help"]))
        for group in table["groups"]:
            self.assertIn(f"\n{group['title']}:\n", text)
            for verb in group["verbs"]:
                self.assertEqual(text.count(f"\n  {verb['name']} "), 1)
                self.look_at_help_of(verb)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def look_at_help_of(self, verb):
        text = self.done(harness.run([CTL, verb["name"], "--help"]))
        for option in verb["options"]:
            self.assertRegex(text, f"(?m)^  (-., )?--{option['name']} ")
        self.assertLessEqual(max(len(line) for line in text.splitlines()
                                 if "templatectl [-s" not in line), 80)

    def test_no_daemon_is_3(self):
        for arguments in (("site", "list"), ("status",), ("verify",),
                          ("event", "list"),
                          ("text", "http://127.0.0.1/"),
                          ("watch", "http://127.0.0.1/")):
            with self.subTest(arguments=arguments):
                process = harness.run(
                    [CTL, "-s", "/nonexistent/socket", *arguments])
                self.done(process, 3)
                self.assertIn("/nonexistent/socket", process.stderr)

    def test_failure_is_1(self):
        daemon = self.daemon()
        for arguments in (("site", "show", "nobody.example"),
                          ("template", "list", "nobody.example"),
                          ("text", "http://nobody.example/"),
                          ("template", "show", "nobody.example/1")):
            with self.subTest(arguments=arguments):
                process = daemon.ctl(*arguments)
                self.done(process, 1)
                self.assertIn("templatectl", process.stderr)
        self.done(harness.run([CTL, "extract", "/nonexistent.html"]), 1)
        self.done(harness.run([CTL, "verify", "--store", "/nonexistent"]), 1)

    def test_help_is_0(self):
        self.assertIn("watch", self.done(harness.run([CTL, "--help"])))
        self.assertIn("--wait", self.done(harness.run([CTL, "watch",
                                                       "--help"])))
        self.assertRegex(self.done(harness.run([CTL, "--version"])),
                         r"^templatectl \d")

    def test_verbs_over_a_crawled_site(self):
        web = self.web()
        daemon = self.daemon()
        site = json.loads(self.done(
            daemon.ctl("--json", "watch", web.url, "--wait")))
        self.assertEqual(site["state"], "watching")
        self.assertEqual(site["pages"], 69)
        self.assertFalse(json.loads(self.done(daemon.ctl(
            "--json", "watch", web.url, "--soft-404-probe", "no")))
                         ["soft_404_probe"])
        for arguments, member in ((("site", "list"), "sites"),
                                  (("site", "show", web.host), "host"),
                                  (("template", "list", web.host), "templates"),
                                  (("template", "show", web.host + "/1"),
                                   "fragments"),
                                  (("template", "pages", web.host + "/1"), "pages"),
                                  (("text", web.url), "text"),
                                  (("status",), "version"),
                                  (("verify",), "problems")):
            with self.subTest(arguments=arguments):
                answer = json.loads(self.done(
                    daemon.ctl("--json", *arguments)))
                self.assertIn(member, answer)
                self.assertTrue(self.done(daemon.ctl(*arguments)).strip())
        table = self.done(daemon.ctl("template", "list", web.host)).splitlines()
        self.assertEqual(table[0].split()[:2], ["NAME", "TEMPLATE"])
        self.assertEqual(len(table) - 1, site["templates"])
        one = web.host + "/1"
        self.done(daemon.ctl("template", "rename", one, "First  page"))
        shown = json.loads(self.done(daemon.ctl(
            "--json", "template", "show", web.host + "/First page")))
        self.assertEqual((shown["name"], shown["id"]), ("First page", one))
        self.done(daemon.ctl("template", "show", web.host + "/No page"), 1)
        events = self.done(daemon.ctl(
            "--json", "event", "list", "--kinds", "page.added"))
        self.assertGreaterEqual(
            len([json.loads(line) for line in events.splitlines()]), 69)
        pages = [web.url + path for path in ("docs/none/", "docs/faq/")]
        self.done(daemon.ctl("text", pages[1]))
        forgotten = daemon.ctl("page", "rm", *pages)  # one of them is not there
        self.done(forgotten, 1)
        self.assertIn("docs/none/", forgotten.stderr)
        self.done(daemon.ctl("text", pages[1]), 1)
        self.done(daemon.ctl("verify"))
        self.done(daemon.ctl("site", "rm", web.host))
        self.done(daemon.ctl("site", "show", web.host), 1)

    def test_seed_goes_on_where_it_was(self):
        daemon = self.daemon()
        closed = [harness.free_port() for _ in range(3)]
        seeds = self.folder() / "seeds"
        seeds.write_text(
            f"http://127.0.0.1:{closed[0]}/\n# a remark\n\nno address at all\n"
            f'{{"url": "http://127.0.0.1:{closed[1]}/", "max_pages": 3}}\n'
            f"http://127.0.0.1:{closed[2]}/\n", "utf-8")
        place = seeds.with_name("seeds.seeded")
        place.write_text(f"1 {len(seeds.read_text().splitlines()[0]) + 1}\n")
        process = daemon.ctl("--json", "site", "import", str(seeds))
        self.done(process, 4)
        self.assertIn("line 4", process.stderr)
        self.assertEqual(json.loads(process.stdout), {
            "lines": 6, "taken": 2, "known": 0, "wrong": 1})
        self.assertFalse(place.exists())
        sites = {site["host"]: site
                 for site in daemon.json("/v1/sites")["sites"]}
        self.assertEqual(set(sites), {f"127.0.0.1:{port}"
                                      for port in closed[1:]})
        self.assertEqual(sites[f"127.0.0.1:{closed[1]}"]["max_pages"], 3)
        process = daemon.ctl("site", "import", "--async", str(seeds))
        self.done(process, 1)
        self.assertIn("node group", process.stderr)

    def test_extract_reads_standard_input(self):
        process = harness.subprocess.run(
            [str(CTL), "extract", "--method", "plain", "-"],
            input=b"<title>T</title><p>Hello, <b>world</b>.</p>",
            capture_output=True, timeout=harness.PATIENCE_S, check=True)
        self.assertEqual(process.stdout.decode().split(),
                         ["Hello,", "world."])

    def test_extract_takes_flags(self):
        page = self.folder() / "page.html"
        page.write_text(
            "<body><nav>Menu</nav><article><p>The first text.</p>"
            "<p class=note>A note.</p></article><div class=comments>"
            "<p>So true!</p></div>", "utf-8")

        def words(*arguments):
            return self.done(harness.run(
                [CTL, "extract", "--method", "fe", *arguments, page])).split()
        chosen = words()
        self.assertNotIn("Menu", chosen)
        self.assertIn("Menu", words("--include", "nav"))
        self.assertEqual(
            words("--include", "nav", "--include", "p", "--exclude",
                  ".note, article"), ["Menu", "So", "true!"])
        self.assertIn("true!", words("--with", "comments"))
        for arguments in (("--include", "p:"), ("--favor", "recall"),
                          ("--scope", "body"), ("--with", "adverts"),
                          ("--exclude", "")):
            with self.subTest(arguments=arguments):
                process = harness.run([CTL, "extract", "--method", "fe",
                                       *arguments, page])
                self.done(process, 2)
                self.assertEqual(process.stdout, "")

    def test_a_scope_is_the_post_or_all_of_the_page(self):
        page = harness.ROOT / "tests" / "data" / "thread.html"
        answer = "Does it work with rye, too?"

        def text(*arguments):
            return self.done(harness.run([CTL, "extract", *arguments, page]))
        body, whole = text("--scope", "body"), text("--scope", "page")
        for some in (body, whole):
            self.assertIn("the loaves are light again", some)
            self.assertNotIn("donated hardware", some)
        self.assertNotIn(answer, body)
        self.assertIn(answer, whole)
        self.assertIn(answer, text("--scope", "body", "--with", "comments"))
        self.assertLess(len(text("--scope", "page", "--favor", "precision")),
                        len(whole))
        process = harness.run([CTL, "extract", "--scope", "site", page])
        self.done(process, 2)
        self.assertIn("body|page", process.stderr)

    def test_links_are_absolute_where_the_address_is_known(self):
        page = self.folder() / "page.html"
        page.write_text("<p>See <a href='../b.html#c'>this</a>", "utf-8")
        link = self.done(harness.run(
            [CTL, "extract", "--method", "plain", "--format", "html", "--url",
             "http://site.example/x/a.html", page]))
        self.assertIn('href="http://site.example/b.html#c"', link)
        link = self.done(harness.run([CTL, "extract", "--method", "plain",
                                      "--format", "html", page]))
        self.assertIn('href="../b.html#c"', link)

    @harness.of_one_thread
    def test_pages_of_the_web_come_through_the_sandbox(self):
        """The second page waits for a second: time to look at the fetcher."""
        web = self.web()
        urls = [web.url + name for name in ("docs/faq/", "docs/none/")]
        process = subprocess.Popen([CTL, "extract", "--method", "plain",
                                    *urls], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        harness.wait_until(lambda: is_fetcher_closed_in(process.pid),
                           "the sandbox of the fetcher")
        out, _ = process.communicate(timeout=20)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(process.returncode, 0)
        self.assertEqual([line["file"] for line in lines], urls)
        self.assertIn("RocketMQ", lines[0]["text"])
        self.assertIn("404", lines[1]["error"])

    def test_batch_mirrors_the_folder(self):
        out = self.folder() / "out"
        self.done(harness.run([CTL, "batch", harness.SITE, "--out", out]))
        made = {str(p.relative_to(out)) for p in out.rglob("*")
                if p.is_file()}
        wanted = {str(p.relative_to(harness.SITE))[:-len(".html")] + ".txt"
                  for p in harness.SITE.rglob("*.html")}
        self.assertEqual(made, wanted)

    def test_cluster_agrees_with_the_labels(self):
        kinds = harness.labels()
        del kinds["index.html"]  # the home page is a cluster of its own
        clusters = {}
        for line in self.done(harness.run([CTL, "cluster",
                                           harness.SITE])).splitlines():
            path, cluster = line.split("\t")
            clusters.setdefault(cluster, set()).add(kinds.get(path))
        names = self.done(harness.run([CTL, "cluster", "--names",
                                       harness.SITE])).splitlines()
        self.assertEqual(names[0].split(),
                         ["NAME", "CLUSTER", "PAGES", "EXAMPLE"])
        self.assertEqual(len(names) - 1, len(clusters))
        found = sorted(kind for kinds in clusters.values()
                       for kind in kinds if kind)
        self.assertEqual(found, ["archive", "document", "landing", "post"])

    def cluster(self, *arguments):
        return json.loads(self.done(harness.run(
            [CTL, "--json", "cluster", *arguments, harness.SITE])))

    @harness.of_one_thread
    def test_report_agrees_with_the_clusters(self):
        """Each cut is what clustering at its threshold gives."""
        report = self.cluster("--report")["report"]
        self.assertEqual(report["pages"], 74)
        self.assertEqual(report["sizable_pages"], 3)
        self.assertEqual(sum(report["histogram"]["pairs"]), 74 * 73 // 2)
        for cut in [*report["thresholds"], *report["curve"][::20]]:
            with self.subTest(cut=cut):
                answer = self.cluster("--threshold", str(cut["threshold"]))
                sizes = collections.Counter(page["cluster"]
                                            for page in answer["pages"])
                sizable = [n for n in sizes.values() if n >= 3]
                self.assertEqual(cut["clusters"], answer["clusters"])
                self.assertEqual(cut["sizable"], len(sizable))
                self.assertEqual(cut["sizable_pages"], sum(sizable))
                self.assertEqual(cut["largest_pages"], max(sizes.values()))

    @harness.of_one_thread
    def test_report_tree_joins_what_the_clusters_join(self):
        """Above its height a node's example is with its children's."""
        report = self.cluster("--report")["report"]
        tree = report["tree"]
        self.assertIsNone(tree[0]["parent"])
        self.assertEqual(tree[0]["pages"], 74)
        for node in tree[1:]:
            parent = tree[node["parent"]]
            self.assertEqual(node["end"], parent["height"])
            for threshold, is_one in ((node["end"], True),
                                      (node["end"] - 0.001, False)):
                clusters = {page["path"]: page["cluster"] for page in
                            self.cluster("--threshold",
                                         f"{threshold:.3f}")["pages"]}
                others = {clusters[n["example"]] for n in tree
                          if n["parent"] == node["parent"]}
                self.assertEqual(len(others) == 1, is_one)

    def test_threshold_auto_takes_the_suggestion(self):
        process = harness.run([CTL, "cluster", "--threshold", "auto",
                               harness.SITE])
        found = self.done(process)
        answer = self.cluster("--threshold", "auto")
        suggestion = answer["suggestion"]
        self.assertEqual(answer["threshold"], suggestion["threshold"])
        self.assertEqual(suggestion["sizable"], 3)
        self.assertIn(suggestion["reason"], process.stderr)
        self.assertIn(f"threshold {suggestion['threshold']:.3f}",
                      process.stderr)
        self.assertGreater(suggestion["agreement"], 0.3)
        self.assertGreater(suggestion["ratio"], 0.9)
        self.assertEqual(found, self.done(harness.run(
            [CTL, "cluster", "--threshold", str(suggestion["threshold"]),
             harness.SITE])))

    def test_report_for_people(self):
        process = harness.run([CTL, "cluster", "--report", "--labels",
                               harness.SITE / "labels.tsv", harness.SITE])
        lines = self.done(process).splitlines()
        self.assertEqual(lines[0].split(",")[0], "74 pages")
        self.assertLessEqual(max(map(len, lines)), 80)
        rows = {line.split("  ")[0]: line.split()[-5:] for line in lines}
        scores = [float(rows[name][3]) for name in
                  ("template", "plateau", "suggestion", "site",
                   "best (oracle)")]
        self.assertEqual(max(scores), scores[-1])
        self.assertGreater(scores[-1], 0.9)

    def test_svg_is_one_document_that_stands_alone(self):
        folder = self.folder()
        site = folder / "a <&\"'> site"
        shutil.copytree(harness.SITE, site)
        page = (site / "index.html").read_bytes()
        for number in range(20):
            (site / f"<x>&amp;{number}\x01.html").write_bytes(page)
        svg = folder / "site.svg"
        self.done(harness.run([CTL, "cluster", "--svg", svg, site]))
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        texts = ["".join(e.itertext()) for e in root.iter()
                 if e.tag.endswith("}text")]
        self.assertTrue(any("<x>&amp;0\uFFFD.html" in t for t in texts), texts)
        for name in ("template 0.200", "site 0.700", "suggestion"):
            self.assertTrue(any(t.startswith(name) for t in texts), name)
        raw = svg.read_text("utf-8")
        self.assertNotIn("<script", raw)
        self.assertNotIn("href", raw)
        self.done(harness.run([CTL, "cluster", "--svg", "/dev/null/x.svg",
                               site]), 1)

    def test_sites_come_some_at_a_time_and_what_is_missing_is_told(self):
        path = self.folder() / "socket"
        server = Torn(path)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        process = harness.run([CTL, "-s", path, "--json", "site", "list"])
        rows = json.loads(self.done(process))
        self.assertEqual([row["host"] for row in rows["sites"]], Torn.hosts)
        self.assertNotIn("next", rows)
        self.assertGreater(len(server.asked), 2)
        self.assertLess(max(server.asked), len(Torn.hosts))
        # once, however often it has asked
        lines = process.stderr.splitlines()
        self.assertEqual(len(lines), 2, process.stderr)
        self.assertRegex(lines[0], r"^templatectl: site: warning: .*: b, c$")
        self.assertRegex(lines[1], r"^templatectl: site: warning: .* be stale")
        table = self.done(harness.run([CTL, "-s", path, "site", "list"]))
        self.assertEqual(len(table.splitlines()), len(Torn.hosts) + 1)

    def test_output_on_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = harness.subprocess.run(
                [str(CTL), "--help"], stdout=full,
                stderr=harness.subprocess.PIPE, check=False,
                timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    harness.main()
