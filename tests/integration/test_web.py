"""What the web application asks the API for, and how it is served."""

import json
import urllib.parse

import harness

WORDS = "amber birch cedar delta ember fjord grove hazel ivory jasper".split()
PAGES = 14


def write_shop(root, head, price):
    links = " ".join(f'<a href="/{k}.html">Product {k}</a>'
                     for k in range(1, PAGES))
    for i in range(PAGES):
        (root / (f"{i}.html" if i else "index.html")).write_text(
            f'<!doctype html><html lang="en"><head><title>{WORDS[i % 10]} {i}'
            f'</title></head><body><header class="top"><a href="/">The little '
            f'shop</a><nav class="all">{links}</nav></header>'
            f'<main class="product"><{head} class="name">{WORDS[i % 10]} {i}'
            f'</{head}>{price.format(i)}<p class="about">This '
            f'{WORDS[i % 10]} is made of {WORDS[i * 3 % 10]}, number {i} of '
            f'{i + 40}, and weighs {i * 3 + 7} grams.</p></main><footer>'
            f'<p>All rights reserved, The little shop</p></footer></body>'
            f'</html>')


class Parts(harness.Case):
    """The parts of the API that the application needs."""

    def setUp(self):
        self.root = self.folder()
        write_shop(self.root, "h2", '<span class="cost">{0}9.50 EUR</span>')
        self.shop = self.web(self.root)
        self.server = self.daemon({"watch": {"gather": "1 s"}})
        self.site = self.server.crawl(
            self.shop.url, revisit_interval_s=0, check_interval_s=1)["host"]

    def today(self):
        health = self.server.json(f"/v1/sites/{self.site}")["health"]
        self.assertEqual(len(health["days"]), 30)
        return health, health["days"][-1]

    def fetch_all(self):
        for i in range(PAGES):
            self.server.get("/v1/text", fetch="always",
                            url=self.shop.url + (f"{i}.html" if i else ""))

    def fire(self):
        """Change the pages; the number of the incident."""
        self.assertEqual(self.server.post(
            f"/v1/sites/{self.site}/guards",
            {"css": ".cost", "name": "price"}).status, 201)
        write_shop(self.root, "h1", '<b class="amount">{0}9.50 EUR</b>')
        self.fetch_all()
        harness.wait_until(
            lambda: self.today()[0]["state"] == "alert", "the incident")
        return self.server.json("/v1/incidents", site=self.site)[
            "incidents"][-1]["id"]

    def test_health_is_a_state_and_thirty_days(self):
        health, today = self.today()
        self.assertEqual(health["state"], "ok", health)
        self.assertEqual((health["open_incidents"], health["firing_guards"]),
                         (0, 0))
        self.assertGreaterEqual(today["visits"], PAGES)
        self.assertEqual((today["changed"], today["incidents"],
                          today["severity"]), (0, 0, None))
        self.assertEqual(sum(day["visits"] for day in health["days"][:-1]), 0)
        incident = self.fire()
        health, today = self.today()
        self.assertIn("price", health["reason"])
        self.assertEqual((health["open_incidents"], health["firing_guards"]),
                         (1, 1))
        self.assertEqual((today["incidents"], today["severity"]),
                         (1, "alert"))
        self.assertEqual(today["changed"], PAGES)
        self.server.request("POST", f"/v1/incidents/{incident}/ack")
        self.assertEqual(self.today()[0]["state"], "warning")
        (self.root / "3.html").unlink()
        self.server.get("/v1/text", fetch="always",
                        url=self.shop.url + "3.html")
        self.assertGreaterEqual(self.today()[1]["failed"], 1)
        # the list has the same, and so has the daemon after a restart
        self.server.stop()
        self.server.start()
        health = self.today()[0]
        self.assertEqual([row["health"]["days"] for row in
                          self.server.json("/v1/sites")["sites"]],
                         [health["days"]])
        self.assertEqual(health["days"][-1]["changed"], PAGES)
        self.server.verify_store()

    def test_a_tree_has_what_the_pages_share(self):
        cluster = max(self.server.clusters(self.site),
                      key=lambda row: row["pages"])
        answer = self.server.json(
            harness.template_path(cluster["id"]) + "/tree")
        self.assertEqual(answer["id"], cluster["id"])
        self.assertGreater(answer["pages"], 5)
        self.assertFalse(answer["truncated"])
        nodes, todo = [], [answer["tree"]]
        while todo:
            nodes.append(todo.pop())
            todo += nodes[-1]["children"]
        self.assertEqual(nodes[0]["tag"], "html")
        by_class = {node["class"]: node for node in nodes}
        self.assertEqual(by_class["top"]["template"], 1.0)
        self.assertLess(by_class["product"]["template"], 0.9)
        self.assertEqual(by_class["cost"]["tag"], "span")
        self.assertEqual(by_class["cost"]["share"], 1.0)
        self.assertEqual(by_class["cost"]["pages"], answer["pages"])
        self.assertIn("EUR", by_class["cost"]["text"])
        self.assertTrue(any(node.get("region") for node in nodes))
        self.error_of(self.server.get(
            f"/v1/sites/{self.site}/templates/999/tree"), 404)

    def test_a_copy_leads_to_elements(self):
        url = self.shop.url + "3.html"
        copy = self.server.get("/v1/pages/copy", url=url, view="pick")
        self.assertEqual(copy.status, 200)
        self.assertIn("sandbox allow-same-origin",
                      copy.headers["Content-Security-Policy"])
        self.assertNotIn("allow-scripts",
                         copy.headers["Content-Security-Policy"])
        link = next(part for part in copy.text.split('href="')
                    if ">39.50 EUR" in part).partition('"')[0]
        path, _, query = link.replace("&amp;", "&").partition("?")
        self.assertEqual(path, "/ui/element")
        asked = dict(urllib.parse.parse_qsl(query))
        self.assertEqual(asked["url"], url)
        element = self.server.json("/v1/pages/element", **asked)
        self.assertEqual(element["value"], "39.50 EUR")
        self.assertTrue(element["path"].endswith("span.cost"))
        self.assertTrue(element["has_parent"])
        self.assertIn("span.cost", [row["selector"]
                                    for row in element["candidates"]])
        above = self.server.json("/v1/pages/element", up=1, **asked)
        self.assertTrue(above["path"].endswith("main.product"))
        self.assertIn(f"{self.site}/", above["template"])
        root = self.server.json("/v1/pages/element", url=url, n=0)
        self.assertFalse(root["has_parent"])
        explain = self.server.get("/v1/pages/copy", url=url, view="explain")
        self.assertTrue(explain.headers["Content-Security-Policy"].endswith(
            "sandbox"))
        for path, values, status in (
                ("copy", {"url": url}, 400),
                ("copy", {"url": url, "view": "all"}, 400),
                ("copy", {"view": "pick"}, 400),
                ("copy", {"url": url + "x", "view": "pick"}, 404),
                ("element", {"url": url, "n": 4000}, 404),
                ("element", {"url": url, "n": 1, "up": 8}, 404),
                ("element", {"url": url, "n": 1, "up": 9}, 400),
                ("element", {"url": url + "x", "n": 1}, 404),
                ("element", {"n": 1}, 400)):
            self.error_of(self.server.get(f"/v1/pages/{path}", **values),
                          status)

    def test_comments_stay_with_their_incident(self):
        path = f"/v1/incidents/{self.fire()}"
        self.assertEqual(self.server.json(path)["comments"], [])
        for text in ("Seen by Ann.", "The new shop.\n<b>\u2028"):
            answer = self.server.post(path + "/comments", {"text": text})
            self.assertEqual(answer.status, 200, answer.text)
        self.server.stop()
        self.server.start()
        comments = self.server.json(path)["comments"]
        self.assertEqual([row["text"] for row in comments],
                         ["Seen by Ann.", "The new shop.\n<b>\u2028"])
        self.assertRegex(comments[0]["time"], r"^20\d\d-.*Z$")
        for body in ({}, {"text": ""}, {"text": 7}, {"text": "x" * 4097}):
            self.error_of(self.server.post(path + "/comments", body), 400)
        self.error_of(self.server.post("/v1/incidents/99999/comments",
                                       {"text": "x"}), 404)
        for _ in range(198):
            self.server.post(path + "/comments", {"text": "again"})
        self.error_of(self.server.post(path + "/comments", {"text": "more"}),
                      409)
        self.server.verify_store()


if __name__ == "__main__":
    harness.main()
