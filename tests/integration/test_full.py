"""Law 5: a store that may not grow pauses the crawl, and serves on."""

import random

import harness

PAGES = 300


class Full(harness.Case):
    def site(self):
        """Pages that do not compress well, and link to the next ones."""
        folder = self.folder()
        source = random.Random(1)
        for number in range(PAGES):
            links = " ".join(f'<a href="/{n}.html">{n}</a>'
                             for n in range(number + 1, number + 5)
                             if n < PAGES)
            words = " ".join(f"<p>{source.randbytes(32).hex()}</p>"
                             for _ in range(500))
            name = f"{number or 'index'}.html"
            (folder / name).write_text(
                f"<html><body>{links}{words}</body></html>")
        return folder

    def failed_commits(self, daemon):
        return daemon.json("/v1/status")["pipeline"]["failed_commits"]

    def test_full_store_pauses_and_goes_on_with_more_room(self):
        web = self.web(self.site())
        daemon = self.daemon({"store": {"max_size": "4 MiB"}})
        daemon.watch(web.url, max_depth=PAGES)
        reason = harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["paused"],
            "the pause")
        self.assertTrue(reason)
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertGreater(site["pages"], 0)
        self.assertLess(site["pages"], PAGES)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        self.assertTrue(daemon.text(web.url, method="plain"))
        store = daemon.json("/v1/status")["store"]
        self.assertLessEqual(store["used_bytes"], store["max_bytes"])

        def rests():
            """Packing may have made room for some more pages."""
            harness.wait_until(lambda: daemon.json("/v1/status")["pipeline"]
                               ["running_fetches"] == 0, "the last fetch")
            count = len(web.targets())
            # Each is a turn of the thread that gives out work.
            turns = self.failed_commits(daemon)
            harness.wait_until(lambda: self.failed_commits(daemon) >= turns + 3,
                               "three more attempts to write")
            return len(web.targets()) == count
        harness.wait_until(rests, "that it fetches no more while it is paused")
        self.assertLess(len(web.targets()), PAGES)
        daemon.stop()
        daemon.verify_store()

        daemon.configure({"store": {"max_size": "1 GiB"}})
        daemon.start()
        site = daemon.wait_for(web.host)
        self.assertEqual(site["pages"], PAGES)
        self.assertIsNone(daemon.json("/v1/status")["pipeline"]["paused"])
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_site_can_be_deleted_from_a_full_store(self):
        web = self.web(self.site())
        daemon = self.daemon({"store": {"max_size": "4 MiB"}})
        daemon.watch(web.url, max_depth=PAGES)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["paused"],
            "the pause")
        answer = daemon.request("DELETE", f"/v1/sites/{web.host}")
        self.assertEqual(answer.status, 200, answer.text)
        harness.wait_until(
            lambda: not daemon.json("/v1/status")["pipeline"]["paused"],
            "the end of the pause")


if __name__ == "__main__":
    harness.main()
