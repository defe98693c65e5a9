"""Markdown of a site: python markdown.py SEED FOLDER. Needs readability-lxml and markdownify beside Scrapy."""

import hashlib
import sys
from pathlib import Path

import scrapy
from markdownify import markdownify
from readability import Document
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

seed, folder = sys.argv[1], Path(sys.argv[2])


class Markdown(scrapy.Spider):
    name = "markdown"
    start_urls = [seed]
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1, "JOBDIR": str(folder / "job")}

    def parse(self, response):
        document = Document(response.text, url=response.url)
        text = markdownify(document.summary(), heading_style="ATX")
        front = f'---\nurl: "{response.url}"\ntitle: "{document.title()}"\n---\n\n'
        name = hashlib.sha1(response.url.encode()).hexdigest()
        (folder / f"{name}.md").write_text(front + text)
        for link in LinkExtractor(allow=seed).extract_links(response):
            yield response.follow(link)


folder.mkdir(parents=True, exist_ok=True)
process = CrawlerProcess()
process.crawl(Markdown)
process.start()
