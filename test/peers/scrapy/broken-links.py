"""Broken links of a site, with the pages they stand on: python broken-links.py SEED. Exits with 4 if there are any."""

import sys
from urllib.parse import urldefrag

import scrapy
from scrapy.crawler import CrawlerProcess

seed = sys.argv[1]
pages_of, broken, ids = {}, {}, {}


class Links(scrapy.Spider):
    name = "links"
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1, "HTTPERROR_ALLOW_ALL": True}

    async def start(self):
        yield scrapy.Request(seed, errback=self.failed, meta={"asked": seed})

    def parse(self, response):
        asked = response.meta["asked"]
        if response.status >= 400:
            broken[asked] = response.status
        if not response.url.startswith(seed) or not isinstance(response, scrapy.http.HtmlResponse):
            return
        ids[asked] = set(response.xpath("//@id | //a/@name").getall())
        for href in response.css("a::attr(href)").getall():
            target = response.urljoin(href.strip())
            if target.startswith("http"):
                pages_of.setdefault(target, set()).add(response.url)
                url = urldefrag(target)[0]
                method = "GET" if url.startswith(seed) else "HEAD"
                yield scrapy.Request(url, method=method, errback=self.failed, meta={"asked": url})

    def failed(self, failure):
        broken[failure.request.meta["asked"]] = failure.value


process = CrawlerProcess()
process.crawl(Links)
process.start()
found = 0
for target, pages in sorted(pages_of.items()):
    url, fragment = urldefrag(target)
    why = broken.get(url) or (fragment and url in ids and fragment not in ids[url] and "no such anchor")
    if why:
        found += 1
        print(why, target, *sorted(pages))
sys.exit(4 if found else 0)
