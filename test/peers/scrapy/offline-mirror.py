"""Offline mirror of a site: python offline-mirror.py SEED FOLDER."""

import hashlib
import os
import re
import sys
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess

seed, folder = sys.argv[1], Path(sys.argv[2])
attributes = re.compile(r'\b(href|src)="([^"]*)"')


def path_of(url):
    parts = urlsplit(url)
    path = re.sub(r"[^\w./-]", "_", parts.path.lstrip("/"))
    path = path + "index.html" if path == "" or path.endswith("/") else path
    path = path if "." in path.rsplit("/", 1)[-1] else path + ".html"
    query = hashlib.sha1(parts.query.encode()).hexdigest()[:8] + "-" if parts.query else ""
    return folder / parts.netloc.replace(":", "_") / path.replace(path.rsplit("/", 1)[-1], query + path.rsplit("/", 1)[-1])


class Mirror(scrapy.Spider):
    name = "mirror"
    start_urls = [seed]
    custom_settings = {"ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 1}

    def parse(self, response):
        file = path_of(response.url)
        file.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(response, scrapy.http.HtmlResponse):
            file.write_bytes(response.body)
            return
        targets = []

        def local(match):
            url, fragment = urldefrag(response.urljoin(match[2]))
            if not url.startswith(seed):
                return match[0]
            targets.append(url)
            relative = os.path.relpath(path_of(url), file.parent)
            return f'{match[1]}="{relative}{"#" + fragment if fragment else ""}"'

        file.write_text(attributes.sub(local, response.text))
        for url in targets:
            yield scrapy.Request(url)


process = CrawlerProcess()
process.crawl(Mirror)
process.start()
