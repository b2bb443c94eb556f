"""templated in Scrapy: items with the text of their page.

    class Spider(scrapy.Spider):
        custom_settings = {
            **templated.scrapy.SETTINGS,
            "TEMPLATED_SOCKET": "/run/templated/templated.sock",
        }

        def parse(self, response):
            yield {"url": response.url}  # gets text, metadata, template,
            yield from response.follow_all(css="a")  # quality, confidence

What the settings say:

TEMPLATED_SOCKET      the daemon: its socket, or http(s)://HOST:PORT with
TEMPLATED_TOKEN       a token
TEMPLATED_TEACH       hand the daemon each page, so that it learns the templates
                      of a site that it does not watch: False
TEMPLATED_BUNDLE      a site's bundle, in place of a daemon; without both each
                      page is taken by itself
TEMPLATED_THREADS     how many pages the bundle answers at a time: 1
TEMPLATED_OPTIONS     of templated.extract(), such as {"format": "md"}
TEMPLATED_FIELDS      {"text": "body"...}: the fields of items; metadata are
                      not read without "metadata"
TEMPLATED_SATURATION  pages of a template after which no more of their kind
                      are asked for; 0: there is no end
TEMPLATED_QUALITY     ["ok", "listing"...]: what items may have; none: any
TEMPLATED_CONFIDENCE  the least that items have: 0
TEMPLATED_HTML_FIELD  of items whose page the pipeline answers: "html"
TEMPLATED_EVENTS      kinds of events that become signals: "template.*"

A spider finds the Answer of a page in response.meta["templated"]; a request
with meta={"templated": False} is left alone. Signals are in
templated.scrapy.signals, numbers among the stats of the crawl:
templated/answers, templated/quality/QUALITY, templated/pages/TEMPLATE,
templated/errors/CODE, templated/saturated, templated/requests_dropped,
templated/items_dropped, templated/events/KIND.
"""

# Nearer to the spider than what unpacks, redirects and tries again.
SETTINGS = {
    "EXTENSIONS": {"templated.scrapy.extension.TemplatedExtension": 500},
    "DOWNLOADER_MIDDLEWARES": {
        "templated.scrapy.middleware.TemplatedDownloaderMiddleware": 100},
    "SPIDER_MIDDLEWARES": {
        "templated.scrapy.middleware.TemplatedSpiderMiddleware": 100},
    "ITEM_PIPELINES": {"templated.scrapy.pipeline.TemplatedPipeline": 100},
}

__all__ = ["SETTINGS"]
