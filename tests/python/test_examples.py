"""The examples, as they stand."""

import gzip
import json
import os
import sys

import conftest
import harness
import pytest

import templated

EXAMPLES = conftest.ROOT / "examples"


def run(name, *arguments, module=()):
    done = harness.run(
        [sys.executable, "-B", *module, EXAMPLES / name, *arguments],
        env={**os.environ, "PYTHONPATH": str(conftest.ROOT / "python")})
    assert done.returncode == 0, done.stderr
    return done.stdout


def record(url, html):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    block = head + html
    return gzip.compress(
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n".encode() + block
        + b"\r\n\r\n")


def test_requests_and_soup(web):
    pytest.importorskip("requests", reason="python3-requests: not installed")
    pytest.importorskip("bs4", reason="python3-bs4 is not installed")
    out = run("requests_and_soup.py", web.url + "docs/faq/")
    assert out.startswith("# Frequently Asked Questions\n")
    assert f"- Why RocketMQ: {web.url}docs/motivation/\n" in out


def test_like_trafilatura(faq):
    out = run("like_trafilatura.py", conftest.FAQ)
    assert "Frequently Asked Questions by None, 2020-05-13 -->" in out
    assert templated.extract(faq, format="md", favor="precision",
                             comments=False).text.strip() in out


def test_warc_texts(tmp_path):
    pages = {f"http://a.example/{path.parent.name}/": path.read_bytes()
             for path in sorted(harness.SITE.glob("docs/*/index.html"))}
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(
        gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\n"
                      b"Content-Length: 3\r\n\r\na:b\r\n\r\n")
        + b"".join(record(url, html) for url, html in pages.items()) * 4
        + record("http://a.example/png", b"\x89PNG\r\n\x1a\n\0\0\0"))
    *lines, last = map(json.loads, run("warc_texts.py",
                                       archive).splitlines())
    assert len(lines) > 64 and [line["url"] for line in lines] == [*pages] * 4
    assert last == {"url": "http://a.example/png", "error": "not_html"}
    for line in lines[:3]:
        answer = templated.extract(pages[line["url"]], line["url"])
        assert line["text"] == answer.text


def test_scrapy_spider(web, daemon, host, tmp_path):
    pytest.importorskip("scrapy", reason="python3-scrapy is not installed")
    out = tmp_path / "texts.jsonl"
    run("scrapy_spider.py", "-a", f"url={web.url}", "-o", out,
        "-s", "CLOSESPIDER_ITEMCOUNT=5", "-s", "LOG_LEVEL=ERROR",
        "-s", "CONCURRENT_REQUESTS=2",
        "-s", f"TEMPLATED_SOCKET={daemon.socket}",
        module=("-m", "scrapy", "runspider"))
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(items) >= 5
    with templated.Client(daemon.socket) as client:
        for item in items:
            told = client.text(item["url"], format="md", metadata=True)
            assert item == {
                "url": item["url"], "text": told.text,
                "metadata": told.metadata.as_dict(),
                "template": told.template, "quality": told.quality,
                "confidence": told.confidence}
