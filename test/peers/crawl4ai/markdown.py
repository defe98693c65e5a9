"""Markdown of a site: python markdown.py SEED FOLDER."""

import asyncio
import hashlib
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CrawlerRunConfig, DefaultMarkdownGenerator, PruningContentFilter
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy
from crawl4ai.deep_crawling.filters import FilterChain, URLPatternFilter

seed, folder = sys.argv[1], Path(sys.argv[2])


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    config = CrawlerRunConfig(
        deep_crawl_strategy=BFSDeepCrawlStrategy(
            max_depth=20, filter_chain=FilterChain([URLPatternFilter([f"{seed}*"])])
        ),
        markdown_generator=DefaultMarkdownGenerator(content_filter=PruningContentFilter()),
        check_robots_txt=True,
        mean_delay=1,
    )
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy()) as crawler:
        for result in await crawler.arun(seed, config=config):
            if result.success:
                front = f'---\nurl: "{result.url}"\ntitle: "{(result.metadata or {}).get("title")}"\n---\n\n'
                name = hashlib.sha1(result.url.encode()).hexdigest()
                (folder / f"{name}.md").write_text(front + result.markdown.fit_markdown)


asyncio.run(main())
