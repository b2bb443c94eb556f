"""The events of the daemon as signals, while a spider runs."""

from __future__ import annotations

import logging
import threading
import urllib.parse
from typing import Any

from scrapy import signals as of_scrapy

import templated
from templated.scrapy import signals
from templated.scrapy.source import Source, source_of

logger = logging.getLogger(__name__)


class TemplatedExtension:
    """Close shared objects at the end; send signals.template_event.

    TEMPLATED_EVENTS selects the kinds of events; empty: none.
    """

    def __init__(self, source: Source, kinds: str) -> None:
        self.source = source
        self.kinds = kinds
        self.hosts: set[str] = set()
        self.stream: templated.EventStream | None = None
        self.thread: threading.Thread | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplatedExtension:
        extension = cls(source_of(crawler), crawler.settings.get(
            "TEMPLATED_EVENTS", "template.*"))
        for handler, signal in (
                (extension.spider_opened, of_scrapy.spider_opened),
                (extension.request_reached_downloader,
                 of_scrapy.request_reached_downloader),
                (extension.spider_closed, of_scrapy.spider_closed)):
            crawler.signals.connect(handler, signal=signal)
        return extension

    def request_reached_downloader(self, request: Any) -> None:
        parts = urllib.parse.urlsplit(request.url)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        host = parts.hostname or ""
        self.hosts.add(host if parts.port in (None, default)
                       else f"{host}:{parts.port}")

    def spider_opened(self, spider: Any) -> None:
        if self.source.client is None or not self.kinds:
            return
        try:
            self.stream = self.source.client.follow(kinds=self.kinds)
        except templated.TemplatedError as error:
            logger.warning("no events: %s", error)
            return
        self.thread = threading.Thread(target=self._listen,
                                       args=(self.stream, spider), daemon=True)
        self.thread.start()

    def _listen(self, stream: templated.EventStream, spider: Any) -> None:
        # the reactor is known only now
        from twisted.internet import reactor
        try:
            for event in stream:
                reactor.callFromThread(self._tell, event, spider)
        except templated.TemplatedError as error:
            logger.warning("no more events: %s", error)

    def _tell(self, event: templated.Event, spider: Any) -> None:
        if event["site"] not in self.hosts:
            return
        self.source.stats.inc_value(f"templated/events/{event['kind']}")
        self.source.crawler.signals.send_catch_log(
            signal=signals.template_event, event=event, spider=spider)

    def spider_closed(self, spider: Any) -> None:
        if self.stream is not None and self.thread is not None:
            self.stream.close()
            self.thread.join(5)
        self.source.close()
