"""Fields and records, from the outside: a small shop, the real daemon, and what
templatectl prints."""

import concurrent.futures
import csv
import io
import json

import harness
from pages_of_store import Pages

COUNT = 12
MANY = 1030  # pages; more than the records of one request
PRODUCT = """<!doctype html><html><head><title>{title} - The shop</title>
<script type="application/ld+json">{stated}</script></head>
<body><nav><a href="/">All things</a></nav><main><h1>{title}</h1>
<img src="{photo}" alt=""><p class="price">{price}</p><p class="stock">{stock} left, order soon</p>
<dl><dt>Maker:</dt><dd>{maker}</dd><dt>Weight:</dt><dd>{weight}</dd></dl>
<ul class="tags">{tags}</ul></main>
<footer><p>Terms and returns</p></footer></body></html>
"""


def product(number):
    """What page `number` shows."""
    tags = ["small, red", "new"] if number % 2 else ["blue"]
    return {"title": "=1+1" if number == 3 else f"Thing {chr(65 + number)}",
            "price": f"£{number * 3 + 10}.95", "stock": number * 7 + 2,
            "maker": f'"Mill" no. {number * 11 + 5}',
            "weight": f"{number + 20} kg", "photo": f"photos/{number}.jpg",
            "stated": json.dumps({
                "@type": "Product", "sku": f"T{number * 3 + 501}",
                "offers": {"price": f"{number * 3 + 10}.95"}}),
            "tags": "".join(f"<li>{tag} {number}</li>" for tag in tags)}


def warc(url, html):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html.encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            "WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block + b"\r\n\r\n"


