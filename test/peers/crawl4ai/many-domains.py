"""The front page of many domains and four pages that it links to: python many-domains.py LIST FILE."""

import asyncio
import csv
import sys
from urllib.parse import urldefrag

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig, MemoryAdaptiveDispatcher, RateLimiter
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

seeds, file = sys.argv[1:]


async def main():
    config = CrawlerRunConfig(check_robots_txt=True, stream=True)
    urls = [line.strip() for line in open(seeds)]
    with open(file, "w") as out:
        rows = csv.writer(out)
        async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(max_connections=100)) as crawler:
            for is_seed in (True, False):
                limiter = RateLimiter(base_delay=(1, 1))
                dispatcher = MemoryAdaptiveDispatcher(max_session_permit=100, rate_limiter=limiter)
                found = []
                async for result in await crawler.arun_many(urls, config=config, dispatcher=dispatcher):
                    rows.writerow([result.url, result.status_code or result.error_message])
                    if is_seed and result.success:
                        links = {urldefrag(link["href"])[0] for link in result.links["internal"]}
                        found += sorted(links - {result.url})[:4]
                urls = found


asyncio.run(main())
