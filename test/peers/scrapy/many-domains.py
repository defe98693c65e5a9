"""The front page of many domains and four pages that it links to: python many-domains.py LIST FILE."""

import sys
from collections import Counter
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess

seeds, file = sys.argv[1:]
pages = Counter()


class Domains(scrapy.Spider):
    name = "domains"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "HTTPERROR_ALLOW_ALL": True,
        "FEEDS": {file: {"format": "csv"}},
    }

    async def start(self):
        for line in open(seeds):
            yield scrapy.Request(line.strip(), errback=self.failed, meta={"seed": True})

    def parse(self, response):
        yield {"url": response.url, "outcome": response.status}
        host = urlsplit(response.url).netloc
        if response.meta.get("seed") and isinstance(response, scrapy.http.HtmlResponse):
            for href in response.css("a::attr(href)").getall():
                target = response.urljoin(href)
                if urlsplit(target).netloc == host and pages[host] < 4:
                    pages[host] += 1
                    yield scrapy.Request(target, errback=self.failed)

    def failed(self, failure):
        yield {"url": failure.request.url, "outcome": failure.type.__name__}


process = CrawlerProcess()
process.crawl(Domains)
process.start()
