"""Products of a shop: python shop-json-ld.py SEED FILE."""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seed, file = sys.argv[1:]


def nodes(data):
    for node in data if isinstance(data, list) else [data]:
        yield node
        yield from nodes(node.get("@graph", []))


class Shop(scrapy.Spider):
    name = "shop"
    start_urls = [seed]
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1,
        "JOBDIR": "job",
        "FEEDS": {file: {"format": "jsonlines"}},
    }

    def parse(self, response):
        for script in response.css('script[type="application/ld+json"]::text').getall():
            for node in nodes(json.loads(script)):
                if node.get("@type") == "Product":
                    yield {
                        "url": response.url,
                        "name": node["name"],
                        "price": float(node["offers"]["price"]),
                        "currency": node["offers"].get("priceCurrency"),
                        "image": response.urljoin(node["image"]),
                    }
        for link in LinkExtractor(allow=seed).extract_links(response):
            yield response.follow(link)


process = CrawlerProcess()
process.crawl(Shop)
process.start()
