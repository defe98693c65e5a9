"""All PDFs of a site with their text: python all-pdfs.py SEED FOLDER. Needs pypdf beside Scrapy."""

import hashlib
import io
import json
import sys
from pathlib import Path

import scrapy
from pypdf import PdfReader
from scrapy.crawler import CrawlerProcess

seed, folder = sys.argv[1], Path(sys.argv[2])


class Pdfs(scrapy.Spider):
    name = "pdfs"
    start_urls = [seed]
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1, "JOBDIR": str(folder / "job")}

    def parse(self, response):
        if b"application/pdf" in response.headers.get("Content-Type", b""):
            text = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(response.body)).pages)
            path = folder / f"{hashlib.sha1(response.url.encode()).hexdigest()}.pdf"
            path.write_bytes(response.body)
            with (folder / "files.jsonl").open("a") as out:
                line = {"url": response.url, "page": response.meta["page"], "path": str(path), "text": text}
                out.write(json.dumps(line) + "\n")
        elif isinstance(response, scrapy.http.HtmlResponse):
            for href in response.css("a::attr(href)").getall():
                target = response.urljoin(href)
                if target.startswith(seed):
                    yield scrapy.Request(target, meta={"page": response.url})


folder.mkdir(parents=True, exist_ok=True)
process = CrawlerProcess()
process.crawl(Pdfs)
process.start()
