"""templatectl: exit statuses, JSON for programs, tables for people."""

import json

import harness

CTL = harness.PROGRAMS / "templatectl"


class Ctl(harness.Case):
    def done(self, process, status=0):
        self.assertEqual(process.returncode, status,
                         process.stdout + process.stderr)
        return process.stdout

    def test_usage_is_2(self):
        for arguments in ((), ("nonsense",), ("text",), ("--nonsense",),
                          ("watch", "--threshold", "7", "http://x/"),
                          ("clusters", "not a host/"), ("text", "a", "b")):
            with self.subTest(arguments=arguments):
                process = harness.run([CTL, *arguments])
                self.done(process, 2)
                self.assertEqual(process.stdout, "")
                self.assertIn("templatectl", process.stderr)

    def test_no_daemon_is_3(self):
        for arguments in (("sites",), ("status",), ("verify",), ("events",),
                          ("text", "http://127.0.0.1/"),
                          ("watch", "http://127.0.0.1/")):
            with self.subTest(arguments=arguments):
                process = harness.run(
                    [CTL, "-s", "/nonexistent/socket", *arguments])
                self.done(process, 3)
                self.assertIn("/nonexistent/socket", process.stderr)

    def test_failure_is_1(self):
        daemon = self.daemon()
        for arguments in (("site", "nobody.example"),
                          ("clusters", "nobody.example"),
                          ("text", "http://nobody.example/"),
                          ("template", "nobody.example/1")):
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
        self.assertIn("templatectl ", self.done(harness.run([CTL,
                                                             "--version"])))

    def test_verbs_over_a_crawled_site(self):
        web = self.web()
        daemon = self.daemon()
        site = json.loads(self.done(
            daemon.ctl("--json", "watch", web.url, "--wait")))
        self.assertEqual(site["state"], "watching")
        self.assertEqual(site["pages"], 69)
        for arguments, member in ((("sites",), "sites"),
                                  (("site", web.host), "host"),
                                  (("clusters", web.host), "clusters"),
                                  (("template", web.host + "/1"),
                                   "fragments"),
                                  (("pages", web.host + "/1"), "pages"),
                                  (("text", web.url), "text"),
                                  (("status",), "version"),
                                  (("verify",), "problems")):
            with self.subTest(arguments=arguments):
                answer = json.loads(self.done(
                    daemon.ctl("--json", *arguments)))
                self.assertIn(member, answer)
                self.assertTrue(self.done(daemon.ctl(*arguments)).strip())
        table = self.done(daemon.ctl("clusters", web.host)).splitlines()
        self.assertEqual(table[0].split()[:2], ["TEMPLATE", "PAGES"])
        self.assertEqual(len(table) - 1, site["clusters"])
        events = self.done(daemon.ctl("--json", "events"))
        self.assertGreaterEqual(
            len([json.loads(line) for line in events.splitlines()]), 69)
        self.done(daemon.ctl("site", "--delete", web.host))
        self.done(daemon.ctl("site", web.host), 1)

    def test_extract_reads_standard_input(self):
        process = harness.subprocess.run(
            [str(CTL), "extract", "--method", "plain", "-"],
            input=b"<title>T</title><p>Hello, <b>world</b>.</p>",
            capture_output=True, timeout=harness.PATIENCE_S, check=True)
        self.assertEqual(process.stdout.decode().split(),
                         ["Hello,", "world."])

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
        clusters = {}
        for line in self.done(harness.run([CTL, "cluster",
                                           harness.SITE])).splitlines():
            path, cluster = line.split("\t")
            clusters.setdefault(cluster, set()).add(kinds.get(path))
        found = sorted(kind for kinds in clusters.values()
                       for kind in kinds if kind)
        self.assertEqual(found, ["archive", "document", "landing", "post"])

    def test_output_on_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = harness.subprocess.run(
                [str(CTL), "--help"], stdout=full,
                stderr=harness.subprocess.PIPE, check=False,
                timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    harness.main()
