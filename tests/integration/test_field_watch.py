"""Fields under watch: a shop whose prices and design change, the real daemon,
and its events."""

import json

import harness

COUNT = 12
OLD = """<html><head><title>{name} - Shop</title></head><body>
<div class="menu">{links}</div>
<div class="product"><h1 class="name">{name}</h1>
<p class="maker">Made by {maker}</p>
<div class="buy"><span class="price">{price}</span><span class="stock">{stock}
in stock</span></div><p class="text">{text}</p></div>
<div class="foot">All rights reserved, Shop Ltd</div></body></html>
"""
# The classes are others, and what had the price has the fee of delivery.
NEW = """<html><head><title>{name} - Shop</title></head><body>
<div class="menu">{links}</div>
<div class="product"><h1 class="name">{name}</h1>
<p class="maker">Made by {maker}</p>
<div class="amount"><b>{price}</b></div>
<div class="buy"><span class="price">£2.50</span><span class="stock">{stock}
in stock</span></div><p class="text">{text}</p></div>
<div class="foot">All rights reserved, Shop Ltd</div></body></html>
"""
# Nothing of the page is where it was.
OTHER = """<html><head><title>{name} - Shop</title></head><body>
<nav>{links}</nav><main><article><header><h2>{name}</h2></header>
<section><dl><dt>Maker</dt><dd>{maker}</dd><dt>Price</dt><dd>{price}</dd>
<dt>Stock</dt><dd>{stock}</dd></dl></section><div><p>{text}</p></div></article>
</main><footer><p>All rights reserved, Shop Ltd</p></footer></body></html>
"""
BARE = OLD.replace('<span class="price">{price}</span>', "")
WORDS = ("amber", "birch", "cedar", "dune", "ember", "frost", "grove", "heath",
         "isle", "jade", "knoll", "larch")


