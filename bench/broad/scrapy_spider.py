"""Scrapy at its best here: asyncio on uvloop, no log, no cookies, no middleware that is not needed."""

import hashlib
import json
import re
import resource
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess

task = json.loads(sys.argv[1])
inside = re.compile(task["inside"])
urls = []
count = 0


class Broad(scrapy.Spider):
    name = "broad"

    async def start(self):
        # The default would pass the duplicate filter and fetch seeds twice.
        for seed in task["seeds"]:
            yield scrapy.Request(seed)

    def parse(self, response):
        global count
        if response.status != 200:
            return
        urls.append(response.url)
        found = set()
        for href in response.xpath("//a/@href | //area/@href").getall():
            try:
                target = response.urljoin(href.strip())
            except ValueError:
                continue
            if target.startswith(("http://", "https://")):
                found.add(target.split("#", 1)[0])
        found.discard(response.url)
        count += len(found)
        for target in found:
            if inside.search(target):
                yield scrapy.Request(target)


process = CrawlerProcess(
    settings={
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "REFERER_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": task["concurrency"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    }
)


def cpu_ms():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(part.ru_utime + part.ru_stime for part in used) * 1000)


started = time.monotonic()
start_cpu = cpu_ms()
process.crawl(Broad)
process.start()
wall = time.monotonic() - started
print(
    json.dumps(
        {
            "pages": len(urls),
            "links": count,
            "digest": hashlib.sha256("\n".join(sorted(urls)).encode()).hexdigest()[:16],
            "cpuMs": cpu_ms() - start_cpu,
            "startCpuMs": start_cpu,
            "wallMs": round(wall * 1000),
            "rssMiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }
    )
)
