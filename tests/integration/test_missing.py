"""A URL that nobody has heard of: its neighbours are crawled and it is answered
from their template; and what must not be fetched is not."""

import threading

import harness



def allow(web, **rows):
    """A network, and the port that the web server has there."""
    return {"crawl": {"allowed_networks": '["127.0.0.1/32"]',
                      "allowed_ports": f"[{web.port}]", **rows}}


class Missing(harness.Case):
    def test_unknown_page_is_answered_from_its_neighbours(self):
        web = self.web()
        daemon = self.daemon(allow(web))
        url = web.url + "docs/order-example/"
        answer = daemon.json("/v1/text", url=url, fetch="missing",
                             format="json", timeout_ms=30000)
        self.assertTrue(answer["template"], answer["reason"])
        self.assertGreaterEqual(answer["cluster_pages"], 3)
        self.assertIn("RocketMQ provides ordered messages using FIFO order",
                      answer["text"])
        self.assertNotIn("Toggle Menu", answer["text"])
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertIs(site["sample"], True)
        self.assertGreater(site["pages"], 3)
        # It is known now: nothing is fetched for the second answer.
        daemon.wait_for_calm()
        count = len(web.targets())
        daemon.text(url, fetch="never")
        self.assertEqual(len(web.targets()), count)

    def test_sample_is_bounded(self):
        web = self.web()
        daemon = self.daemon(allow(web, on_demand_pages=5))
        daemon.text(web.url + "docs/order-example/", fetch="missing",
                    timeout_ms=30000)
        daemon.wait_for(web.host)
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertLessEqual(site["pages"], 6)

    def test_many_ask_for_the_same(self):
        web = self.web()
        daemon = self.daemon(allow(web))
        url = web.url + "docs/order-example/"
        answers = []

        def ask():
            answers.append(daemon.get("/v1/text", url=url, fetch="missing",
                                      format="json", timeout_ms=30000))
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({a.status for a in answers}, {200})
        self.assertEqual(len(answers), len(threads))
        self.assertTrue(all(a.json["template"] for a in answers))
        self.assertEqual(web.targets().count("/docs/order-example/"), 1)

    def test_fetch_always_fetches_again(self):
        web = self.web()
        daemon = self.daemon(allow(web))
        url = web.url + "docs/order-example/"
        for _ in range(2):
            daemon.text(url, fetch="always", timeout_ms=30000)
            daemon.wait_for(web.host)
        self.assertEqual(web.targets().count("/docs/order-example/"), 2)

    def test_private_address_is_refused_without_the_operators_word(self):
        web = self.web()
        daemon = self.daemon()
        for url in (web.url, web.url.replace("127.0.0.1", "localhost"),
                    web.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
                    web.url.replace("127.0.0.1", "2130706433")):
            with self.subTest(url=url):
                self.error_of(daemon.get("/v1/text", url=url,
                                         fetch="missing", timeout_ms=30000),
                              502, "address_forbidden")
        self.assertEqual(web.targets(), [])

    def test_never_fetches_never(self):
        web = self.web()
        daemon = self.daemon(allow(web))
        self.error_of(daemon.get("/v1/text", url=web.url, fetch="never"),
                      404, "not_found")
        self.assertEqual(web.targets(), [])

    def test_dead_page_is_told(self):
        web = self.web()
        daemon = self.daemon(allow(web))
        error = self.error_of(
            daemon.get("/v1/text", url=web.url + "no/such/page",
                       fetch="missing", timeout_ms=30000), 502)
        self.assertIn("404", error["message"])

    def test_slow_page_times_out(self):
        slow = self.folder()
        (slow / "slow").mkdir()
        (slow / "slow" / "index.html").write_text("<p>slow</p>" * 100)
        web = self.web(slow, "location /slow/ { limit_rate 10; }")
        daemon = self.daemon({**allow(web), "pipeline": {"shutdown_timeout": "100 ms"}})
        self.error_of(daemon.get("/v1/text", url=web.url + "slow/",
                                 fetch="missing", timeout_ms=500),
                      504, "timeout")


if __name__ == "__main__":
    harness.main()
