import { systemClock, type Url, type WorkerId } from '@webfarer/protocol';
import { crawlA, offerOf, outcome, settings } from '../suite/world.fixture.ts';
import { openSqliteFrontier } from './sqlite-frontier.ts';

/** Crawls a made-up web for ever, to be killed: `node busy-crawl.fixture.ts FILE`. Prints each settled URL. */
const [, , path = ''] = process.argv;
const sizes = { seen: { table: 40, tail: 7, runsPerLevel: 2, pace: 3, kept: 7, recent: 4 }, unlisted: 60 };
const frontier = openSqliteFrontier({ path, clock: systemClock(), sizes });
await frontier.openCrawl({ ...settings, gapMs: 0 });
await frontier.releaseAll();
await frontier.offer(crawlA, [offerOf('http://h0.test/0')]);

const linked = (n: number) => offerOf(`http://h${n % 23}.test/${n}`);

async function work(worker: string): Promise<void> {
  for (;;) {
    const { leases } = await frontier.lease({ worker: worker as WorkerId, hosts: 3, urlsPerHost: 4 });
    await Promise.all(
      leases.map(async (lease) => {
        const settled = lease.entries.map((entry) => {
          const n = Number(pathNumber(entry.url));
          return outcome(entry, { offers: [2 * n + 1, 2 * n + 2].map(linked), items: [n] });
        });
        const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
        const [answer] = await frontier.report([{ ...lease, settled, news, close: true }]);
        if (answer?.ok) for (const { url } of settled) console.log(url);
      }),
    );
  }
}

function pathNumber(url: Url): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

await Promise.all(['a', 'b', 'c'].map(work));
