"""Changes of the text of pages, from the outside: a web server whose pages
change, the real daemon, its events, alerts and answers."""

import harness

COUNT = 6
PAGE = """<html><head><title>{title}</title></head><body>
<nav><ul>{menu}</ul></nav><main><h1>{title}</h1>
<p>All plans have unlimited projects, and you can change or end your plan at
any time without a reason.</p>
<p>The team plan costs {price} a month for each user of your team.</p>
{more}
<p>Schools and open source projects pay nothing; write to us and we will give
you an account in a few days.</p></main>
<footer><ul><li><a href="/1.html">Terms</a></ul></footer></body></html>
"""
# the web server puts the time of the request here
COUNTER = ('<p>Already <!--#echo var="msec" --> people have looked at this '
           'offer, so order early.</p>')


class PageText(harness.Case):
    def setUp(self):
        self.root = self.folder()
        for i in range(COUNT):
            self.write(i)
        self.server = self.web(self.root, extra="ssi on;")
        self.host = self.server.host
        self.daemon_ = self.daemon({"watch": {"gather": "200 ms"}})
        self.daemon_.crawl(self.server.url, revisit_interval_s=0,
                           check_interval_s=1)

    def write(self, i, price="$20", more="", menu=""):
        links = "".join(f'<li><a href="/{k}.html">Plan {k}</a>'
                        for k in range(1, COUNT))
        name = self.root / ("index.html" if i == 0 else f"{i}.html")
        name.write_text(PAGE.format(title=f"Prices of plan {i}", price=price,
                                    more=more, menu=links + menu))

    def url(self, i):
        return self.server.url + ("" if i == 0 else f"{i}.html")

    def visit(self, i, **changes):
        """Write the page, and have it fetched."""
        if changes:
            self.write(i, **changes)
        self.daemon_.get("/v1/text", url=self.url(i), fetch="always")

    def events(self, kinds):
        text = self.daemon_.get("/v1/events", kinds=kinds).text
        return [harness.json.loads(line) for line in text.splitlines()]

    def changes(self, i):
        return self.daemon_.json("/v1/pages/changes", url=self.url(i))

    def guard(self, **members):
        answer = self.daemon_.post(f"/v1/sites/{self.host}/guards", members)
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json

    def wait_until_learned(self, number):
        path = f"/v1/sites/{self.host}/guards/{number}"
        harness.wait_until(lambda: self.daemon_.json(path)["state"] == "ok",
                           "a guard that has learned", 30)

    def wait_for_alerts(self, count):
        return harness.wait_until(
            lambda: (alerts := self.events("incident.text")) and
            len(alerts) >= count and alerts, "the alert", 30)

    def finish(self):
        self.daemon_.stop()
        self.daemon_.verify_store()

    def test_the_event_of_a_page_has_the_words(self):
        self.assertEqual(self.changes(3)["changes"], [])
        self.visit(3, price="$25")
        event = self.events("page.changed")[-1]
        self.assertEqual(event["url"], self.url(3))
        self.assertEqual(event["detail"], {
            "changes": [{
                "before": "The team plan costs $20 a month for each user …",
                "after": "The team plan costs $25 a month for each user …",
                "removed": ["$20"], "added": ["$25"]}],
            "ignored": 0})
        answer = self.changes(3)
        self.assertEqual(answer["changes"], event["detail"]["changes"])
        self.assertEqual(answer["url"], self.url(3))
        self.assertLessEqual(answer["before"], answer["changed"])
        # markup and what is outside of the main text are no change of it
        self.visit(3, price="<b>$25</b>", menu="<li><a href=/n.html>New</a>")
        event = self.events("page.changed")[-1]
        self.assertEqual(event["detail"]["changes"], [])
        self.assertEqual(self.changes(3), dict(
            answer, fetched=self.changes(3)["fetched"]))
        shown = self.daemon_.ctl("page", "changes", self.url(3)).stdout
        self.assertIn("The team plan costs [-$20-] {+$25+} a month", shown)
        answer = self.daemon_.get("/v1/pages/changes",
                                  url=self.server.url + "none.html")
        self.error_of(answer, 404, "not_found")
        self.finish()

    def test_a_changed_text_is_one_alert(self):
        number = self.guard(text="/2.html", name="prices")["id"]
        self.wait_until_learned(number)
        self.visit(2)
        self.visit(2, price="$30")
        self.visit(1, price="$31")
        alert, = self.wait_for_alerts(1)
        self.assertTrue(alert["alert"])
        guard, = alert["detail"]["guards"]
        self.assertEqual((guard["guard"], guard["name"], guard["what"]),
                         (number, "prices", "changed"))
        text, = guard["texts"]
        self.assertEqual(text["url"], self.url(2))
        self.assertEqual(text["changes"][0]["removed"], ["$20"])
        self.assertEqual(text["changes"][0]["added"], ["$30"])
        self.assertEqual(len(self.events("guard.changed")), 1)
        shown = self.daemon_.ctl("event", "list", "--kinds",
                                 "incident.text").stdout
        self.assertIn('prices: "$20" is now "$30"', shown)
        # the next change is another alert, also after a restart
        self.daemon_.kill()
        self.daemon_.start()
        self.visit(2, price="$35")
        self.assertEqual(len(self.wait_for_alerts(2)), 2)
        self.finish()

    def test_what_changes_at_each_visit_is_no_alert(self):
        self.visit(4, more=COUNTER)
        number = self.guard(text=self.url(4))["id"]
        self.wait_until_learned(number)
        before = len(self.events("page.changed"))
        for _ in range(4):
            self.visit(4)
        events = self.events("page.changed")[before:]
        self.assertGreaterEqual(len(events), 4)
        for event in events:
            self.assertEqual(event["detail"], {"changes": [], "ignored": 1})
        self.assertEqual(self.events("guard.changed"), [])
        # the other text is still watched
        self.visit(4, price="$40", more=COUNTER)
        alert, = self.wait_for_alerts(1)
        text = alert["detail"]["guards"][0]["texts"][0]
        self.assertEqual(text["ignored"], 1)
        self.assertEqual(text["changes"][0]["added"], ["$40"])
        self.finish()

    def test_a_guard_of_a_template_reports_all_of_its_pages(self):
        pages = self.daemon_.json(f"/v1/sites/{self.host}/templates")
        cluster = int(pages["templates"][0]["id"].rpartition("/")[2])
        shown = self.daemon_.ctl("guard", "add", f"{self.host}/{cluster}",
                                 "--text", "all").stdout
        self.assertIn("all", shown)
        self.visit(1, price="$50")
        self.visit(5, price="$55")
        self.wait_for_alerts(1)
        urls = harness.wait_until(
            lambda: (found := {
                text["url"]
                for event in self.events("incident.text,incident.updated")
                for guard in event["detail"]["guards"]
                for text in guard["texts"]}) == {self.url(1), self.url(5)} and
            found, "both pages", 30)
        self.assertEqual(len(urls), 2)
        self.assertEqual(len(self.events("incident.text")), 1)
        self.finish()

    def test_a_page_that_is_gone_is_told(self):
        number = self.guard(text=self.url(5))["id"]
        self.wait_until_learned(number)
        self.daemon_.ctl("page", "rm", self.url(5))
        event = self.events("guard.unmatched")[0]
        self.assertEqual((event["guard"], event["url"]), (number, self.url(5)))
        self.finish()

    def test_wrong_texts_are_refused(self):
        for body, words in (
                ({"text": "http://other.test/"}, "URL of the site"),
                ({"text": "all"}, "cluster"),
                ({"text": "/1.html", "cluster": 1}, "cluster"),
                ({"text": "/1.html", "css": "p"}, "excludes")):
            answer = self.daemon_.post(f"/v1/sites/{self.host}/guards", body)
            message = self.error_of(answer, 400, "bad_request")["message"]
            self.assertIn(words, message)
        guard = self.guard(text="/unknown.html")
        self.assertIn("not stored", guard["warning"])
        self.finish()


if __name__ == "__main__":
    harness.main()
