"""Broken links of a site, with the pages they stand on: python broken-links.py SEED. Exits with 4 if there are any."""

import asyncio
import sys

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

seed = sys.argv[1]
pages_of, broken = {}, {}


async def main():
    config = CrawlerRunConfig(check_robots_txt=True)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        queue, seen = [seed], {seed}
        while queue:
            url = queue.pop(0)
            result = await crawler.arun(url, config=config)
            if not result.success:
                broken[url] = result.status_code or result.error_message
            if result.success and url.startswith(seed):
                for link in result.links["internal"] + result.links["external"]:
                    pages_of.setdefault(link["href"], set()).add(url)
                    if link["href"] not in seen:
                        seen.add(link["href"])
                        queue.append(link["href"])
            await asyncio.sleep(1)


asyncio.run(main())
found = 0
for target, pages in sorted(pages_of.items()):
    if target in broken:
        found += 1
        print(broken[target], target, *sorted(pages))
sys.exit(4 if found else 0)
