"""Recrawl with what changed: python recrawl.py SEED FOLDER, every day."""

import hashlib
import json
import sys
from pathlib import Path

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seed, folder = sys.argv[1], Path(sys.argv[2])
state = folder / "state.json"
before = json.loads(state.read_text()) if state.exists() else {}
now = {}


class Recrawl(scrapy.Spider):
    name = "recrawl"
    start_urls = [seed]
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 1,
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str((folder / "cache").absolute()),
        "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
    }

    def parse(self, response):
        now[response.url] = hashlib.sha1(response.body).hexdigest()
        for link in LinkExtractor(allow=seed).extract_links(response):
            yield response.follow(link)


folder.mkdir(parents=True, exist_ok=True)
process = CrawlerProcess()
process.crawl(Recrawl)
process.start()
for url in sorted({*before, *now}):
    if before.get(url) != now.get(url):
        print("new" if url not in before else "gone" if url not in now else "changed", url)
state.write_text(json.dumps(now))
