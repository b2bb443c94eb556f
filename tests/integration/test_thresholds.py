"""The threshold of a site: chosen, shown with what lies between, and changed."""

import json
import shutil
import urllib.parse
import xml.etree.ElementTree

import harness

CTL = harness.PROGRAMS / "templatectl"


class Cuts(harness.Case):
    def ctl(self, daemon, *arguments):
        process = daemon.ctl(*arguments)
        self.assertEqual(process.returncode, 0,
                         process.stdout + process.stderr)
        return process.stdout

    def watch(self, daemon, url, *options):
        """The site once it is at rest, by the operator's tool."""
        return json.loads(self.ctl(daemon, "--json", "watch", url, "--wait",
                                   *options))

    def sets(self, daemon, host):
        """The partition: a set of sets of files."""
        return {frozenset(urllib.parse.urlsplit(url).path
                          for url in daemon.pages(cluster["id"]))
                for cluster in daemon.clusters(host)}

    def offline(self, daemon, host, *options):
        """The partition of the same pages by `cluster`, without a daemon."""
        root = self.folder() / "pages"
        urls = {}
        for cluster in self.sets(daemon, host):
            for path in cluster:
                name = harness.path_of(path)
                urls[name] = path
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(harness.SITE / name, root / name)
        done = harness.run([CTL, "cluster", *options, root])
        self.assertEqual(done.returncode, 0, done.stderr)
        clusters = {}
        for line in done.stdout.splitlines():
            name, cluster, *_ = line.split("\t")
            clusters.setdefault(cluster, set()).add(urls[name])
        return {frozenset(cluster) for cluster in clusters.values()}

    def no_problems(self, daemon):
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_the_default_is_chosen_from_the_pages(self):
        web = self.web()
        daemon = self.daemon()
        site = self.watch(daemon, web.url)
        self.assertEqual(site["state"], "watching")
        self.assertIs(site["auto"], True)
        cuts = daemon.json(f"/v1/sites/{web.host}/thresholds")
        self.assertEqual(site["threshold"],
                         cuts["suggestion"]["threshold"])
        self.assertGreater(cuts["suggestion"]["agreement"], 0.3)
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, "--threshold",
                                      str(site["threshold"])))
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, "--threshold",
                                      "auto"))
        self.no_problems(daemon)

    def test_cuts_are_shown(self):
        web = self.web()
        daemon = self.daemon()
        site = self.watch(daemon, web.url)
        text = self.ctl(daemon, "site", "thresholds", web.host)
        self.assertEqual(text.split(",")[0], f"{site['pages']} pages")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("\ntemplate ", text)
        cuts = json.loads(self.ctl(daemon, "--json", "site", "thresholds", web.host))
        self.assertEqual(cuts["host"], web.host)
        self.assertEqual(cuts["generation"], site["generation"])
        self.assertEqual(cuts["threshold"], site["threshold"])
        self.assertIs(cuts["auto"], True)
        self.assertEqual(cuts["pages"], site["pages"])
        self.assertEqual(cuts["tree"][0]["pages"], site["pages"])
        file = self.folder() / "cuts.svg"
        self.assertEqual(self.ctl(daemon, "site", "thresholds", web.host, "--svg", file),
                         text)
        root = xml.etree.ElementTree.parse(file).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual(daemon.ctl("site", "thresholds", web.host, "--svg",
                                    "/dev/null/x").returncode, 1)
        self.assertEqual(daemon.ctl("site", "thresholds", "nobody.example").returncode, 1)
        self.assertEqual(daemon.ctl("site", "thresholds").returncode, 2)

    def test_the_curve_is_what_recuts_give(self):
        web = self.web()
        daemon = self.daemon()
        self.watch(daemon, web.url)
        curve = {round(point["threshold"] * 1000): point for point in
                 daemon.json(f"/v1/sites/{web.host}/thresholds")["curve"]}
        for threshold in (900, 50, 500, 0, 1000, 200):
            with self.subTest(threshold=threshold):
                site = daemon.watch(web.url, threshold=threshold / 1000)
                self.assertEqual(site["templates"],
                                 curve[threshold]["clusters"])
        daemon.wait_for(web.host)
        self.no_problems(daemon)

    def test_a_number_counts_at_once_and_auto_goes_back(self):
        web = self.web()
        daemon = self.daemon()
        before = self.watch(daemon, web.url)
        partition = daemon.partition(web.host)
        # Before the seed is fetched again: no --wait.
        site = json.loads(self.ctl(daemon, "--json", "watch", web.url,
                                   "--threshold", "0.7"))
        self.assertLess(site["templates"], before["templates"])
        self.assertEqual(site["threshold"], 0.7)
        self.assertIs(site["auto"], False)
        self.assertGreater(site["generation"], before["generation"])
        daemon.wait_for(web.host)
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, "--threshold", "0.7"))
        self.no_problems(daemon)
        events = [json.loads(line)["kind"] for line in
                  self.ctl(daemon, "--json", "event", "list", "--all").splitlines()]
        self.assertIn("site.threshold_changed", events)
        self.assertIn("cluster.merged", events)

        site = self.watch(daemon, web.url, "--threshold", "auto")
        self.assertEqual(site["threshold"], before["threshold"])
        self.assertIs(site["auto"], True)
        self.assertEqual(daemon.partition(web.host), partition)
        self.no_problems(daemon)

    def test_a_measure_and_a_width_of_ones_own(self):
        web = self.web()
        daemon = self.daemon()
        site = self.watch(daemon, web.url, "--measure", "cps", "--shingle-width", "2")
        self.assertEqual((site["measure"], site["shingle_width"]), ("cps", 2))
        options = ("--measure", "cps", "--shingle-width", "2", "--threshold")
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, *options,
                                      str(site["threshold"])))
        site = self.watch(daemon, web.url, "--threshold", "0.1")
        self.assertEqual((site["measure"], site["shingle_width"]), ("cps", 2))
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, *options, "0.1"))
        self.assertNotEqual(self.sets(daemon, web.host),
                            self.offline(daemon, web.host, "--measure", "cps",
                                         "--threshold", "0.1"))
        self.assertEqual(daemon.ctl("watch", web.url, "--shingle-width",
                                    "3").returncode, 1)
        self.no_problems(daemon)

    def test_killed_after_a_recut(self):
        web = self.web()
        daemon = self.daemon()
        self.watch(daemon, web.url)
        partitions = []
        for threshold in (0.7, 0.05):
            daemon.watch(web.url, threshold=threshold)
            names = {c["id"]: c["pages"] for c in daemon.clusters(web.host)}
            partitions.append(self.sets(daemon, web.host))
            daemon.kill()
            daemon.verify_store()
            daemon.start()
            site = daemon.wait_for(web.host)
            self.assertEqual(site["threshold"], threshold)
            self.assertIs(site["auto"], False)
            self.assertEqual(self.sets(daemon, web.host), partitions[-1])
            self.assertEqual({c["id"]: c["pages"] for c in
                              daemon.clusters(web.host)}, names)
            self.no_problems(daemon)
        self.assertLess(len(partitions[0]), len(partitions[1]))

    def test_killed_before_the_threshold_is_chosen(self):
        web = self.web()
        calm = self.daemon()
        wanted = self.watch(calm, web.url)["threshold"]
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=15)
        harness.wait_until(
            lambda: daemon.json(f"/v1/sites/{web.host}")["pages"] >= 30,
            "thirty pages")
        daemon.kill()
        daemon.start()
        site = daemon.wait_for(web.host)
        self.assertEqual(site["threshold"], wanted)
        self.assertEqual(daemon.partition(web.host),
                         calm.partition(web.host))
        self.no_problems(daemon)

    def changes(self, daemon, host):
        """The details of the changes of the threshold."""
        lines = daemon.get("/v1/events", site=host).text.splitlines()
        return [event["detail"] for event in map(json.loads, lines)
                if event["kind"] == "site.threshold_changed"]

    def test_a_known_site_of_cas_gets_weights(self):
        web = self.web()
        daemon = self.daemon()
        site = self.watch(daemon, web.url, "--measure", "cas")
        self.assertEqual(site["measure"], "cas")
        changes = self.changes(daemon, web.host)
        self.assertTrue(changes[-1]["weights"], changes)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        before = self.sets(daemon, web.host)
        daemon.kill()
        daemon.start()
        daemon.wait_for(web.host)
        self.assertEqual(self.sets(daemon, web.host), before)
        self.no_problems(daemon)

    def test_a_threshold_of_cas_stays_without_weights(self):
        web = self.web()
        daemon = self.daemon()
        site = self.watch(daemon, web.url, "--measure", "cas", "--threshold",
                          "0.2")
        self.assertEqual(self.changes(daemon, web.host), [])
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, "--measure", "cas",
                                      "--threshold", "0.2"))
        self.assertEqual(site["threshold"], 0.2)

    def test_a_threshold_of_wcas_has_weights(self):
        web = self.web()
        daemon = self.daemon()
        self.watch(daemon, web.url, "--threshold", "0.2")
        self.assertTrue(self.changes(daemon, web.host)[-1]["weights"])
        self.assertEqual(self.sets(daemon, web.host),
                         self.offline(daemon, web.host, "--threshold", "0.2"))
        self.no_problems(daemon)

    def test_sites_with_too_many_signatures(self):
        web = self.web()
        daemon = self.daemon({"clustering": {"max_dendrogram_size": 5}})
        site = self.watch(daemon, web.url, "--measure", "cpc")
        self.assertEqual(site["threshold"], 0.25)  # the default of cpc
        self.assertIs(site["auto"], True)
        self.error_of(daemon.get(f"/v1/sites/{web.host}/thresholds"), 413,
                      "too_large")
        self.assertEqual(daemon.ctl("site", "thresholds", web.host).returncode, 1)

    def test_stops_while_it_chooses(self):
        """The daemon ends with 0 and in time, whatever the threshold_selector is at."""
        web = self.web()
        for pages in (1, 20, 40, 69):
            with self.subTest(pages=pages):
                daemon = self.daemon()
                daemon.watch(web.url)
                harness.wait_until(
                    lambda: daemon.json(
                        f"/v1/sites/{web.host}")["pages"] >= pages, "pages")
                daemon.stop()
                daemon.verify_store()


if __name__ == "__main__":
    harness.main()
