"""SIGHUP reloads a good configuration and keeps the old one on a bad; SIGTERM
drains."""

import signal
import time

import harness


class Signals(harness.Case):
    def config(self, daemon):
        return daemon.json("/v1/status")["config"]

    def test_good_configuration_is_taken(self):
        daemon = self.daemon()
        before = self.config(daemon)
        self.assertEqual(before["path"], str(daemon.conf))
        self.assertIsNone(before["error"])
        second = int(time.time())  # "loaded" has whole seconds
        harness.wait_until(lambda: int(time.time()) > second, "a second")
        daemon.configure({"crawl": {"max_pages": "17"}})
        daemon.process.send_signal(signal.SIGHUP)
        harness.wait_until(
            lambda: self.config(daemon)["loaded"] != before["loaded"],
            "the reload")
        web = self.web()
        self.assertEqual(daemon.watch(web.url)["max_pages"], 17)

    def test_bad_configuration_changes_nothing(self):
        daemon = self.daemon({"crawl": {"max_pages": "23"}})
        before = self.config(daemon)
        daemon.configure({"crawl": {"max_pages": "29", "dealy": "1 s"}})
        daemon.process.send_signal(signal.SIGHUP)
        error = harness.wait_until(lambda: self.config(daemon)["error"],
                                   "the error")
        self.assertIn("dealy", error)
        self.assertIn("dealy", daemon.messages())
        self.assertEqual(self.config(daemon)["loaded"], before["loaded"])
        web = self.web()
        self.assertEqual(daemon.watch(web.url)["max_pages"], 23)
        # The way back.
        daemon.configure({"crawl": {"dealy": None}})
        daemon.process.send_signal(signal.SIGHUP)
        harness.wait_until(lambda: self.config(daemon)["error"] is None,
                           "the reload")

    def test_reload_in_the_middle_of_a_crawl_harms_nothing(self):
        web = self.web()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=10)
        for _ in range(10):
            daemon.process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)

    def test_terminate_drains_and_the_crawl_goes_on_later(self):
        web = self.web()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=15)
        harness.wait_until(lambda: len(web.targets()) > 10, "some requests")
        daemon.stop()
        report = daemon.verify_store()
        self.assertGreater(report["pages"], 0)
        self.assertLess(report["pages"], 69)
        daemon.start()
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)
        # What was fetched before the end was committed: nothing is lost but
        # what was under way.
        fetched = [t for t in web.targets() if t != "/robots.txt"]
        self.assertLessEqual(len(fetched) - len(set(fetched)), 2)

    def test_interrupt_is_the_same(self):
        daemon = self.daemon()
        daemon.process.send_signal(signal.SIGINT)
        self.assertEqual(daemon.process.wait(harness.PATIENCE_S), 0)

    def test_terminate_does_not_wait_for_a_slow_server(self):
        folder = self.folder()
        (folder / "index.html").write_text("<p>slow</p>" * 1000)
        web = self.web(folder, "location = /index.html { limit_rate 10; }")
        daemon = self.daemon({"pipeline": {"shutdown_timeout": "1 s"}})
        daemon.watch(web.url)
        harness.wait_until(
            lambda: web.targets() and
            daemon.json("/v1/status")["pipeline"]["fetches_in_progress"],
            "the page behind robots.txt")
        begin = time.monotonic()
        daemon.stop()
        self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    harness.main()
