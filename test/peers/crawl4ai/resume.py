"""A crawl that can be stopped and resumed: python resume.py SEED FOLDER."""

import asyncio
import json
import os
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

seed, folder = sys.argv[1], Path(sys.argv[2])
state = folder / "state.json"


async def keep(data):
    state.with_suffix(".new").write_text(json.dumps(data))
    os.replace(state.with_suffix(".new"), state)


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    saved = json.loads(state.read_text()) if state.exists() else None
    deep = BFSDeepCrawlStrategy(max_depth=20, resume_state=saved, on_state_change=keep)
    config = CrawlerRunConfig(deep_crawl_strategy=deep, stream=True, check_robots_txt=True, mean_delay=1)
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        with (folder / "pages.jsonl").open("a") as out:
            async for result in await crawler.arun(seed, config=config):
                out.write(json.dumps({"url": result.url, "html": result.html}) + "\n")
                out.flush()


asyncio.run(main())
