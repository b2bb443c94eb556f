"""A real spider, nginx, and a real daemon or a bundle."""

import json
import os
import sys
import time
import types

import conftest
import harness
import pytest

import templated

pytest.importorskip("scrapy", reason="python3-scrapy is not installed")
from scrapy.settings import Settings  # noqa: E402

from templated.scrapy import saturation, source  # noqa: E402

SPIDER = conftest.ROOT / "tests" / "python" / "sample_spider.py"


@pytest.fixture
def crawl(web, tmp_path):
    """Crawl the sample site with settings; what the spider has kept."""
    def run(**settings):
        out = tmp_path / "out.json"
        done = harness.run(
            [sys.executable, "-B", SPIDER, web.url, out, json.dumps(settings)],
            env={**os.environ, "PYTHONPATH": str(conftest.ROOT / "python")})
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return json.loads(out.read_text())
    return run


def test_a_crawl_teaches_the_daemon(crawl, own, web):
    result = crawl(TEMPLATED_SOCKET=own.socket, TEMPLATED_EVENTS="site.*",
                   TEMPLATED_TEACH=True, DEPTH_LIMIT=2)
    stats = result["stats"]
    items = {item["url"]: item for item in result["items"]}
    assert stats["templated/answers"] == sum(
        item["url"] != "small" for item in result["items"])
    with templated.Client(own.socket) as client:
        site, = client.sites()
        # but for the first page, which is a small item and brings one, too
        assert site["pages"] == len(items) - 2 > 20
        url = web.url + "docs/faq/"
        told = client.text(url, metadata=True)
    assert items[url]["metadata"] == told.metadata.as_dict()
    assert items[url]["quality"] == "ok"
    assert items[url]["seen"] == items[url]["template"]
    assert set(items["small"]) == {"url", "text"}
    brought = items[web.url + "brought/"]
    assert brought["text"] and brought["quality"] == "ok"
    learned = sum(count for name, count in stats.items()
                  if name.startswith(f"templated/pages/{site['host']}/"))
    assert 20 < learned <= stats["templated/answers"]
    assert result["told"][0] == "site.added"
    assert stats["templated/events/site.added"] == 1


def test_a_saturated_template_ends_its_branch(crawl, bundle_path, host):
    with templated.Bundle(bundle_path) as bundle:
        site = bundle.describe()
    result = crawl(TEMPLATED_BUNDLE=str(bundle_path), TEMPLATED_SATURATION=5,
                   TEMPLATED_CONFIDENCE=0.9, CONCURRENT_REQUESTS=2,
                   TEMPLATED_FIELDS={"text": "body", "template": "kind",
                                     "confidence": "sure"})
    stats = result["stats"]
    saturated = result["told"]
    assert stats["templated/saturated"] == len(saturated) >= 1
    assert stats["templated/requests_dropped"] > 0
    assert stats["templated/answers"] < 0.8 * site["pages"]
    # no large template is lost by that; of a small one the pages may be of
    # the kind of another's
    seen = {name.removeprefix("templated/pages/") for name in stats
            if name.startswith("templated/pages/")}
    assert set(saturated) <= seen
    assert seen >= {row["id"] for row in site["templates"]
                    if row["pages"] >= 5}
    items = [item for item in result["items"] if item["url"] != "small"]
    assert all(item["kind"].startswith(host + "/") and item["body"]
               and item["sure"] >= 0.9 and "metadata" not in item
               for item in items)
    assert len(items) == (stats["templated/answers"]
                          - stats["templated/items_dropped"])


def test_items_get_the_fields_of_templates(crawl, bundle_path, faq, web):
    url = web.url + "docs/faq/"
    with templated.Bundle(bundle_path) as bundle:
        fields = bundle.fields(faq, url)
    name, value = next((name, value) for name, value in fields.items()
                       if value == "Frequently Asked Questions")
    result = crawl(TEMPLATED_BUNDLE=str(bundle_path), DEPTH_LIMIT=2,
                   TEMPLATED_FIELDS={"text": "body", name: "heading",
                                     name + ".amount": "number",
                                     "none such": "nothing"})
    item, = (item for item in result["items"] if item["url"] == url)
    assert item["heading"] == value and item["body"]
    assert item["number"] is None and item["nothing"] is None


