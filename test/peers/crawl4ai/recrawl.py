"""Recrawl with what changed: python recrawl.py SEED FOLDER, every day."""

import asyncio
import hashlib
import json
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

seed, folder = sys.argv[1], Path(sys.argv[2])


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "state.json"
    before = json.loads(state.read_text()) if state.exists() else {}
    deep = BFSDeepCrawlStrategy(max_depth=20)
    config = CrawlerRunConfig(deep_crawl_strategy=deep, cache_mode=CacheMode.BYPASS, check_robots_txt=True, mean_delay=1)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        results = await crawler.arun(seed, config=config)
    now = {one.url: hashlib.sha1(one.html.encode()).hexdigest() for one in results if one.success}
    for url in sorted({*before, *now}):
        if before.get(url) != now.get(url):
            print("new" if url not in before else "gone" if url not in now else "changed", url)
    state.write_text(json.dumps(now))


asyncio.run(main())
