"""What the web application asks the API for, and how it is served."""

import http.client
import json
import re
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
        for days in (0, 1, 30):
            self.assertEqual(
                [row["health"] for row in
                 self.server.json("/v1/sites", days=days)["sites"]],
                [{**health, "days": health["days"][30 - days:]}])
        self.assertEqual(self.server.get("/v1/sites", days=31).status, 400)
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


class Files(harness.Case):
    """The files of the application, and what a browser may do."""

    def setUp(self):
        self.port = harness.free_port()
        self.server = self.daemon({"listen": {
            "address": f'"127.0.0.1:{self.port}"', "rate_limit": 0}})
        self.ours = {"Origin": f"http://127.0.0.1:{self.port}",
                     "Sec-Fetch-Site": "same-origin"}

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=60)
        try:
            connection.request(method, path, body=body, headers={
                name.replace("_", "-"): value
                for name, value in headers.items()})
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def log_in(self, role):
        token = self.server.post(
            "/v1/tokens", {"name": role, "role": role}).json["token"]
        answer = self.ask("POST", "/login", "token=" + token, **self.ours)
        self.assertEqual(answer.status, 303)
        return answer.headers["Set-Cookie"].partition(";")[0]

    def test_each_path_is_the_same_page(self):
        cookie = self.log_in("read")
        first = self.ask("GET", "/", Cookie=cookie)
        policy = first.headers["Content-Security-Policy"]
        self.assertIn("script-src 'self'", policy)
        self.assertIn("require-trusted-types-for 'script'", policy)
        self.assertNotIn("unsafe", policy)
        for path in ("/ui/sites/a", "/ui/sites/a/guards/1", "/ui/x?y=z"):
            answer = self.ask("GET", path, Cookie=cookie)
            self.assertEqual((answer.status, answer.body),
                             (200, first.body), path)
        for path in re.findall(r'"(/web/[^"]+)"', first.text) + [
                "/web/dom.js"]:
            answer = self.ask("GET", path, Cookie=cookie)
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.headers["Cache-Control"], "no-cache")
            self.assertEqual(answer.headers["X-Content-Type-Options"],
                             "nosniff")
            again = self.ask("GET", path, Cookie=cookie,
                             If_None_Match=answer.headers["ETag"])
            self.assertEqual((again.status, again.body), (304, b""))
        # without a session there is the form of the login, and no file
        for path in ("/", "/ui/sites/a"):
            answer = self.ask("GET", path)
            self.assertEqual(answer.status, 401)
            self.assertIn('name="token"', answer.text)
        self.assertEqual(self.ask("GET", "/web/main.js").status, 401)

    def test_only_our_pages_change_something_with_a_cookie(self):
        web = self.web()
        cookie = self.log_in("write")
        self.assertEqual(
            self.ask("GET", "/v1/session", Cookie=cookie).json["access"],
            "write")
        body = json.dumps({"url": web.url, "max_pages": 3})
        for headers in ({}, {"Origin": "http://evil.example"},
                        {"Sec-Fetch-Site": "cross-site"},
                        {**self.ours, "Sec-Fetch-Site": "same-site"},
                        {**self.ours, "Origin": "null"}):
            answer = self.ask("POST", "/v1/sites", body, Cookie=cookie,
                              **headers)
            self.assertIn(answer.status, (401, 403), headers)
        self.assertEqual(self.server.json("/v1/sites")["sites"], [])
        answer = self.ask("POST", "/v1/sites", body, Cookie=cookie,
                          Content_Type="application/json", **self.ours)
        self.assertEqual(answer.status, 201, answer.text)
        path = f"/v1/sites/{web.host}"
        self.assertEqual(self.ask("DELETE", path, Cookie=cookie).status, 403)
        self.assertEqual(self.ask("DELETE", path, Cookie=cookie,
                                  **self.ours).status, 200)
        reader = self.log_in("read")
        self.assertEqual(self.ask("POST", "/v1/sites", body, Cookie=reader,
                                  **self.ours).status, 403)
        self.assertEqual(
            self.ask("GET", "/v1/session", Cookie=reader).json,
            {"access": "read", "version": self.server.json(
                "/v1/session")["version"], "node": None, "cookie": True})

    def test_a_report_has_the_data_and_no_way_out_of_it(self):
        root = self.folder()
        (root / "index.html").write_text(
            "<title>&lt;/script&gt;&lt;script&gt;x</title>" + "".join(
                f'<a href="/{i}.html">{i}</a>' for i in range(6)))
        for i in range(6):
            (root / f"{i}.html").write_text(
                f"<html><head><title>&lt;/script>&lt;!--\u2028{i}</title></head>"
                f"<body><h1>&lt;/script> {i}</h1><p>Text of page {i}, which "
                f"has number {i * 7}.</p></body></html>")
        web = self.web(root)
        host = self.server.crawl(web.url)["host"]
        answer = self.server.get(f"/v1/sites/{host}/report")
        self.assertIn("attachment", answer.headers["Content-Disposition"])
        text = answer.text
        data = re.search(r'id="saved">(.*?)</script>', text, re.S)[1]
        self.assertNotIn("<", data)
        self.assertTrue(data.isascii())
        saved = json.loads(data)
        self.assertEqual((saved["host"], saved["truncated"]), (host, False))
        for path in ("", "/templates", "/guards", "/patterns", "/thresholds",
                     "/templates/1", "/templates/1/tree",
                     "/templates/1/versions/current"):
            self.assertIn(f"/v1/sites/{host}{path}", saved["answers"])
        site = self.server.json(f"/v1/sites/{host}")
        self.assertEqual(saved["answers"][f"/v1/sites/{host}"]["pages"],
                         site["pages"])
        lines = saved["answers"]["/v1/events?site="
                                 + urllib.parse.quote(host)].splitlines()
        self.assertIn("site.added", [json.loads(row)["kind"] for row in lines])
        self.assertEqual(text.count("<script"), 2)
        self.assertNotRegex(text, r"(?m)^(import|export) ")
        self.error_of(self.server.get("/v1/sites/none.example/report"), 404)


if __name__ == "__main__":
    harness.main()
