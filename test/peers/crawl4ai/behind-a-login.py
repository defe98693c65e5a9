"""Pages behind a login form: python behind-a-login.py SEED FILE, the password in PASSWORD."""

import asyncio
import json
import os
import sys

import httpx
from crawl4ai import AsyncWebCrawler, CrawlerRunConfig, HTTPCrawlerConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy
from crawl4ai.deep_crawling.filters import FilterChain, URLPatternFilter

seed, file = sys.argv[1:]


async def main():
    form = {"name": "reader", "password": os.environ["PASSWORD"]}
    answer = httpx.post(f"{seed}login", data=form)
    cookie = "; ".join(f"{name}={value}" for name, value in answer.cookies.items())
    no_logout = FilterChain([URLPatternFilter(["*/logout*"], reverse=True)])
    deep = BFSDeepCrawlStrategy(max_depth=20, filter_chain=no_logout)
    config = CrawlerRunConfig(deep_crawl_strategy=deep, check_robots_txt=True, mean_delay=1)
    strategy = AsyncHTTPCrawlerStrategy(HTTPCrawlerConfig(headers={"Cookie": cookie}))
    async with AsyncWebCrawler(crawler_strategy=strategy) as crawler:
        with open(file, "w") as out:
            for result in await crawler.arun(seed, config=config):
                if result.success:
                    out.write(json.dumps({"url": result.url, "html": result.html}) + "\n")


asyncio.run(main())