class Fields(harness.Case):
    def setUp(self):
        self.reader = str(self.folder() / "read")
        self.daemon_ = self.daemon(
            {"socket": {"read_only_path": self.reader, "read_only_mode": "0666"}})
        self.use(*self.site([PRODUCT.format(**product(i))
                             for i in range(COUNT)]))

    def site(self, pages):
        """Crawl a site; return its server, and the templates of the pages and
        of the page with the links to them."""
        root = self.folder()
        links = "".join(f'<p><a href="/{i}.html">{i}</a></p>'
                        for i in range(len(pages)))
        (root / "index.html").write_text(f"<h1>Shop</h1>{links}")
        for i, page in enumerate(pages):
            (root / f"{i}.html").write_text(page, encoding="utf-8")
        server = self.web(root, "charset utf-8;")
        self.daemon_.crawl(server.url, revisit_interval_s=0,
                           check_interval_s=0)
        rows = self.daemon_.clusters(server.host)
        return (server, max(rows, key=lambda row: row["pages"])["id"],
                min(rows, key=lambda row: row["pages"])["id"])

    def use(self, server, template, home):
        self.server, self.id, self.home = server, template, home
        self.path = harness.template_path(template)

    def url(self, i):
        return f"{self.server.url}{i}.html"

    def post(self, status=200, code=None, **body):
        answer = self.daemon_.post(self.path + "/fields", body)
        if status == 200:
            self.assertEqual(answer.status, 200, answer.text)
            return answer.json
        return self.error_of(answer, status, code)

    def teach(self, name, *examples, status=200, code=None):
        return self.post(status, code, name=name, examples=[
            {"url": url, "value": value} for url, value in examples])

    def fields(self):
        return {row["name"]: row for row in
                self.daemon_.json(self.path + "/fields")["fields"]}

    def fields_without_rounds(self):
        """The watcher adds a round whenever it has read all pages."""
        return {name: {key: row[key] for key in row if key != "rounds"}
                for name, row in self.fields().items()}

    def records(self, **arguments):
        text = self.daemon_.get(self.path + "/records", **arguments).text
        return [json.loads(line) for line in text.splitlines()]

    def values(self, name):
        """{number of the page: value}."""
        return {int(row["url"].rpartition("/")[2].partition(".")[0]):
                row["fields"].get(name) for row in self.records()}

    def ctl(self, *arguments, status=0):
        done = self.daemon_.ctl(*arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_fields_are_found_and_named(self):
        self.error_of(self.daemon_.get(self.path + "/fields"), 404, "no_fields")
        self.error_of(self.daemon_.get(self.path + "/records"), 404, "no_fields")
        found = self.post(find=True)
        self.assertEqual(found["pages"], COUNT)
        self.assertEqual(found["id"], self.id)
        names = [row["name"] for row in found["fields"]]
        self.assertEqual(len(names), len(set(names)))
        for name in ("title", "price", "maker", "weight"):
            self.assertIn(name, names)
        self.assertEqual(self.fields()["price"]["type"], "price")
        self.assertEqual(self.fields()["price"]["fill"], 1)
        self.assertFalse(self.fields()["price"]["list"])
        self.assertEqual(self.values("price"),
                         {i: product(i)["price"] for i in range(COUNT)})
        self.assertLessEqual(len(self.post(find=True, max=2)["fields"]), 2)
        for wrong in (0, 201, -1, "x", 1.5):
            self.post(400, "bad_request", find=True, max=wrong)

    def test_a_field_is_taught_by_one_example(self):
        answer = self.teach("cost", (self.url(2), product(2)["price"]))
        self.assertEqual(answer["confidence"], 1)
        self.assertIsNone(answer["warning"])
        shown = {row["url"]: row["value"] for row in answer["sample"]}
        self.assertEqual(len(shown), 10)
        self.assertEqual({row["unsure"] for row in answer["sample"]}, {False})
        for i in range(COUNT):
            if self.url(i) in shown:
                self.assertEqual(shown[self.url(i)], product(i)["price"])
        self.teach("maker", (self.url(2), product(2)["maker"]))
        self.assertEqual(self.values("maker"),
                         {i: product(i)["maker"] for i in range(COUNT)})
        self.assertEqual(list(self.fields()), ["cost", "maker"])

    def test_records_are_one_object(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        rows, since = [], {}
        while since is not None:
            answer = self.daemon_.json(self.path + "/records", format="json",
                                       limit=5, **since)
            self.assertEqual(answer["id"], self.id)
            self.assertEqual(answer["fields"][0]["name"], "cost")
            rows += answer["records"]
            since = answer["next"] and {"since": answer["next"]}
        self.assertEqual(rows, self.records())
        for form in ("json", "jsonl"):
            answer = self.daemon_.get(self.path + "/records", format=form,
                                      url=self.url(4))
            rows = (answer.json["records"] if form == "json"
                    else [json.loads(answer.text)])
            self.assertEqual([r["fields"] for r in rows],
                             [{"cost": product(4)["price"]}])
        for url, status, code in (
                (self.url(99), 404, "not_stored"), ("x:", 400, "bad_request"),
                (self.server.url, 409, "other_template")):
            self.error_of(self.daemon_.get(self.path + "/records", url=url),
                          status, code)

    def test_a_value_is_shown_in_its_page(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        self.teach("left", (self.url(3), "23"), (self.url(5), "37"))

        def copy(url, field):
            return self.daemon_.get(self.path + "/records/copy", url=url,
                                    field=field)
        shown = copy(self.url(4), "cost")
        self.assertEqual(shown.status, 200, shown.text)
        self.assertIn('<p><mark id="value">£22.95</mark></p>', shown.text)
        self.assertEqual(shown.text.count("<mark"), 1)
        policy = shown.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertTrue(policy.endswith("; sandbox"))
        # a part of a text
        self.assertIn('<mark id="value">30</mark> left, order soon',
                      copy(self.url(4), "left").text)
        for url, field, status, code in (
                (self.url(4), "none", 404, "not_found"),
                (self.url(4), "_x", 400, "bad_request"),
                (self.url(99), "cost", 404, "not_stored"),
                (self.server.url, "cost", 409, "other_template")):
            self.error_of(copy(url, field), status, code)
        for name in ("cost", "left"):
            self.ctl("field", "rm", self.id, name)
        self.error_of(copy(self.url(4), "cost"), 404, "no_fields")

    def test_two_examples_settle_what_one_leaves_open(self):
        # 23 is in the stock and in the weight of page 3
        self.assertEqual((product(3)["stock"], product(3)["weight"]),
                         (23, "23 kg"))
        answer = self.teach("left", (self.url(3), "23"))
        self.assertLess(answer["confidence"], 0.7)
        self.assertIn("one more example", answer["warning"])
        done = self.ctl("field", "add", self.id, "left", "--example",
                        self.url(3), "23")
        self.assertIn("one more example", done.stderr)
        self.assertNotIn("one more example", done.stdout)
        answer = self.teach("left", (self.url(3), "23"), (self.url(5), "37"))
        self.assertGreaterEqual(answer["confidence"], 0.7)
        self.assertIsNone(answer["warning"])
        self.assertEqual(self.values("left"),
                         {i: str(product(i)["stock"]) for i in range(COUNT)})

    def test_changes_at_the_same_time_are_all_made(self):
        names = ("title", "price", "maker", "weight")

        def teach(name):
            value = "Thing C" if name == "title" else product(2)[name]
            self.teach(name, (self.url(2), value))
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(teach, names))
        self.assertEqual(set(self.fields()), set(names))

    def test_several_values_are_one_field(self):
        self.post(name="tags", examples=[
            {"url": self.url(1), "values": ["small, red 1", "new 1"]}])
        self.assertTrue(self.fields()["tags"]["list"])
        values = self.values("tags")
        self.assertEqual(values[5], ["small, red 5", "new 5"])
        self.assertEqual(values[4], "blue 4")

    def test_what_is_wrong_is_told_and_changes_nothing(self):
        price = product(2)["price"]
        self.teach("cost", (self.url(2), price))
        before = self.fields_without_rounds()
        for url, value, status, code in (
                (self.url(2), "£999.99", 409, "no_such_value"),
                (self.url(3), price, 409, "no_such_value"),
                (self.url(99), price, 404, "not_stored"),
                ("http://other.test/2.html", price, 404, "not_stored"),
                (self.server.url, "Shop", 409, "other_template"),
                ("no URL", price, 400, "bad_request"),
                (self.url(2), "", 400, "bad_request"),
                (self.url(2), " \t", 400, "bad_request"),
                (self.url(2), 7, 400, "bad_request"),
                (self.url(2), "x" * 8001, 400, "bad_request")):
            self.teach("cost", (url, value), status=status, code=code)
        one = (self.url(2), price)
        self.teach("cost", one, one, status=400, code="bad_request")
        self.teach("cost", *[one] * 9, status=400, code="bad_request")
        for examples in ([], {}, "x", [7], [{"url": self.url(2)}],
                         [{"value": price}],
                         [{"url": self.url(2), "values": []}],
                         [{"url": self.url(2), "values": ["x"] * 65}]):
            self.post(400, "bad_request", name="cost", examples=examples)
        for body in ({}, {"name": "cost"}, {"name": "cost", "watched": 1},
                     {"name": "cost", "new_name": 7},
                     {"name": "cost", "removed": True}):
            self.post(400, "bad_request", **body)
        self.post(404, "not_found", name="none", watched=True)
        self.assertEqual(self.fields_without_rounds(), before)
        for path in (f"/v1/sites/{self.server.host}/templates/99",
                     "/v1/sites/none.test/templates/1"):
            answer = self.daemon_.post(path + "/fields", {"find": True})
            self.error_of(answer, 404, "not_found")

    def test_names_show_what_they_are(self):
        one = (self.url(2), product(2)["price"])
        for name in ("", " x", "x ", "a\nb", "a\x1b[2Jb", "a\x7f", "_unsure",
                     "a\u202eb", "a\u200bb", "x" * 81, 7, None):
            self.teach(name, one, status=400, code="bad_request")
        names = ("Preis (€)", "価格", "a b", "=cmd", 'quote"', "x" * 40)
        for name in names:
            self.teach(name, one)
        self.assertEqual(set(self.fields()), set(names))
        self.post(400, "bad_request", name="a b", new_name="a\tb")
        self.post(409, "name_in_use", name="a b", new_name="価格")
        text = self.daemon_.get(self.path + "/records", format="csv").text
        head = next(csv.reader(io.StringIO(text)))
        self.assertEqual(head, ["seq", "url", *names[:3], "'=cmd", *names[4:],
                                "unsure", "error"])

    def test_a_field_is_renamed_watched_and_removed(self):
        self.post(find=True)
        self.post(name="price", new_name="Price now", watched=True)
        row = self.fields()["Price now"]
        self.assertEqual((row["origin"], row["watched"], row["required"]),
                         ("taught", True, False))
        self.assertNotIn("price", self.fields())
        self.teach("Price now", (self.url(2), product(2)["price"]))
        self.post(name="Price now", required=True)
        row = self.fields()["Price now"]
        self.assertEqual((row["watched"], row["required"]), (True, True))
        # it is not found again under its old name
        self.post(find=True)
        self.assertNotIn("price", self.fields())
        self.assertIn("Price now", self.fields())
        self.daemon_.stop()
        self.daemon_.verify_store()
        self.daemon_.start()
        for name in list(self.fields()):
            self.ctl("field", "rm", self.id, name)
        self.error_of(self.daemon_.get(self.path + "/fields"), 404, "no_fields")
        done = self.ctl("field", "rm", self.id, "price", status=1)
        self.assertIn("no field of this name", done.stderr)
        answer = self.daemon_.request("DELETE", self.path + "/fields")
        self.error_of(answer, 400, "bad_request")

    def test_records_are_lines_of_json_and_continue(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        rows = self.records()
        self.assertEqual(len(rows), COUNT)
        self.assertEqual(set(rows[0]), {"url", "seq", "fetched", "fields"})
        parts, since = [], {}
        while True:
            answer = self.daemon_.get(self.path + "/records", limit=5, **since)
            if not answer.text:
                self.assertNotIn("X-Templated-Seq", answer.headers)
                break
            parts += [json.loads(line) for line in answer.text.splitlines()]
            since = {"since": answer.headers["X-Templated-Seq"]}
            self.assertEqual(parts[-1]["seq"], since["since"])
        self.assertEqual(parts, rows)
        self.assertEqual(self.records(since=rows[3]["seq"]), rows[4:])
        done = self.ctl("records", self.id, "--since", rows[9]["seq"])
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                         rows[10:])
        for arguments in ({"since": "x"}, {"format": "xml"}, {"limit": "x"},
                          {"limit": 10001}, {"raw": 2}):
            answer = self.daemon_.get(self.path + "/records", **arguments)
            self.error_of(answer, 400, "bad_request")

    def test_records_are_a_table(self):
        self.teach("title", (self.url(2), "Thing C"))
        self.teach("maker", (self.url(2), product(2)["maker"]))
        self.post(name="tags", examples=[
            {"url": self.url(1), "values": ["small, red 1", "new 1"]}])
        path = self.folder() / "items.csv"
        self.ctl("records", self.id, "-o", str(path))
        with open(path, newline="", encoding="utf-8") as file:
            rows = {row["url"]: row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), COUNT)
        row = rows[self.url(3)]
        self.assertEqual(row["title"], "'=1+1")
        self.assertEqual(row["maker"], product(3)["maker"])
        self.assertEqual(row["tags"], "small, red 3; new 3")
        self.assertEqual((row["unsure"], row["error"]), ("", ""))
        raw = self.ctl("records", self.id, "--format", "csv", "--raw").stdout
        self.assertIn('"=1+1"', raw)
        rest = self.daemon_.get(self.path + "/records", format="csv",
                                since=row["seq"]).text
        self.assertFalse(rest.startswith("seq,"))
        # nothing is written when there is nothing to write
        other = path.with_name("other.csv")
        self.ctl("records", self.home, "-o", str(other), status=1)
        self.assertFalse(other.exists())

    def test_records_take_more_than_one_request(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        body = b"".join(
            warc(self.url(f"more/{i}"),
                 PRODUCT.format(**product(i)).replace("<p class=\"stock\">",
                                                      f"<p>no. {i}<p>"))
            for i in range(MANY))
        answer = self.daemon_.post("/v1/ingest", body)
        self.assertEqual(answer.status, 200, answer.text)
        self.daemon_.wait_for_calm()
        harness.wait_until(
            lambda: sum(row["pages"] for row in
                        self.daemon_.clusters(self.server.host))
            == COUNT + 1 + MANY, "all pages to be stored")
        pages = self.daemon_.pages(self.id)
        self.assertGreater(len(pages), 1000)
        for form, head in (("jsonl", 0), ("csv", 1)):
            lines = self.ctl("records", self.id, "--format",
                             form).stdout.splitlines()
            self.assertEqual(len(lines), len(pages) + head)
            self.assertEqual(len(set(lines)), len(lines))

    def test_a_page_that_is_handed_in_has_values(self):
        html = PRODUCT.format(**product(77)).encode()
        path = self.path + "/records"
        self.error_of(self.daemon_.post(path, html), 404, "no_fields")
        self.post(find=True)
        self.assertEqual(self.daemon_.post(path, html).json["fields"]["price"],
                         product(77)["price"])
        latin = html.decode().encode("latin-1")
        answer = self.daemon_.post(path, latin, charset="iso-8859-1")
        self.assertEqual(answer.json["fields"]["price"], product(77)["price"])
        self.assertEqual(self.daemon_.post(path, b"").json["fields"], {})
        self.error_of(self.daemon_.post(path, b"GIF89a\0\0\0" * 9), 422,
                      "not_html")
        self.error_of(self.daemon_.post(path, b"x" * (10 << 20 | 1)), 413,
                      "too_large")

    def test_addresses_are_absolute(self):
        self.teach("photo", (self.url(2), f"{self.server.url}photos/2.jpg"))
        self.assertEqual(self.fields()["photo"]["type"], "image")
        self.assertEqual(self.values("photo"), {
            i: f"{self.server.url}photos/{i}.jpg" for i in range(COUNT)})
        html = PRODUCT.format(**product(5)).encode()
        path = self.path + "/records"
        self.assertEqual(self.daemon_.post(path, html).json["fields"],
                         {"photo": "photos/5.jpg"})
        answer = self.daemon_.post(path, html, url="http://other.test/a/b")
        self.assertEqual(answer.json["fields"],
                         {"photo": "http://other.test/a/photos/5.jpg"})
        self.error_of(self.daemon_.post(path, html, url="no URL"), 400,
                      "bad_request")

    def test_a_stated_value_survives_a_redesign(self):
        self.post(find=True, max=100)
        rows = self.fields()
        self.assertEqual(rows["price"]["addresses"][1],
                         "jsonld:Product.offers.price")
        self.assertEqual(rows["sku"]["addresses"], ["jsonld:Product.sku"])
        self.assertEqual(self.values("sku")[2], "T507")
        html = ("<!doctype html><title>New</title><section><h2>New</h2><b>"
                "{price}</b></section><script type=application/ld+json>"
                "{stated}</script>").format(**product(2))
        answer = self.daemon_.post(self.path + "/records", html.encode())
        fields = answer.json["fields"]
        self.assertEqual((fields["price"], fields["sku"]), ("16.95", "T507"))
        self.assertIn("price", fields["_unsure"])
        self.assertNotIn("sku", fields["_unsure"])

    def test_one_page_has_a_record(self):
        self.post(find=True)
        for number in (4, 7):
            row, = self.records(url=self.url(number))
            self.assertEqual((row["url"], row["fields"]["price"]),
                             (self.url(number), product(number)["price"]))
        for url, status, code in (
                (self.url(99), 404, "not_stored"),
                (self.server.url, 409, "other_template"),
                ("http://other.test/", 404, "not_stored")):
            self.error_of(self.daemon_.get(self.path + "/records", url=url),
                          status, code)
        self.error_of(self.daemon_.get(self.path + "/records", url="no URL"),
                      400, "bad_request")

    def test_what_templatectl_prints(self):
        done = self.ctl("field", "add", self.id, "cost", "--example", self.url(2),
                        product(2)["price"])
        self.assertRegex(done.stdout, r"(?m)^confidence +1$")
        self.assertRegex(done.stdout, r"(?m)^£22\.95 +no +" + self.url(4))
        self.assertEqual(done.stderr, "")
        done = self.ctl("field", "add", self.id, "tags", "--example", self.url(1),
                        "small, red 1", "--example", self.url(1), "new 1")
        self.assertRegex(done.stdout, r"small, red 5; new 5")
        listed = self.ctl("field", "list", self.id).stdout
        self.assertRegex(listed, r"cost +price +100 .*taught +no +£")
        self.ctl("field", "find", self.id, "--max", "3")
        self.ctl("field", "set", self.id, "cost", "--name", "Cost", "--watch",
                 "yes")
        self.assertRegex(self.ctl("field", "list", self.id).stdout,
                         r"Cost +price +100 .*taught +yes")
        for arguments, words in (
                (("add", self.id, "x", "--example", self.url(1)),
                 "one VALUE for each"),
                (("add", self.id), "NAME"),
                (("add", self.id, "x", "y", "--selector", "p"), "NAME"),
                (("add", self.id, "x", "--transform", "trim"), "transform"),
                (("add", self.id, "x", "y"), "one VALUE for each"),
                (("add", self.id, "x", "y", "z", "--example", self.url(1)),
                 "one VALUE for each"),
                (("set", self.id, "Cost", "--watch", "perhaps"), "watch"),
                (("find", "nothing"), "HOST/N")):
            done = self.ctl("field", *arguments, status=2)
            self.assertIn(words, done.stderr)

    def test_a_lesson_with_two_meanings_asks_for_an_example(self):
        self.use(*self.site([
            PRODUCT.format(**product(i)).replace(
                "</main>", f"<p class=left>{60 + i * 2}</p>"
                f"<p class=sold>{60 + i * i * 3}</p></main>")
            for i in range(COUNT)]))
        answer = self.teach("left", (self.url(0), "60"))
        self.assertLess(answer["confidence"], .7)
        self.assertIn("one more example", answer["warning"])
        self.assertEqual(len(answer["doubts"]), 3)
        for doubt in answer["doubts"]:
            i = int(doubt["url"].rpartition("/")[2].partition(".")[0])
            self.assertEqual({str(60 + i * 2), str(60 + i * i * 3)},
                             set(doubt["values"]))
        done = self.ctl("field", "add", self.id, "left", "--example",
                        self.url(0), "60", "--transform", "number")
        page = answer["doubts"][0]["url"]
        self.assertRegex(done.stdout, r"(?m)^VALUE +OR +PAGE$")
        self.assertIn(f"  templatectl field add {self.id} left --example "
                      f"{self.url(0)} 60 --transform number --example {page} "
                      "VALUE\n", done.stdout)
        answer = self.teach("left", (self.url(0), "60"), (self.url(5), "135"))
        self.assertEqual((answer["warning"], answer["doubts"]), (None, []))
        self.assertEqual(self.values("left"),
                         {i: str(60 + i * i * 3) for i in range(COUNT)})
        # a value that is not the field's decides, too
        one = {"name": "left", "examples": [
            {"url": self.url(0), "value": "60"}]}
        self.post(**one, **{"not": ["135"]})
        self.assertEqual(self.values("left"),
                         {i: str(60 + i * 2) for i in range(COUNT)})
        self.ctl("field", "add", self.id, "left", "--example", self.url(0),
                 "60", "--not", "62", "--not", "none")
        self.assertEqual(self.values("left")[5], "135")
        self.post(409, "excluded_value", **one, **{"not": ["135", "62"]})
        for wrong in ([], [7], "135", ["x"] * 9, [" "]):
            self.post(400, "bad_request", **one, **{"not": wrong})

    def test_a_selector_teaches_a_field(self):
        answer = self.post(name="cost", selector="main > .price")
        self.assertEqual(answer["confidence"], 1)
        self.assertEqual(self.values("cost"),
                         {i: product(i)["price"] for i in range(COUNT)})
        self.ctl("field", "add", self.id, "tags", "--selector", "ul.tags li")
        self.assertEqual(self.values("tags")[5], ["small, red 5", "new 5"])
        before = self.fields_without_rounds()
        for selector, status, code in (
                ("p.none", 409, "nothing_selected"),
                ("h1, .price", 409, "no_such_value"),
                ("p[", 400, "bad_request"), ("", 400, "bad_request"),
                (7, 400, "bad_request"),
                ("p::attr(onclick)", 400, "bad_request"),
                ("p" * 5000, 400, "bad_request")):
            self.post(status, code, name="x", selector=selector)
        self.post(400, "bad_request", name="x", selector="p", examples=[
            {"url": self.url(2), "value": product(2)["price"]}])
        self.assertEqual(self.fields_without_rounds(), before)
        self.ctl("field", "add", self.id, "maker", "--xpath",
                 "//dt[.='Maker:']/following-sibling::dd[1]")
        self.assertEqual(self.values("maker"),
                         {i: product(i)["maker"] for i in range(COUNT)})
        for xpath, status, code in (
                ("//dd", 409, "several_selected"),
                ("//i", 409, "nothing_selected"),
                ("count(//p)", 409, "no_such_value"),
                ("//p[", 400, "bad_request"), ("", 400, "bad_request"),
                ("document('x')", 400, "bad_request"),
                ("/" * 5000, 400, "bad_request"), (7, 400, "bad_request")):
            self.post(status, code, name="x", xpath=xpath)
        self.post(400, "bad_request", name="x", xpath="//p", selector="p")
        done = self.ctl("field", "add", self.id, "x", "--selector", "p[",
                        status=1)
        self.assertIn("at the end", done.stderr)

    def test_values_are_transformed(self):
        one = [{"url": self.url(2), "value": product(2)["price"]}]
        self.post(name="cost", examples=one, transform="number")
        self.assertEqual(self.values("cost"),
                         {i: f"{i * 3 + 10}.95" for i in range(COUNT)})
        row = self.fields()["cost"]
        self.assertEqual((row["type"], row["transform"]), ("number", "number"))
        self.post(name="tags", transform="join", examples=[
            {"url": self.url(1), "values": ["small, red 1", "new 1"]}])
        self.assertEqual(self.values("tags")[5], "small, red 5; new 5")
        self.ctl("field", "set", self.id, "tags", "--transform", "join",
                 "--separator", " + ")
        self.assertEqual(self.values("tags")[5], "small, red 5 + new 5")
        done = self.ctl("field", "set", self.id, "tags", "--transform", "join",
                        "--items", "number")
        self.assertRegex(done.stdout, r"tags .*, as join of numbers")
        self.assertEqual(self.values("tags")[6], "6")
        self.post(name="home", selector="nav a::attr(href)", transform="url")
        self.assertEqual(set(self.values("home").values()), {self.server.url})
        # a handed in page has no URL, or the one that is told
        html = PRODUCT.format(**product(7)).encode()
        answer = self.daemon_.post(self.path + "/records", html).json
        self.assertNotIn("home", answer["fields"])
        self.assertEqual(answer["fields"]["_unsure"], ["home"])
        answer = self.daemon_.post(self.path + "/records", html,
                                   url="http://b.test/c").json
        self.assertEqual(answer["fields"]["home"], "http://b.test/")
        self.assertNotIn("_unsure", answer["fields"])
        # what cannot be read is absent, and the field is unsure
        done = self.ctl("field", "set", self.id, "cost", "--transform", "date")
        self.assertRegex(done.stdout, r"VALUE +UNSURE +PAGE\n- +yes +http")
        rows = self.records()
        for row in rows:
            self.assertNotIn("cost", row["fields"])
            self.assertEqual(row["fields"]["_unsure"], ["cost"])
        self.assertRegex(self.ctl("field", "list", self.id).stdout,
                         r"cost +date .*, as date")
        self.post(name="cost", transform="none")
        self.assertEqual(self.values("cost")[3], product(3)["price"])
        for wrong in ({"transform": "trim"}, {"transform": 7},
                      {"separator": ","},
                      {"transform": "number", "separator": ","},
                      {"transform": "join", "separator": "x" * 17},
                      {"transform": "join", "separator": 7},
                      {"items": "number"}, {"transform": "join", "items": 7},
                      {"transform": "date", "items": "number"},
                      {"transform": "join", "items": "join"}):
            self.post(400, "bad_request", name="cost", **wrong)
            self.post(400, "bad_request", name="cost", examples=one, **wrong)

    def test_a_selector_becomes_a_required_field(self):
        self.ctl("field", "add", self.id, "cost", "--selector", "p.price",
                 "--required", "yes", "--watch", "yes")
        row = self.fields()["cost"]
        self.assertTrue(row["required"] and row["watched"])
        # what a lesson does not name stays
        self.post(name="cost", watched=False, selector="p.price")
        row = self.fields()["cost"]
        self.assertTrue(row["required"] and not row["watched"])
        self.post(400, "bad_request", name="cost", selector="p.price",
                  required=1)

    def test_a_change_names_what_changes(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        done = self.ctl("field", "set", self.id, "cost", status=2)
        self.assertIn("give --name, --watch, --required or --transform",
                      done.stderr)

    def test_fields_are_suggested_by_another_template(self):
        self.error_of(self.daemon_.post(self.path + "/fields",
                                        {"like": self.home}), 404, "no_fields")
        _, books, _ = self.site([
            f"<title>Book {chr(65 + i)}</title><div id=book><h2>Book "
            f"{chr(65 + i)}</h2><span>$ {i + 5},20</span><table>"
            f"<tr><th>Weight<td>{i + 3} g<tr><th>Made by<td>Mill {i * 3}"
            "</table></div>" for i in range(COUNT)])
        path = harness.template_path(books) + "/fields"
        self.post(name="cost", transform="number", examples=[
            {"url": self.url(2), "value": product(2)["price"]}])
        self.teach("weight", (self.url(2), product(2)["weight"]))
        self.post(name="grams", transform="number", examples=[
            {"url": self.url(2), "value": product(2)["weight"]}])
        self.post(name="grams", new_name="mass")
        answer = self.daemon_.post(path, {"like": self.id}).json
        found = {row["name"]: row for row in answer["fields"]}
        self.assertEqual(set(found), {"cost", "weight"})
        self.assertEqual(found["cost"]["transform"], "number")
        self.assertRegex(found["cost"]["example"], r"^\d+\.20$")
        for row in found.values():
            self.assertGreater(row["confidence"], .4)
        # nothing is stored before the user accepts it
        self.error_of(self.daemon_.get(path), 404, "no_fields")
        done = self.ctl("field", "add", books, "--like", self.id)
        self.assertRegex(done.stdout, r"(?m)^weight +text +100 +1\.00")
        self.assertIn("--accept", done.stdout)
        self.error_of(self.daemon_.get(path), 404, "no_fields")
        self.ctl("field", "add", books, "weight", "--like", self.id,
                 "--accept")
        rows = self.daemon_.json(path)["fields"]
        self.assertEqual([(row["name"], row["origin"]) for row in rows],
                         [("weight", "taught")])
        self.ctl("field", "add", books, "--like", self.id, "--accept")
        self.assertIn("cost", [row["name"] for row in
                               self.daemon_.json(path)["fields"]])
        self.error_of(self.daemon_.post(path, {"like": self.id,
                                               "names": ["cost"]}),
                      409, "none_alike")
        for wrong in ({"like": 7}, {"like": "x"}, {"like": "x/"},
                      {"like": "x/0"}, {"like": self.id, "names": "cost"},
                      {"like": self.id, "names": [7]},
                      {"like": self.id, "accept": 1}):
            self.error_of(self.daemon_.post(path, wrong), 400, "bad_request")

    def test_read_only_clients_only_read(self):
        self.teach("cost", (self.url(2), product(2)["price"]))
        owner, self.daemon_.socket = self.daemon_.socket, self.reader
        self.assertEqual(len(self.records()), COUNT)
        self.assertIn("cost", self.fields())
        self.assertEqual(self.daemon_.get(
            self.path + "/records/copy", url=self.url(2), field="cost").status,
            200)
        for method, path in (("POST", "/fields"), ("POST", "/records"),
                             ("DELETE", "/fields?name=cost")):
            self.error_of(self.daemon_.request(method, self.path + path, b"{}"),
                          403, "forbidden")
        self.daemon_.socket = owner
        self.assertIn("cost", self.fields())

    def test_a_damaged_row_is_an_error_of_its_template(self):
        self.post(find=True)
        self.daemon_.stop()
        path = self.daemon_.store + "/data.mdb"
        offset, bit = Pages(path).random_bit("fields")
        with open(path, "r+b") as file:
            file.seek(offset)
            byte = file.read(1)[0] ^ 1 << bit
            file.seek(offset)
            file.write(bytes([byte]))
        self.daemon_.start()
        for target in ("/fields", "/records"):
            answer = self.daemon_.get(self.path + target)
            self.error_of(answer, 500, "corrupt")
        self.assertEqual(self.daemon_.json(self.path)["pages"], COUNT)


REVIEWED = """<!doctype html><html><head><title>{title} - The shop</title></head>
<body><main><h1>{title}</h1><p class="price">{price}</p>
<ol class="reviews">{reviews}</ol></main></body></html>
"""


def reviews(number):
    """What people say of page `number`; not all give a date."""
    rows = [{"author": f"Ann {number}", "date": f"2024-01-{number + 10}",
             "text": f"Good, {number} of 20."},
            {"author": f"Bob {number}", "text": f"Bad, {number} of 20."},
            {"author": f"Cid {number}", "date": f"2024-02-{number + 10}",
             "text": f"Fair, {number} of 20.",
             "replies": [{"author": f"Dan {number}", "text": f"No {number}"},
                         {"author": f"Eve {number}", "text": f"Yes {number}"},
                         {"author": f"Flo {number}", "text": f"Oh {number}"}
                         ][:2 + number % 4 // 2]}]
    return rows[:3 - number % 2] + rows[:number % 3]


def review_html(row, name="review"):
    date = f'<i class="date">{row["date"]}</i>' if "date" in row else ""
    replies = "".join(review_html(reply, "reply")
                      for reply in row.get("replies", ()))
    return (f'<li class="{name}"><b class="author">{row["author"]}</b>{date}'
            f'<p class="text">{row["text"]}</p>'
            + (f'<ul class="replies">{replies}</ul>' if replies else "")
            + "</li>")


class Records(harness.Case):
    """Lists of similar parts of a page."""

    def setUp(self):
        root = self.folder()
        links = "".join(f'<p><a href="/{i}.html">{i}</a></p>'
                        for i in range(COUNT))
        (root / "index.html").write_text(f"<h1>Shop</h1>{links}")
        for i in range(COUNT):
            (root / f"{i}.html").write_text(REVIEWED.format(
                title=f"Thing {chr(65 + i)}", price=f"£{i + 3}.50",
                reviews="".join(map(review_html, reviews(i)))), "utf-8")
        self.root = root
        self.server = self.web(root, "charset utf-8;")
        self.daemon_ = self.daemon()
        self.daemon_.crawl(self.server.url)
        rows = self.daemon_.clusters(self.server.host)
        self.id = max(rows, key=lambda row: row["pages"])["id"]
        self.path = harness.template_path(self.id)
        answer = self.daemon_.post(self.path + "/fields", {"find": True})
        self.assertEqual(answer.status, 200, answer.text)
        self.found = {row["name"]: row for row in answer.json["fields"]}

    def lines(self, **arguments):
        return self.daemon_.get(self.path + "/records", **arguments).text

    def number(self, url):
        return int(url.rpartition("/")[2].partition(".")[0])

    def test_reviews_and_their_replies_are_records(self):
        self.assertEqual(self.found["reviews"]["type"], "records")
        self.assertIsNone(self.found["reviews"]["parent"])
        self.assertIn('"author":"', self.found["reviews"]["example"])
        self.assertEqual(self.found["reviews.author"]["parent"], "reviews")
        self.assertIn(" ", self.found["reviews.author"]["example"])
        self.assertEqual(self.found["reviews.replies"]["parent"], "reviews")
        rows = list(map(json.loads, self.lines().splitlines()))
        self.assertEqual(len(rows), COUNT)
        for row in rows:
            number = self.number(row["url"])
            self.assertEqual(row["fields"]["reviews"], reviews(number))
            self.assertEqual(row["fields"]["price"], f"£{number + 3}.50")
            self.assertNotIn("_unsure", row["fields"])
            self.assertNotIn("reviews.author", row["fields"])

    def test_records_are_a_cell_of_csv(self):
        table = list(csv.DictReader(io.StringIO(self.lines(format="csv"))))
        self.assertEqual(len(table), COUNT)
        self.assertNotIn("reviews.author", table[0])
        for row in table:
            self.assertEqual(json.loads(row["reviews"]),
                             reviews(self.number(row["url"])))

    def test_a_page_that_is_sent_has_records(self):
        html = REVIEWED.format(title="New", price="£1", reviews=review_html(
            {"author": "Zoe", "text": "New."}))
        answer = self.daemon_.post(self.path + "/records", html.encode())
        self.assertEqual(answer.json["fields"]["reviews"],
                         [{"author": "Zoe", "text": "New."}])

    def test_records_are_renamed_removed_and_not_watched(self):
        def change(status=200, code=None, **body):
            answer = self.daemon_.post(self.path + "/fields", body)
            if status != 200:
                return self.error_of(answer, status, code)
            self.assertEqual(answer.status, 200, answer.text)
            return [row["name"] for row in answer.json["fields"]]
        for name in ("reviews", "reviews.author"):
            change(409, "records", name=name, watched=True)
        names = change(name="reviews", new_name="opinions")
        self.assertIn("opinions.replies.text", names)
        self.assertNotIn("reviews.author", names)
        change(name="opinions.date", new_name="when")
        line = json.loads(self.lines(limit=1))
        number = self.number(line["url"])
        self.assertEqual(line["fields"]["opinions"][0]["when"],
                         reviews(number)[0]["date"])
        done = self.daemon_.ctl("field", "rm", self.id, "opinions")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("opinions.author", self.lines())
        self.assertIn("price", self.lines())

    def test_a_bundle_has_records(self):
        bundle = str(self.folder() / "shop.tpl")
        done = self.daemon_.ctl("export", "--out", bundle, self.server.host)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = str(self.root / "3.html")
        done = self.daemon_.ctl("apply", "--fields", "jsonl", "--url",
                                f"{self.server.url}3.html", bundle, page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["fields"]["reviews"],
                         reviews(3))
        done = self.daemon_.ctl("apply", "--fields", "csv", "--url",
                                f"{self.server.url}3.html", bundle, page)
        row, = csv.DictReader(io.StringIO(done.stdout))
        self.assertEqual(json.loads(row["reviews"]), reviews(3))


if __name__ == "__main__":
    harness.main()
