"""WARC of a site: python archive-and-replay.py SEED FILE.warc.gz. Needs warcio beside Scrapy."""

import sys
from io import BytesIO

import scrapy
from scrapy.crawler import CrawlerProcess
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

seed, file = sys.argv[1:]
out = open(file, "wb")
writer = WARCWriter(out, gzip=True)


class Archive(scrapy.Spider):
    name = "archive"
    start_urls = [seed]
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1, "HTTPERROR_ALLOW_ALL": True}

    def parse(self, response):
        pairs = [(k.decode(), v.decode("latin-1")) for k in response.headers for v in response.headers.getlist(k)]
        head = StatusAndHeaders(f"{response.status} ", pairs, protocol="HTTP/1.1")
        record = writer.create_warc_record(response.url, "response", payload=BytesIO(response.body), http_headers=head)
        writer.write_record(record)
        if isinstance(response, scrapy.http.HtmlResponse):
            for href in response.xpath("//a/@href | //link/@href | //img/@src | //script/@src").getall():
                target = response.urljoin(href)
                if target.startswith(seed):
                    yield scrapy.Request(target)


process = CrawlerProcess()
process.crawl(Archive)
process.start()
out.close()
