"""scrapy_spider.py: all texts of a site that the daemon watches.

    apt install templated python3-templated python3-scrapy
    templatectl watch https://example.org/
    scrapy runspider scrapy_spider.py -a url=https://example.org/ -o texts.jsonl

Each item gets the text, metadata, template, quality and confidence of its page.
After 30 pages of a template the spider skips other pages of its kind.
"""

import urllib.parse

import scrapy
from scrapy.linkextractors import LinkExtractor

import templated.scrapy
from templated.scrapy import signals


class TextSpider(scrapy.Spider):
    name = "texts"
    custom_settings = {
        **templated.scrapy.SETTINGS,
        "TEMPLATED_SOCKET": "/run/templated/templated.sock",
        "TEMPLATED_OPTIONS": {"format": "md"},
        "TEMPLATED_QUALITY": ["ok", "listing"],
        "TEMPLATED_SATURATION": 30,
    }

    def __init__(self, url, **options):
        super().__init__(**options)
        self.start_urls = [url]
        self.links = LinkExtractor(
            allow_domains=[urllib.parse.urlsplit(url).netloc])

    @classmethod
    def from_crawler(cls, crawler, *arguments, **options):
        spider = super().from_crawler(crawler, *arguments, **options)
        crawler.signals.connect(spider.on_event, signals.template_event)
        return spider

    def on_event(self, event):
        self.logger.warning("%s: %s", event["kind"], event["cluster"])

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(self.links.extract_links(response))
