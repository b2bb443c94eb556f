"""Results for responses; filter for requests of saturated templates."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from itemadapter import is_item
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

import templated
from templated.scrapy.source import Source, source_of

META = "templated"  # of a request; False: skip it


class TemplatedDownloaderMiddleware:
    """Set response.meta["templated"] of each HTML page to an Answer.

    Ignore requests for pages of saturated templates, unless meta["templated"]
    is False.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplatedDownloaderMiddleware:
        return cls(source_of(crawler))

    def process_request(self, request: Any, spider: Any) -> None:
        if request.meta.get(META) is not False and (
                self.source.saturation.is_saturated(request.url)):
            self.source.stats.inc_value("templated/requests_dropped")
            raise IgnoreRequest("its template is saturated")

    def process_response(self, request: Any, response: Any,
                         spider: Any) -> Any:
        if (request.meta.get(META) is False or response.status >= 300
                or not isinstance(response, HtmlResponse)):
            return response

        def keep(answer: templated.Answer) -> Any:
            request.meta[META] = answer
            self.source.learn(response.url, answer)
            return response

        def go_without(failure: Failure) -> Any:
            failure.trap(templated.TemplatedError)
            self.source.fail(response.url, failure.value)
            return response

        answer = deferToThread(self.source.answer_response, response)
        return answer.addCallbacks(keep, go_without)


class TemplatedSpiderMiddleware:
    """Set text, metadata, template, quality and confidence of the items of a
    page, if the items have these fields."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplatedSpiderMiddleware:
        return cls(source_of(crawler))

    def _fill(self, response: Any, result: Any) -> Any:
        answer = response.meta.get(META)
        if (isinstance(answer, templated.Answer) and is_item(result)
                and self.source.page_of(result) is None):
            self.source.fill(result, answer)
        return result

    def process_spider_output(self, response: Any, result: Iterable[Any],
                              spider: Any) -> Iterator[Any]:
        for one in result:
            yield self._fill(response, one)

    async def process_spider_output_async(
            self, response: Any, result: AsyncIterator[Any],
            spider: Any) -> AsyncIterator[Any]:
        async for one in result:
            yield self._fill(response, one)
