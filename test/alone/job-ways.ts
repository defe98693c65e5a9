import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { until } from '../prove/lab.ts';
import type { AloneLab, Shown, Way } from './lab.ts';
import { crawled, failed, recorded, stalled } from './shown.ts';

const scraperPath = join(import.meta.dirname, 'bad-scrapers');
const patienceMs = 90_000;

type Look = (lab: AloneLab) => Promise<Shown | undefined>;

function withJob(name: string, changes: (lab: AloneLab) => Partial<JobInput>, shown: Look): Way {
  return { name, cause: (lab) => lab.create(name, changes(lab)), shown };
}

function scrapedBy(name: string, module: string, shown: Look): Way {
  const scraper = join(scraperPath, module);
  return withJob(name, () => ({ scraper, fetch: { handlerTimeout: '2s' } }), shown);
}

/** Many expressions, each of which reads every link to its end. */
const slowExpressions = Array.from({ length: 100 }, (_, n) => ({ regex: `^.*p.*a.*${n}x$` }));

/** A file that its job names is gone when the worker starts again. */
function fileRemoved(name: string, fetch: (file: string) => JobInput['fetch']): Way {
  const fileOf = ({ data }: AloneLab) => join(data, `${name}.txt`);
  return {
    name,
    async cause(lab) {
      writeFileSync(fileOf(lab), '# Netscape HTTP Cookie File\n');
      await lab.create(name, { fetch: fetch(fileOf(lab)) });
    },
    whileDown: (lab) => Promise.resolve(rmSync(fileOf(lab), { force: true })),
    shown: (lab) => stalledOrFailed(lab, name),
  };
}

async function stalledOrFailed(lab: AloneLab, name: string): Promise<Shown | undefined> {
  const text = new RegExp(name);
  return (await stalled(name, /^workers-unable$/, text)(lab)) ?? (await failed(name, text)(lab));
}

/** A page ends the worker again and again, until it is given up. Its supervisor starts it again each time. */
const deadlyPage: Way = {
  name: 'deadly-page',
  async cause(lab) {
    await lab.create('deadly-page', { scraper: join(scraperPath, 'deadly.ts') });
    const isGivenUp = async () => {
      await lab.revive();
      return (await recorded('deadly-page', 'poison')(lab)) !== undefined;
    };
    await until('the deadly page to be given up', isGivenUp, patienceMs);
  },
  shown: recorded('deadly-page', 'poison'),
};

const quotaUsed: Way = {
  name: 'team-quota-used',
  async cause(lab) {
    await lab.ask('PUT', '/teams/green', { quotas: { pagesPerDay: 3 } });
    await lab.create('team-quota-used', { team: 'green' });
  },
  shown: stalled('team-quota-used', /^quota$/),
  end: async (lab) => void (await lab.ask('DELETE', '/teams/green')),
};

const policyRemoved: Way = {
  name: 'policy-removed',
  async cause(lab) {
    await lab.ask('PUT', '/policies/brief', { policy: { politeness: { gap: '300ms' } } });
    await lab.create('policy-removed', { policy: 'brief' });
    await lab.ask('DELETE', '/policies/brief');
  },
  // The crawl has a copy.
  shown: crawled('policy-removed'),
};

export const jobWays: readonly Way[] = [
  scrapedBy('scraper-throws', 'throwing.ts', recorded('scraper-throws', 'handler')),
  scrapedBy('scraper-hangs', 'hanging.ts', recorded('scraper-hangs', 'handler-timeout')),
  scrapedBy('scraper-slow', 'slow.ts', crawled('scraper-slow')),
  withJob(
    'item-invalid',
    () => ({ extract: [{ fields: { price: { css: '.price', required: true } } }] }),
    recorded('item-invalid', 'item-invalid'),
  ),
  withJob(
    'slow-expressions',
    () => ({ scope: { stay: 'host', exclude: slowExpressions } }),
    crawled('slow-expressions'),
  ),
  withJob(
    'proxy-away',
    ({ closed }) => ({ fetch: { proxy: [{ use: `http://${closed}` }] } }),
    stalled('proxy-away', /^proxy-failed$/),
  ),
  withJob(
    'names-away',
    ({ closed }) => ({ seeds: ['http://shop.test/'], fetch: { dns: [closed] } }),
    stalled('names-away', /^dns-failed$/),
  ),
  fileRemoved('cookies-removed', (cookies) => ({ cookies })),
  fileRemoved('authorities-removed', (ca) => ({ ca })),
  quotaUsed,
  policyRemoved,
  deadlyPage,
];
