"""sample_spider.py URL OUT SETTINGS: a spider as a user writes it.

Follows every link of the site; of each page an item, one of them of a class
with few fields, and one that brings its page itself. OUT gets the items, the
stats and the signals that came, as JSON; SETTINGS is JSON.
"""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

import templated.scrapy
from templated.scrapy import signals


class Small(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field()


class Spider(scrapy.Spider):
    name = "sample"

    @classmethod
    def from_crawler(cls, crawler, *arguments, **options):
        spider = super().from_crawler(crawler, *arguments, **options)
        spider.items, spider.told = [], []
        crawler.signals.connect(spider.on_event, signals.template_event)
        crawler.signals.connect(spider.on_saturated,
                                signals.template_saturated)
        crawler.signals.connect(spider.on_item, scrapy.signals.item_scraped)
        return spider

    def on_event(self, event):
        self.told.append(event["kind"])

    def on_saturated(self, template):
        self.told.append(template)

    def on_item(self, item):
        self.items.append(dict(item))

    def parse(self, response):
        yield {"url": response.url,
               "seen": getattr(response.meta.get("templated"), "template",
                               None)}
        if response.url == self.start_urls[0]:
            yield Small(url="small")
            yield {"url": response.urljoin("brought/"), "text": None,
                   "html": response.text}
        yield from response.follow_all(LinkExtractor().extract_links(response))


def main(url, out, settings):
    process = CrawlerProcess({
        **templated.scrapy.SETTINGS, "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "CLOSESPIDER_TIMEOUT": 60,
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7", **json.loads(settings)})
    crawler = process.create_crawler(Spider)
    process.crawl(crawler, start_urls=[url],
                  allowed_domains=["127.0.0.1"])
    process.start()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"items": crawler.spider.items, "told": crawler.spider.told,
                   "stats": crawler.stats.get_stats()}, file, default=str)


main(*sys.argv[1:])
