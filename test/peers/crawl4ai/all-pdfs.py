"""All PDFs of a site with their text: python all-pdfs.py SEED FOLDER. Needs crawl4ai[pdf]."""

import asyncio
import json
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy
from crawl4ai.processors.pdf import PDFContentScrapingStrategy, PDFCrawlerStrategy

seed, folder = sys.argv[1], Path(sys.argv[2])


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    config = CrawlerRunConfig(deep_crawl_strategy=BFSDeepCrawlStrategy(max_depth=20), check_robots_txt=True, mean_delay=1)
    pdfs = {}
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        for result in await crawler.arun(seed, config=config):
            for link in result.links["internal"] if result.success else []:
                if link["href"].endswith(".pdf"):
                    pdfs.setdefault(link["href"], result.url)
    read = CrawlerRunConfig(scraping_strategy=PDFContentScrapingStrategy())
    async with AsyncWebCrawler(crawler_strategy=PDFCrawlerStrategy()) as crawler:
        with (folder / "files.jsonl").open("w") as out:
            for url, page in pdfs.items():
                result = await crawler.arun(url, config=read)
                out.write(json.dumps({"url": url, "page": page, "text": result.markdown.raw_markdown}) + "\n")


asyncio.run(main())
