"""Fields: numbers, prices and dates of texts, and the fields of a shop."""

from decimal import Decimal

import harness
import pytest

import templated
from templated import fields, library

PRODUCTS = 12


@pytest.mark.parametrize("text, amount, currency", [
    ("£12.99", "12.99", "GBP"),
    ("1.234,50 €", "1234.50", "EUR"),
    ("$1,299", "1299", "$"),
    ("$1,299.00", "1299.00", "$"),
    ("1 299 kr", "1299", "kr"),
    ("12.990 zł", "12990", "PLN"),
    ("CHF 1'234'567.80", "1234567.80", "CHF"),
    ("-£5", "-5", "GBP"),
    ("£-5", "-5", "GBP"),
    ("Price: 7 USD", "7", "USD"),
    ("0,500 €", None, "EUR"),  # unclear
    ("1,23,4 €", None, "EUR"),
    ("£10 - £20", None, "GBP"),  # two numbers
    ("free", None, None),
    ("Rs. 450", "450", "Rs"),
    ("12.95 USD", "12.95", "USD"),
    ("1.299,00 zł", "1299.00", "PLN"),
    ("CHF 1'200.-", "1200", "CHF"),
    ("¥1,200", "1200", "¥"),
])
def test_prices(text, amount, currency):
    assert fields.read_amount(text, True, library.read_number) == fields.Amount(
        text, None if amount is None else Decimal(amount), currency)


@pytest.mark.parametrize("text, amount", [
    ("320", "320"), ("4.5", "4.5"), ("4,5", "4.5"), ("1.234", None),
    ("1,234", None), ("1,234,567", "1234567"), ("1.234.567,8", "1234567.8"),
    ("12 345", "12345"), ("-3", "-3"), ("3 (of 7)", None), ("", None),
    ("9780306406157", "9780306406157"),
])
def test_numbers(text, amount):
    value = fields.read_amount(text, False, library.read_number)
    assert value.amount == (None if amount is None else Decimal(amount))
    assert str(value) == text and value.currency is None


def page(number):
    """A product with a price, a date, and one tag or two."""
    tags = "".join(f"<li>tag{number % 5}{tag}"
                   for tag in "ab"[:1 + number % 2])
    return (f"<html><head><title>Product {number} - Shop</title></head><body>"
            "<ul class=menu><li><a href=/>Home</a><li>Contact</ul>"
            f"<h1>Product {number}</h1><div class=buy>"
            f"<span class=price>£{number}.99</span></div>"
            f"<ul class=tags>{tags}</ul>"
            f"<time class=date>{number + 1} May 2024</time><p class=text>"
            f"This is the text of product {number}.</p>"
            f"<div class=offers>{offers(number)}</div></body></html>")


def offers(number):
    """Two shops, or three; the second one has no price."""
    prices = [f"<span class=cost>£{number + 2}.50</span>", "",
              f"<span class=cost>£{number + 3}.50</span>"]
    return "".join(f"<div class=offer><b class=seller>{shop}{number}</b>"
                   f"{price}</div>"
                   for shop, price in zip("ABC"[:3 - number % 2], prices))


@pytest.fixture
def shop_host(own, tmp_path):
    """The host of a shop with an index and products, and its URL."""
    folder = tmp_path / "shop"
    for number in range(PRODUCTS):
        path = folder / "p" / str(number) / "index.html"
        path.parent.mkdir(parents=True)
        path.write_text(page(number), "utf-8")
    (folder / "index.html").write_text("<h1>Shop</h1>" + "".join(
        f"<p><a href=/p/{number}/>Product {number}</a>"
        for number in range(PRODUCTS)), "utf-8")
    web = harness.Web(folder)
    try:
        yield own.crawl(web.url)["host"], web.url
    finally:
        web.stop()


@pytest.fixture
def shop(own, shop_host):
    """Its bundle, and its URL."""
    host, url = shop_host
    with templated.Bundle(
            data=own.get(f"/v1/sites/{host}/bundle").body) as bundle:
        yield bundle, url


@pytest.fixture
def client(own):
    with templated.Client(own.socket) as client:
        yield client


def find_fields(client, host):
    """Find the fields of the products; return their template."""
    template = client.templates(host)[0]["id"]
    client.request("POST", "/v1/sites/{}/templates/{}/fields".format(
        *template.split("/")), {"find": True})
    return template


def test_a_page_has_typed_fields(shop):
    bundle, url = shop
    for number in (3, 40):  # a known page and a new one
        found = bundle.fields(page(number), f"{url}p/{number}/")
        assert found.template == bundle.classify(page(number), url).template
        assert templated.Amount(f"£{number}.99", Decimal(f"{number}.99"),
                                "GBP") == found["price"]
        assert f"Product {number}" in found.values()
        assert not found.unsure
        answer = bundle.extract(page(number), f"{url}p/{number}/",
                                fields=True)
        assert answer.fields == found
        assert answer.fields.template == answer.template == found.template


def test_dates_have_iso_and_several_values_are_a_list(shop):
    bundle, url = shop
    found = bundle.fields(page(7), url)
    assert templated.Date("8 May 2024", "2024-05-08") in found.values()
    assert ["tag2a", "tag2b"] in found.values()
    assert "tag1a" in bundle.fields(page(6), url).values()


