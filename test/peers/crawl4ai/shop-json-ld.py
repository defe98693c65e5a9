"""Products of a shop: python shop-json-ld.py SEED FILE. Its own extraction reads CSS, not JSON-LD."""

import asyncio
import json
import re
import sys
from urllib.parse import urljoin

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

seed, file = sys.argv[1:]
scripts = re.compile(r'<script[^>]*application/ld\+json[^>]*>(.*?)</script>', re.S)


def nodes(data):
    for node in data if isinstance(data, list) else [data]:
        yield node
        yield from nodes(node.get("@graph", []))


async def main():
    deep = BFSDeepCrawlStrategy(max_depth=20)
    config = CrawlerRunConfig(deep_crawl_strategy=deep, check_robots_txt=True, mean_delay=1)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        with open(file, "w") as out:
            for result in await crawler.arun(seed, config=config):
                for script in scripts.findall(result.html or ""):
                    for node in nodes(json.loads(script)):
                        if node.get("@type") == "Product":
                            item = {
                                "url": result.url,
                                "name": node["name"],
                                "price": float(node["offers"]["price"]),
                                "currency": node["offers"].get("priceCurrency"),
                                "image": urljoin(result.url, node["image"]),
                            }
                            out.write(json.dumps(item) + "\n")


asyncio.run(main())