def test_items_get_the_fields_of_the_daemon(crawl, daemon, host, faq, web):
    url = web.url + "docs/faq/"
    with templated.Client(daemon.socket) as client:
        template = client.extract(faq, url).template
        client.request("POST", "/v1/sites/{}/templates/{}/fields".format(
            *template.split("/")), {"find": True})
        fields = client.fields(faq, url)
    name, value = next((name, value) for name, value in fields.items()
                       if value == "Frequently Asked Questions")
    result = crawl(TEMPLATED_SOCKET=daemon.socket, DEPTH_LIMIT=2,
                   TEMPLATED_FIELDS={"text": "body", name: "heading",
                                     "none such": "nothing"})
    item, = (item for item in result["items"] if item["url"] == url)
    assert item["heading"] == value and item["body"]
    assert item["nothing"] is None


def test_without_a_daemon_no_crawl_begins(web, tmp_path):
    out = tmp_path / "items.jsonl"
    start = time.monotonic()
    seen = len(web.requests())
    done = harness.run(
        [sys.executable, "-B", "-m", "scrapy", "runspider",
         conftest.ROOT / "examples" / "scrapy_spider.py",
         "-s", f"TEMPLATED_SOCKET={tmp_path}/none", "-a", f"url={web.url}",
         "-s", "TELNETCONSOLE_ENABLED=False", "-o", out],
        env={**os.environ, "PYTHONPATH": str(conftest.ROOT / "python")})
    assert done.returncode != 0
    assert time.monotonic() - start < 20
    assert f"TEMPLATED_SOCKET: {tmp_path}/none" in done.stderr, done.stderr
    assert len(web.requests()) == seen
    assert not out.exists() or not out.read_text()


def test_fields_of_templates_need_a_source():
    with pytest.raises(ValueError, match="TEMPLATED_BUNDLE"):
        source.Source(types.SimpleNamespace(stats=None, settings=Settings(
            {"TEMPLATED_FIELDS": {"price": "x"}})))


def test_parts_of_values():
    fields = templated.Fields("a/1")
    fields["price"] = templated.Amount("5 USD", 5, "USD")
    fields["dates"] = [templated.Date("May", None), "x"]
    answer = templated.Answer("text", "auto", "a/1", "ok", 1, fields=fields)
    for name, value in (("price", fields["price"]), ("price.amount", 5),
                        ("price.currency", "USD"), ("text", "text"),
                        ("dates.text", ["May", None]), ("author", None)):
        assert source._value_of(answer, name) == value


def test_kinds_of_urls():
    for url, kind in (
            ("http://a.example/", "a.example/"),
            ("http://a.example/about", "a.example/{w}"),
            ("http://a.example/docs/faq/", "a.example/docs/{w}/"),
            ("http://a.example/news/2024/12/some-words.html?page=3&a=",
             "a.example/news/{n}/{n}/{w}.html?a&page")):
        assert saturation.kind_of(url) == kind


def test_saturation_is_of_all_templates_of_a_kind():
    state = saturation.Saturation(2)
    assert not state.learn("http://a/x/1", "a/1")
    assert state.learn("http://a/x/2", "a/1")
    assert not state.is_saturated("http://a/x/3")  # two pages say little
    assert not state.learn("http://a/x/3", "a/1")
    assert state.is_saturated("http://a/x/4")
    assert not state.is_saturated("http://a/y/4")
    state.learn("http://a/x/5", "a/2")
    assert not state.is_saturated("http://a/x/4")
    state.learn("http://a/y/1", "a/2")
    assert state.is_saturated("http://a/x/4")
    state.learn("http://a/x/6", None)
    assert not state.is_saturated("http://a/x/4")
    endless = saturation.Saturation(0)
    for i in range(9):
        assert not endless.learn(f"http://a/x/{i}", "a/1")
    assert not endless.is_saturated("http://a/x/9")
