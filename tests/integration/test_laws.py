"""Laws 1 and 7 on the sample site: order does not matter, and the offline verbs
say what the daemon says."""

import json
import shutil

import harness

CTL = harness.PROGRAMS / "templatectl"


class Laws(harness.Case):
    def test_order_does_not_matter(self):
        partitions = []
        for seed, options in (("", {}), ("tags/", {"delay_ms": 3}),
                              ("docs/faq/", {"delay_ms": 1})):
            web = self.web()
            daemon = self.daemon()
            daemon.crawl(web.url + seed, **options)
            partitions.append(daemon.partition(web.host))
            daemon.stop()
        self.assertEqual(partitions[0], partitions[1])
        self.assertEqual(partitions[0], partitions[2])

    def test_visiting_again_changes_nothing(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url, revisit_interval_s=2)
        before = daemon.partition(web.host)
        names = {c["id"] for c in daemon.clusters(web.host)}
        harness.wait_until(
            lambda: web.targets().count("/docs/batch-example/") >= 3,
            "further visits")
        self.assertEqual(daemon.partition(web.host), before)
        self.assertEqual({c["id"] for c in daemon.clusters(web.host)}, names)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_changed_pages_move(self):
        root = self.folder() / "site"
        shutil.copytree(harness.SITE, root)
        web = self.web(root)
        daemon = self.daemon()
        daemon.crawl(web.url, revisit_interval_s=2)
        # A document becomes a post, another one goes.
        shutil.copy(root / "rocketmq" / "Meetup-Beijing" / "index.html",
                    root / "docs" / "faq" / "index.html")
        shutil.rmtree(root / "docs" / "simple-example")

        def is_there():
            sizes = [c["pages"] for c in daemon.clusters(web.host)]
            return sizes[:2] == [32, 30]
        harness.wait_until(is_there, "the change")
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        fresh = self.daemon()
        fresh.crawl(web.url)
        self.assertEqual(fresh.partition(web.host),
                         daemon.partition(web.host))

    def test_offline_verbs_say_what_the_daemon_says(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        clusters = {c["id"]: daemon.pages(c["id"])
                    for c in daemon.clusters(web.host)}
        # The pages that links lead to, as files.
        root = self.folder() / "pages"
        for urls in clusters.values():
            for url in urls:
                name = harness.path_of(url)
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(harness.SITE / name, root / name)

        done = harness.run([CTL, "--json", "cluster", root])
        self.assertEqual(done.returncode, 0, done.stderr)
        offline = {}
        for page in json.loads(done.stdout)["pages"]:
            offline.setdefault(page["name"], set()).add(page["path"])
        names = {}

        def are_named():
            names.update((c["id"], c["name"])
                         for c in daemon.clusters(web.host))
            return None not in names.values()

        harness.wait_until(are_named, "names of all templates")
        self.assertEqual(
            {name: frozenset(v) for name, v in offline.items()},
            {names[c]: frozenset(harness.path_of(u) for u in urls)
             for c, urls in clusters.items()})

        out = self.folder() / "out"
        done = harness.run([CTL, "batch", root, "--out", out])
        self.assertEqual(done.returncode, 0, done.stderr)
        for urls in clusters.values():
            for url in urls:
                name = harness.path_of(url).removesuffix(".html") + ".txt"
                self.assertEqual((out / name).read_text("utf-8").strip(),
                                 daemon.text(url).strip(), url)

    def test_one_page_offline_is_the_daemons_one_page(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        file = harness.SITE / "docs" / "faq" / "index.html"
        for method in ("plain", "accb"):
            done = harness.run([CTL, "extract", "--method", method, file])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.strip(), daemon.text(
                web.url + "docs/faq/", method=method).strip())

    def test_what_was_asked_before_does_not_matter(self):
        """Nor does a restart, or that what was learnt is not kept."""
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        urls = [url for c in daemon.clusters(web.host)
                for url in daemon.pages(c["id"])[:3]]

        def ask(order, **flags):
            return {url: daemon.get("/v1/text", url=url, format="json",
                                    **flags).body for url in order}
        first = ask(urls)
        ask(urls, method="sst")
        ask(urls, favor="recall", exclude="p")
        ask(urls, scope="page")
        self.assertEqual(ask(reversed(urls)), first)
        daemon.stop()
        daemon.configure({"extract": {"model_cache_size": "0 B"}})
        daemon.start()
        self.assertEqual(ask(reversed(urls)), first)
        for url in urls:
            body = (harness.SITE / harness.path_of(url)).read_bytes()
            posted = daemon.post("/v1/extract", body, format="json",
                                 url=url).json
            stored = json.loads(first[url])
            stored["fetched"] = None
            self.assertEqual(posted, stored)

    def test_methods_are_one_table(self):
        daemon = self.daemon()

        def parse(text):
            return json.loads(text, parse_float=lambda x: round(float(x), 4))
        done = harness.run([CTL, "--json", "methods"])
        self.assertEqual(parse(done.stdout),
                         parse(daemon.get("/v1/methods").text))


if __name__ == "__main__":
    harness.main()
