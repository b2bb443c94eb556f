"""Extract the HTML that items contain; drop items of low quality."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

import templated
from templated.scrapy.source import Source, source_of


class TemplatedPipeline:
    """Fill items that have HTML in TEMPLATED_HTML_FIELD; drop items whose
    quality is not in TEMPLATED_QUALITY, or whose confidence is below
    TEMPLATED_CONFIDENCE."""

    def __init__(self, source: Source, settings: Any) -> None:
        self.source = source
        self.qualities = settings.getlist("TEMPLATED_QUALITY")
        self.confidence = settings.getfloat("TEMPLATED_CONFIDENCE")

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplatedPipeline:
        return cls(source_of(crawler), crawler.settings)

    def process_item(self, item: Any, spider: Any) -> Any:
        html = self.source.page_of(item)
        if html is None:
            return self._judge(item)
        url = ItemAdapter(item).get("url")

        def keep(answer: templated.Answer) -> Any:
            self.source.learn(url or "", answer)
            self.source.fill(item, answer)
            return self._judge(item)

        def go_without(failure: Failure) -> Any:
            failure.trap(templated.TemplatedError)
            self.source.fail(url, failure.value)
            return item

        answer = deferToThread(self.source.answer, html, url)
        return answer.addCallbacks(keep, go_without)

    def _judge(self, item: Any) -> Any:
        """Return the item or raise DropItem; keep items without a result."""
        row = ItemAdapter(item)
        quality = row.get(self.source.fields.get("quality", "quality"))
        confidence = row.get(self.source.fields.get("confidence",
                                                    "confidence"))
        if quality is not None and self.qualities and (
                quality not in self.qualities):
            self.source.stats.inc_value("templated/items_dropped")
            raise DropItem(f"its quality is {quality}")
        if confidence is not None and confidence < self.confidence:
            self.source.stats.inc_value("templated/items_dropped")
            raise DropItem(f"its confidence is {confidence:.2f}")
        return item
