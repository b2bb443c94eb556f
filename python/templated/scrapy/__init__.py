"""templated in Scrapy: items with the text of their pages.

    class Spider(scrapy.Spider):
        custom_settings = {
            **templated.scrapy.SETTINGS,
            "TEMPLATED_SOCKET": "/run/templated/templated.sock",
        }

        def parse(self, response):
            yield {"url": response.url}  # gets text, metadata, template,
            yield from response.follow_all(css="a")  # quality, confidence

Settings and their defaults:

TEMPLATED_SOCKET      the daemon: its socket, or http(s)://HOST:PORT with
TEMPLATED_TOKEN       a token
TEMPLATED_TEACH       send each page to the daemon, so that it builds the
                      templates of a site that it does not watch: False
TEMPLATED_BUNDLE      the bundle of a site, instead of a daemon; without both
                      each page is extracted without a template
TEMPLATED_THREADS     pages that the bundle extracts at the same time: 1
TEMPLATED_OPTIONS     of templated.extract(), such as {"format": "md"}
TEMPLATED_FIELDS      {"text": "body"...}: the fields of items; metadata are
                      not read without "metadata". Other names are fields of
                      the page's template, for which a bundle or a daemon is
                      needed: {"price": "cost"}, or a part: {"price.amount":
                      "cost"}
TEMPLATED_SATURATION  pages of a template after which other pages of its
                      kind are skipped; 0 = unlimited
TEMPLATED_QUALITY     ["ok", "listing"...]: allowed qualities; empty: all
TEMPLATED_CONFIDENCE  minimum confidence of items: 0
TEMPLATED_HTML_FIELD  field of items with HTML for the pipeline: "html"
TEMPLATED_EVENTS      kinds of events that become signals: "template.*"

The Answer of a page is in response.meta["templated"]; a request with
meta={"templated": False} is skipped. Signals are in templated.scrapy.signals,
counters in the stats of the crawl: templated/answers,
templated/quality/QUALITY, templated/pages/TEMPLATE, templated/errors/CODE,
templated/saturated, templated/requests_dropped, templated/items_dropped,
templated/events/KIND.
"""

# Nearer to the spider than decompression, redirects and retries.
SETTINGS = {
    "EXTENSIONS": {"templated.scrapy.extension.TemplatedExtension": 500},
    "DOWNLOADER_MIDDLEWARES": {
        "templated.scrapy.middleware.TemplatedDownloaderMiddleware": 100},
    "SPIDER_MIDDLEWARES": {
        "templated.scrapy.middleware.TemplatedSpiderMiddleware": 100},
    "ITEM_PIPELINES": {"templated.scrapy.pipeline.TemplatedPipeline": 100},
}

__all__ = ["SETTINGS"]
