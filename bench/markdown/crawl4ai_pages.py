"""Crawl4AI at its best here: its HTTP strategy without a browser, default Markdown, no cache, no log, no delay."""

import asyncio
import hashlib
import json
import resource
import sys
import time
from pathlib import Path

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig, SemaphoreDispatcher
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

task = json.loads(sys.argv[1])
folder = Path(task["folder"]) / "crawl4ai"


def cpu_ms():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(part.ru_utime + part.ru_stime for part in used) * 1000)


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    strategy = AsyncHTTPCrawlerStrategy(max_connections=task["concurrency"])
    config = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, verbose=False)
    dispatcher = SemaphoreDispatcher(semaphore_count=task["concurrency"])
    written = 0
    async with AsyncWebCrawler(crawler_strategy=strategy, config=BrowserConfig(verbose=False)) as crawler:
        for result in await crawler.arun_many(task["seeds"], config=config, dispatcher=dispatcher):
            if result.success:
                name = hashlib.sha1(result.url.encode()).hexdigest()
                (folder / f"{name}.md").write_text(result.markdown.raw_markdown)
                written += 1
            else:
                print(result.url, result.error_message, file=sys.stderr)
    return written


started, start_cpu = time.monotonic(), cpu_ms()
pages = asyncio.run(main())
figures = {
    "pages": pages,
    "links": 0,
    "digest": "",
    "cpuMs": cpu_ms() - start_cpu,
    "startCpuMs": start_cpu,
    "wallMs": round((time.monotonic() - started) * 1000),
    "rssMiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
}
print(json.dumps(figures))