class Fields(harness.Case):
    def setUp(self):
        self.root = self.folder()
        self.prices = [f"£{10 + 7 * i}.{i:02}" for i in range(COUNT)]
        self.write(OLD)
        self.server = self.web(self.root)
        self.host = self.server.host
        self.daemon_ = self.daemon()
        self.daemon_.crawl(self.server.url, revisit_interval_s=0,
                           check_interval_s=1)
        self.template = next(row["id"] for row in
                             self.daemon_.clusters(self.host)
                             if row["pages"] == COUNT)
        self.number = self.template.rsplit("/", 1)[1]

    def write(self, layout, pages=range(COUNT)):
        links = " ".join(f'<a href="/{k}.html">{WORDS[k]}</a>'
                         for k in range(COUNT))
        (self.root / "index.html").write_text(
            f"<html><body><ul><li>{links}</li></ul></body></html>")
        for i in pages:
            (self.root / f"{i}.html").write_text(layout.format(
                links=links, name=f"Lamp {WORDS[i]}", price=self.prices[i],
                maker=WORDS[i - 5].capitalize() + " & Sons", stock=3 + i * i,
                text=f"The lamp of {WORDS[i - 3]} for {WORDS[i - 1]}, "
                     f"number {i}."))

    def url(self, i):
        return f"{self.server.url}{i}.html"

    def visit(self, *pages):
        for i in pages:
            self.daemon_.get("/v1/text", url=self.url(i), fetch="always")

    def path(self, verb="fields"):
        return f"/v1/sites/{self.host}/templates/{self.number}/{verb}"

    def teach(self, name, *values):
        answer = self.daemon_.post(self.path(), {
            "name": name, "examples": [{"url": self.url(i), "value": value}
                                       for i, value in enumerate(values)]})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def edit(self, name, **flags):
        answer = self.daemon_.post(self.path(), {"name": name, **flags})
        self.assertEqual(answer.status, 200, answer.text)

    def records(self):
        lines = self.daemon_.get(self.path("records")).text.splitlines()
        rows = [json.loads(line) for line in lines]
        return {row["url"]: row["fields"] for row in rows}

    def events(self, kinds="field.*"):
        text = self.daemon_.get("/v1/events", kinds=kinds).text
        return [json.loads(line) for line in text.splitlines()]

    def wait_for_event(self, kind):
        harness.wait_until(lambda: self.events(kind), kind, 30)
        return self.events(kind)[-1]

    def rounds(self, name):
        """How often the watcher has read all pages with this field."""
        return sum(len(field["rounds"])
                   for field in self.daemon_.get(self.path()).json["fields"]
                   if field["name"] == name)

    def watch_price(self):
        self.teach("price", self.prices[0], self.prices[1])
        self.teach("title", "Lamp amber", "Lamp birch")
        self.edit("price", watched=True)
        # a lesson makes all values unknown until they are read again
        harness.wait_until(lambda: self.rounds("title"),
                           "the values of all pages", 30)
        self.wait_for_event("site.learned")
        self.daemon_.wait_for_calm()

    def finish(self):
        self.daemon_.stop()
        self.daemon_.verify_store()

    def test_a_changed_price_is_one_event(self):
        self.watch_price()
        self.assertEqual(self.events(), [])
        old, self.prices[3] = self.prices[3], "£99.95"
        self.write(OLD)
        self.visit(*range(COUNT))
        event = self.wait_for_event("field.changed")
        self.assertEqual(event["cluster"], self.template)
        self.assertEqual(event["pages"], 1)
        self.assertEqual(event["detail"], {
            "field": "price", "type": "price", "changes": [
                {"url": self.url(3), "old": old, "new": "£99.95"}]})
        self.daemon_.wait_for_calm()
        self.assertEqual([e["kind"] for e in self.events()],
                         ["field.changed"])
        self.finish()

    def test_a_waiting_value_that_is_unsure_is_named_once(self):
        self.watch_price()
        self.prices[3] = "ask us"
        self.write(OLD)
        self.visit(3)
        record = self.records()[self.url(3)]
        self.assertEqual((record["price"], record["_unsure"]),
                         ("ask us", ["price"]))
        self.finish()

    def assertPrices(self):
        """All records have the right prices, and none is unsure."""
        records = self.records()
        self.assertEqual({url: r.get("price") for url, r in records.items()},
                         {self.url(i): price
                          for i, price in enumerate(self.prices)})
        self.assertFalse([r for r in records.values() if "_unsure" in r])

    def wrong_prices(self, right):
        """The records that have a wrong price and do not say so."""
        return [(url, record) for url, record in self.records().items()
                if record.get("price", right[url][0]) not in right[url]
                and "price" not in record.get("_unsure", [])]

    def redesign(self, layout=NEW):
        """All pages have the new design, and one another price."""
        right = {self.url(i): [price] for i, price in enumerate(self.prices)}
        self.prices[6] = "£77.77"
        right[self.url(6)].append("£77.77")
        self.write(layout)
        return right

    def heal(self, layout):
        """The event of the field that was healed; no price was ever wrong."""
        self.watch_price()
        old = self.prices[6]
        right = self.redesign(layout)
        for i in range(COUNT):
            self.visit(i)
            self.assertEqual(self.wrong_prices(right), [])

        def is_healed():
            self.assertEqual(self.wrong_prices(right), [])
            return self.events("field.changed")
        harness.wait_until(is_healed, "field.changed", 60)
        self.assertEqual(self.events("field.changed")[0]["detail"]["changes"], [
            {"url": self.url(6), "old": old, "new": "£77.77"}])
        self.assertPrices()
        return [event for event in self.events("field.healed")
                if event["detail"]["field"] == "price"][0]

    def test_a_redesign_heals_the_field(self):
        healed = self.heal(NEW)["detail"]
        self.assertGreaterEqual(healed["ratio"], .9)
        self.assertGreaterEqual(healed["tested"], 2)
        self.assertNotEqual(healed["addresses"], healed["before"])
        self.assertRegex(healed["reason"], r"^its old address found (no value|"
                         r"other values) on \d+ of \d+ pages$")
        self.assertEqual([e["kind"] for e in self.events()],
                         ["field.healed", "field.changed"])
        self.finish()

    def test_a_redesign_heals_a_field_with_a_transform(self):
        # the known values, such as 1010.00, are on no page
        self.prices = [f"{1 + i}.{10 + i}0,{i:02} €" for i in range(COUNT)]
        self.write(OLD)
        self.visit(*range(COUNT))
        self.watch_price()
        self.daemon_.wait_for_calm()
        rounds = self.rounds("price")
        self.edit("price", transform="number")
        harness.wait_until(lambda: self.rounds("price") > rounds,
                           "the transformed values of all pages", 30)
        self.daemon_.wait_for_calm()
        right = [f"{1 + i}{10 + i}0.{i:02}" for i in range(COUNT)]
        self.write(NEW)
        self.visit(*range(COUNT))
        healed = self.wait_for_event("field.healed")["detail"]
        self.assertEqual(healed["field"], "price")
        harness.wait_until(lambda: not any(
            "_unsure" in r for r in self.records().values()), "all values", 30)
        self.assertEqual({url: r["price"] for url, r in self.records().items()},
                         {self.url(i): right[i] for i in range(COUNT)})
        self.assertEqual(self.events("field.changed"), [])
        self.finish()

    def test_pages_of_the_old_design_keep_their_values(self):
        self.watch_price()
        self.write(NEW, range(6))
        self.visit(*range(6))
        self.wait_for_event("field.healed")
        self.daemon_.wait_for_calm()
        harness.wait_until(lambda: not any(
            "_unsure" in r for r in self.records().values()), "all values", 30)
        self.assertPrices()
        self.assertEqual([e["kind"] for e in self.events()],
                         ["field.healed"])
        self.finish()

    def test_values_are_only_proposed(self):
        self.daemon_.stop()
        self.daemon_.configure({"fields": {"heal": "propose"}})
        self.daemon_.start()
        self.watch_price()
        right = self.redesign()
        self.visit(*range(COUNT))
        firing = self.wait_for_event("field.firing")["detail"]
        self.assertGreaterEqual(firing["proposal"]["ratio"], .9)
        self.assertNotEqual(firing["proposal"]["addresses"],
                            firing["addresses"])
        self.assertEqual(self.wrong_prices(right), [])
        alert = self.wait_for_event("incident.*")
        self.assertEqual(alert["detail"]["fields"][0]["field"], "price")
        self.assertEqual([e["kind"] for e in self.events()], ["field.firing"])
        self.finish()

    def test_a_sale_is_not_taken_for_a_redesign(self):
        """Each page shows the old price next to the new one."""
        self.watch_price()
        before = list(self.prices)
        sale = OLD.replace('<span class="price">', '<s class="was">{was}</s>'
                           '<span class="price">')
        self.prices = [f"£{7 + 5 * i}.{i:02}" for i in range(COUNT)]
        for i in range(COUNT):
            self.write(sale.replace("{was}", before[i]), [i])
        self.visit(*range(COUNT))
        firing = self.wait_for_event("field.firing")["detail"]
        self.assertIsNotNone(firing["proposal"])
        self.assertEqual(self.events("field.changed,field.healed"), [])
        # the user confirms that the new price is the price
        self.teach("price", self.prices[0], self.prices[1])
        self.wait_for_event("incident.ended")
        self.assertPrices()
        self.finish()

    def test_two_pages_without_a_required_value_fire(self):
        self.watch_price()
        self.edit("price", required=True)
        self.write(BARE, range(2))
        self.visit(0, 1)
        firing = self.wait_for_event("field.firing")
        self.assertTrue(firing["detail"]["required"])
        self.assertEqual(firing["pages"], 2)
        self.write(OLD)
        self.visit(0, 1)
        self.wait_for_event("field.resolved")
        # a page that is read much earlier than the other is judged alone
        self.assertEqual([change for event in self.events("field.changed")
                          for change in event["detail"]["changes"]
                          if change["new"] not in self.prices], [])
        self.assertPrices()
        self.finish()

    def test_fields_follow_their_pages_to_another_template(self):
        """Another template has the design that the pages get."""
        for k in range(COUNT):
            (self.root / f"n{k}.html").write_text(OTHER.format(
                name=f"Lamp {WORDS[k]}", links="", price=f"£{k + 3}.99",
                maker=WORDS[k - 5].capitalize(), stock=3 + k,
                text=f"Another lamp of {WORDS[k - 3]}, number {k}."))
        self.watch_price()
        self.visit_other()
        right = self.redesign(OTHER)
        self.visit(*range(COUNT))

        def target():
            other = [row["id"] for row in self.daemon_.clusters(self.host)
                     if row["pages"] == 2 * COUNT]
            if other:
                self.number = other[0].rsplit("/", 1)[1]
            return other and self.daemon_.get(self.path()).status == 200
        harness.wait_until(target, "the fields in the other template", 60)
        self.wait_for_event("field.healed")
        harness.wait_until(
            lambda: {u: r.get("price") for u, r in self.records().items()
                     if u in right} ==
            {self.url(i): price for i, price in enumerate(self.prices)},
            "the prices", 30)
        self.finish()

    def visit_other(self):
        for k in range(COUNT):
            self.daemon_.get("/v1/text", url=f"{self.server.url}n{k}.html",
                             fetch="always")
        harness.wait_until(lambda: COUNT in [
            row["pages"] for row in self.daemon_.clusters(self.host)
            if row["id"] != self.template and row["has_template"]],
            "the other template", 30)

    def test_another_template_heals_the_field(self):
        self.heal(OTHER)
        self.assertNotIn("field.firing", [e["kind"] for e in self.events()])
        self.finish()

    def test_a_price_that_is_gone_fires_and_is_resolved(self):
        self.watch_price()
        self.write(BARE)
        self.visit(*range(COUNT))
        event = self.wait_for_event("field.firing")
        self.assertEqual(event["detail"]["field"], "price")
        self.assertIsNone(event["detail"]["proposal"])
        alert = self.wait_for_event("incident.field")
        self.assertEqual([f["field"] for f in alert["detail"]["fields"]],
                         ["price"])
        self.assertEqual(self.events("field.changed"), [])
        self.prices[2] = "£55.55"
        self.write(OLD)
        self.visit(*range(COUNT))
        self.wait_for_event("field.resolved")
        changed = self.wait_for_event("field.changed")["detail"]["changes"]
        self.assertEqual([c["new"] for c in changed], ["£55.55"])
        self.wait_for_event("incident.ended")
        self.assertPrices()
        self.finish()

    def rounds(self, name="price"):
        return [field["rounds"] for field in
                self.daemon_.json(self.path())["fields"]
                if field["name"] == name][0]

    def write_stock(self, bare, more):
        """All pages change, and those of `bare` have no price."""
        layout = OLD.replace("{stock}", f"{more} and {{stock}}")
        self.write(layout, range(COUNT))
        self.write(layout.replace('<span class="price">{price}</span>', ""),
                   bare)
        self.visit(*range(COUNT))

    def test_a_fill_rate_that_drops_fires_and_is_resolved(self):
        self.watch_price()
        self.write_stock([3], 100)
        harness.wait_until(lambda: self.rounds()[-1]["lost"] == 1,
                           "the round", 30)
        self.daemon_.wait_for_calm()
        self.assertEqual(self.events("field.firing"), [])
        self.write_stock(range(2, 7), 200)
        event = self.wait_for_event("field.firing")
        self.assertEqual(event["detail"]["field"], "price")
        self.assertFalse(event["detail"]["required"])
        self.assertRegex(event["detail"]["reason"],
                         "^[45] of 12 pages have lost the value$")
        harness.wait_until(lambda: self.rounds()[-1]["lost"] == 5,
                           "the round", 30)
        last = self.rounds()[-1]
        del last["time"]
        self.assertEqual(last, {"pages": COUNT, "filled": 7, "lost": 5,
                                "type_errors": 0, "outliers": 0, "unsure": 0})
        self.assertEqual(self.rounds("title")[-1]["filled"], COUNT)
        # one price is another one: its field is not broken
        self.prices[9] = "£0.01"
        self.write_stock(range(2, 7), 300)
        harness.wait_until(
            lambda: {"url": self.url(9), "old": "£73.09", "new": "£0.01"} in
            self.wait_for_event("field.changed")["detail"]["changes"],
            "the other price", 90)
        self.assertEqual(len(self.events("field.firing")), 1)
        self.assertEqual(self.events("field.resolved"), [])
        self.assertEqual(self.rounds()[-1]["outliers"], 1)
        self.write_stock([], 400)
        self.wait_for_event("field.resolved")
        self.wait_for_event("incident.ended")
        self.assertGreaterEqual(len(self.rounds()), 4)
        self.assertPrices()
        self.finish()

    def test_pages_that_leave_the_template_have_lost_nothing(self):
        self.watch_price()
        for i in range(5):
            (self.root / f"{i}.html").unlink()
        self.visit(*range(5))
        self.prices[9] = "£74"
        self.write(OLD, [9])
        self.visit(9)
        self.wait_for_event("field.changed")
        self.assertEqual(self.events("field.firing"), [])
        self.assertEqual(self.rounds()[-1]["lost"], 0)
        self.finish()


if __name__ == "__main__":
    harness.main()