def test_transformed_values_are_typed(own, shop):
    _, url = shop
    host = url.split("/")[2]
    row = max(own.get(f"/v1/sites/{host}/templates").json["templates"],
              key=lambda row: row["pages"])
    path = f"/v1/sites/{host}/templates/{row['id'].rpartition('/')[2]}/fields"
    for name, selector, transform in (
            ("cost", ".price", "number"), ("day", ".date", "date"),
            ("tags", ".tags li", "join"), ("none", ".text", "date"),
            ("home", ".menu a::attr(href)", "url")):
        answer = own.post(path, {"name": name, "selector": selector,
                                 "transform": transform})
        assert answer.status == 200, answer.text
    with templated.Bundle(
            data=own.get(f"/v1/sites/{host}/bundle").body) as changed:
        found = changed.fields(page(7), f"{url}p/7/")
        assert found["cost"] == templated.Amount("7.99", Decimal("7.99"))
        assert found["day"] == templated.Date("2024-05-08", "2024-05-08")
        assert found["tags"] == "tag2a; tag2b"
        assert found["home"] == url
        assert "none" not in found and found.unsure == {"none": []}
        # without the URL of the page a relative one has no meaning
        assert changed.fields(page(7)).unsure == {"none": [], "home": []}


def test_records_are_dictionaries_of_typed_values(shop):
    bundle, url = shop
    first, second = bundle.fields(page(7), url)["offers"]
    assert first["seller"] == "A7" and second["seller"] == "B7"
    assert first["price"].amount == Decimal("9.50")
    assert "price" not in second


def test_a_page_without_template_has_no_fields(shop):
    bundle, url = shop
    found = bundle.fields(page(3), "http://b.example/")
    assert found == {} and found.template is None and found.unsure == {}
    for html, address, code in (("<p>a", "mailto:a@b", "malformed"),
                                (b"\x89PNG\r\n\x1a\n\0\0\0", None,
                                 "not_html")):
        with pytest.raises(templated.LibraryError) as caught:
            bundle.fields(html, address)
        assert caught.value.code == code


def test_a_bundle_describes_its_fields(own, client, shop_host):
    host, _ = shop_host
    data = own.get(f"/v1/sites/{host}/bundle").body
    with templated.Bundle(data=data) as bundle:
        assert {row["fields"] for row in bundle.describe()["templates"]} == {
            None}
    template = find_fields(client, host)
    data = own.get(f"/v1/sites/{host}/bundle").body
    with templated.Bundle(data=data) as bundle:
        described = {row["id"]: row["fields"]
                     for row in bundle.describe()["templates"]}
    rows = client.template_fields(template)
    assert [row["name"] for row in described[template]] == [
        row["name"] for row in rows]
    assert "price" in {row["name"] for row in rows if row["type"] == "price"}


def test_a_client_has_the_fields_of_a_bundle(own, client, shop_host):
    host, url = shop_host
    assert client.fields(page(3), url) == {}
    template = client.templates(host)[0]["id"]
    with pytest.raises(templated.DaemonError) as caught:
        list(client.records(template))
    assert caught.value.code == "no_fields"
    find_fields(client, host)
    data = own.get(f"/v1/sites/{host}/bundle").body
    with templated.Bundle(data=data) as bundle:
        for number in (3, 40):  # a known page and a new one
            address = f"{url}p/{number}/"
            want = bundle.fields(page(number), address)
            assert want["price"].currency == "GBP"
            for given in (None, template):
                found = client.fields(page(number), address, template=given)
                assert found == want and found.template == template
        assert client.fields(url=f"{url}p/7/") == bundle.fields(
            page(7), f"{url}p/7/")
    assert client.fields(page(3), "http://b.example/") == {}
    with pytest.raises(TypeError):
        client.fields()


def test_a_client_reads_records(client, shop_host):
    host, url = shop_host
    template = find_fields(client, host)
    rows = list(client.records(template))
    assert {row.url for row in rows} == {
        f"{url}p/{number}/" for number in range(PRODUCTS)}
    for row in rows:
        number = row.url.split("/")[-2]
        assert row.error is None
        assert row.fields["price"].amount == Decimal(f"{number}.99")
    assert list(client.records(template, since=rows[-1].sequence)) == []
    row, = client.records(template, url=f"{url}p/7/")
    assert row.fields == client.fields(url=f"{url}p/7/")
    with pytest.raises(templated.DaemonError) as caught:
        list(client.records(template, url=url))
    assert caught.value.code == "other_template"


def test_unsure_values_of_a_record_are_apart():
    found = fields.of_record(
        {"price": "£5", "tags": ["a", "b"], "size": "7", "_unsure": ["size"]},
        {"price": ("price", "none"), "tags": ("text", "none"),
         "size": ("number", "none")}, "a/1", library.read_number,
        library.read_date)
    assert found == {"price": templated.Amount("£5", Decimal(5), "GBP"),
                     "tags": ["a", "b"]}
    assert found.unsure == {"size": templated.Amount("7", Decimal(7))}
