"""Law 3: killed at any instant, the store holds and the crawl goes on."""

import os
import random
import time

import harness

KILLS = 10


class Crash(harness.Case):
    def acknowledged(self, daemon, host):
        """The pages that the daemon says it has, all at one time."""
        def generation():
            return daemon.json(f"/v1/sites/{host}")["generation"]

        def snapshot():
            before = generation()
            pages = set()
            try:
                for cluster in daemon.clusters(host):
                    pages.update(daemon.pages(cluster["id"]))
            except AssertionError:
                return None  # it was made part of another in between
            return (pages,) if generation() == before else None
        return harness.wait_until(snapshot, "a moment without a commit")[0]

    def test_killed_crawl_ends_as_an_undisturbed_one(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)
        web = self.web()
        calm = self.daemon()
        calm.crawl(web.url)
        wanted = calm.partition(web.host)
        calm.stop()

        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=15)
        has = set()
        for _ in range(KILLS):
            time.sleep(random.uniform(0, 0.3))
            has |= self.acknowledged(daemon, web.host)
            time.sleep(random.uniform(0, 0.05))
            daemon.kill()
            daemon.verify_store()
            daemon.start()
            self.assertLessEqual(has, self.acknowledged(daemon, web.host),
                                 "an acknowledged page is gone")
        daemon.wait_for(web.host)
        self.assertEqual(daemon.partition(web.host), wanted)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_killed_while_a_site_is_deleted(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        connection = harness.UnixConnection(daemon.socket, 30)
        connection.request("DELETE", f"/v1/sites/{web.host}")
        daemon.kill()
        connection.close()
        report = daemon.verify_store()
        self.assertIn(report["pages"], (0, 69), "half a site is left")
        daemon.start()
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_killed_while_holes_are_made(self):
        large, small = self.web(self.large_site(200)), self.web()
        daemon = self.daemon()
        daemon.crawl(large.url)
        daemon.crawl(small.url)
        wanted = daemon.partition(small.host)
        full = daemon.json("/v1/status")["store"]
        daemon.request("DELETE", f"/v1/sites/{large.host}")
        for _ in range(KILLS):
            daemon.kill()
            daemon.verify_store()
            daemon.start()  # it makes holes at its start
            daemon.post(f"/v1/sites/{small.host}/guards", {"css": "p"})
            time.sleep(random.uniform(0, 0.5))

        def is_smaller():
            now = daemon.json("/v1/status")["store"]
            wanted = now["live_bytes"] * 9 // 8 + (6 << 20)
            return now["allocated_bytes"] <= wanted and now
        now = harness.wait_until(is_smaller, "that the disk space is free")
        self.assertLess(now["allocated_bytes"],
                        full["allocated_bytes"] - (4 << 20))
        self.assertGreaterEqual(now["file_bytes"], full["file_bytes"])
        self.assertEqual(daemon.partition(small.host), wanted)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)


if __name__ == "__main__":
    harness.main()
