"""Pages behind a login form: python behind-a-login.py SEED FILE, the password in PASSWORD."""

import os
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seed, file = sys.argv[1:]


class Members(scrapy.Spider):
    name = "members"
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1, "FEEDS": {file: {"format": "jsonlines"}}}

    async def start(self):
        form = {"name": "reader", "password": os.environ["PASSWORD"]}
        yield scrapy.FormRequest(f"{seed}login", formdata=form)

    def parse(self, response):
        yield {"url": response.url, "html": response.text}
        for link in LinkExtractor(allow=seed, deny="/logout").extract_links(response):
            yield response.follow(link)


process = CrawlerProcess()
process.crawl(Members)
process.start()
