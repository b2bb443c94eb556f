"""The source of results of a crawl, and its counters."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import Any

from itemadapter import ItemAdapter
from w3lib.encoding import http_content_type_encoding

import templated
from templated.scrapy import signals
from templated.scrapy.saturation import Saturation

logger = logging.getLogger(__name__)
START_S = 10.0  # the first response may take this long
START_RETRY_S = 2.0
TEACHERS = 2  # at a time; the daemon accepts four uploads
FIELDS = ("text", "metadata", "template", "quality", "confidence")


def _checked_client(address: str, token: str | None) -> templated.Client:
    """Return a client of a daemon that responds.

    Without a daemon the crawl would only produce items without text, so it
    must not begin: TemplatedError.
    """
    with templated.Client(address, token=token, timeout=START_S,
                          retry_timeout=START_RETRY_S) as probe:
        try:
            probe.status()
        except templated.TemplatedError as error:
            raise templated.TemplatedError(
                error.code, f"TEMPLATED_SOCKET: {error}; start templated, or "
                "set TEMPLATED_BUNDLE to a file of `templatectl export`"
            ) from None
    return templated.Client(address, token=token)


class Source:
    """The source of one crawler: see the settings in templated.scrapy."""

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.stats = crawler.stats
        self.options = settings.getdict("TEMPLATED_OPTIONS")
        self.fields: dict[str, str] = settings.getdict(
            "TEMPLATED_FIELDS") or {name: name for name in FIELDS}
        # of templates: their fields, or parts of their values
        self.needs_fields = any(name not in FIELDS for name in self.fields)
        self.html_field = settings.get("TEMPLATED_HTML_FIELD", "html")
        self.saturation = Saturation(settings.getint("TEMPLATED_SATURATION"))
        self.teaches = settings.getbool("TEMPLATED_TEACH")
        self.teaching = threading.Semaphore(TEACHERS)
        self.client: templated.Client | None = None
        self.bundle: templated.Bundle | None = None
        if settings.get("TEMPLATED_BUNDLE"):
            self.bundle = templated.Bundle(
                settings["TEMPLATED_BUNDLE"],
                threads=settings.getint("TEMPLATED_THREADS", 1))
        elif settings.get("TEMPLATED_SOCKET"):
            self.client = _checked_client(settings["TEMPLATED_SOCKET"],
                                          settings.get("TEMPLATED_TOKEN"))
        if self.needs_fields and self.bundle is None and self.client is None:
            raise ValueError("TEMPLATED_FIELDS: fields of templates need "
                             "TEMPLATED_BUNDLE or TEMPLATED_SOCKET")

    def close(self) -> None:
        """Close the connections at the end of the crawl."""
        for part in (self.client, self.bundle):
            if part is not None:
                part.close()

    def answer(self, html: str | bytes, url: str | None,
               charset: str | None = None) -> templated.Answer:
        """Return the result for a page; any thread; TemplatedError."""
        metadata = "metadata" in self.fields
        if self.bundle is not None:
            return self.bundle.extract(html, url, charset=charset,
                                       metadata=metadata,
                                       fields=self.needs_fields,
                                       **self.options)
        extract = (templated.extract if self.client is None
                   else self.client.extract)
        answer = extract(html, url, charset=charset, metadata=metadata,
                         **self.options)
        if not self.needs_fields or self.client is None:
            return answer
        if answer.template is None:
            return answer._replace(fields=templated.Fields())
        return answer._replace(fields=self.client.fields(
            html, url, template=answer.template, charset=charset))

    def answer_response(self, response: Any) -> templated.Answer:
        """Return the result for a response of Scrapy."""
        header = response.headers.get(b"Content-Type", b"").decode("latin-1")
        charset = http_content_type_encoding(header)
        if self.client is not None and self.teaches:
            with self.teaching:
                self.client.upload([(response.url, response.body, charset)])
        return self.answer(response.body, response.url, charset)

    def page_of(self, item: Any) -> str | bytes | None:
        """Return the HTML that an item contains, or None."""
        html = ItemAdapter(item).get(self.html_field)
        return html if isinstance(html, (str, bytes)) else None

    def learn(self, url: str, answer: templated.Answer) -> None:
        """Count a result."""
        self.stats.inc_value("templated/answers")
        self.stats.inc_value(f"templated/quality/{answer.quality}")
        if answer.template is not None:
            self.stats.inc_value(f"templated/pages/{answer.template}")
        if self.saturation.learn(url, answer.template):
            self.stats.inc_value("templated/saturated")
            self.crawler.signals.send_catch_log(
                signal=signals.template_saturated, template=answer.template,
                spider=self.crawler.spider)

    def fail(self, url: str | None, error: templated.TemplatedError) -> None:
        """Count and log why a page has no result."""
        self.stats.inc_value(f"templated/errors/{error.code}")
        logger.warning("%s: %s", url, error)

    def fill(self, item: Any, answer: templated.Answer) -> None:
        """Set the fields that the item has and that are empty."""
        row = ItemAdapter(item)
        for name, field in self.fields.items():
            value = _value_of(answer, name)
            try:
                if row.get(field) is None:
                    row[field] = value
            except KeyError:
                pass  # the class of the item has no such field


def _value_of(answer: templated.Answer, name: str) -> Any:
    """Return what the key `name` of TEMPLATED_FIELDS stands for."""
    if name == "metadata":
        return answer.metadata.as_dict() if answer.metadata else None
    if name in FIELDS:
        return getattr(answer, name)
    field, _, part = name.partition(".")
    value = None if answer.fields is None else answer.fields.get(field)
    if not part:
        return value
    if isinstance(value, list):
        return [one.get(part) if isinstance(one, dict)
                else getattr(one, part, None) for one in value]
    return getattr(value, part, None)


_sources: weakref.WeakKeyDictionary[Any, Source] = weakref.WeakKeyDictionary()


def source_of(crawler: Any) -> Source:
    """Return the source that all components of a crawler share."""
    if crawler not in _sources:
        _sources[crawler] = Source(crawler)
    return _sources[crawler]
