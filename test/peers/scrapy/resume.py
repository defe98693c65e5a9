"""A crawl that can be stopped and resumed: python resume.py SEED FOLDER."""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seed, folder = sys.argv[1:]


class Site(scrapy.Spider):
    name = "site"
    start_urls = [seed]
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1,
        "JOBDIR": f"{folder}/job",
        "FEEDS": {f"{folder}/pages.jsonl": {"format": "jsonlines"}},
    }

    def parse(self, response):
        yield {"url": response.url, "html": response.text}
        for link in LinkExtractor(allow=seed).extract_links(response):
            yield response.follow(link)


process = CrawlerProcess()
process.crawl(Site)
process.start()
