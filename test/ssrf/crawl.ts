import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import { startCrawler, writeJob } from '../prove/lab.ts';
import { moods } from './rebinding.ts';
import { forbiddenPlaces, forbiddenSixes, localNames, spellingsOf } from './spellings.ts';

/** Where pages, sitemaps and robots.txt lead; FORM is replaced by what led there. */
export function crawlTargets(quick: boolean): string[] {
  const hosts = quick
    ? ['0x7f.1', '[::1]', '[::ffff:169.254.169.254]', 'localhost', 'turned-0.rebind.test']
    : [
        ...spellingsOf('127.0.0.1'),
        ...forbiddenPlaces,
        ...forbiddenSixes.map((six) => `[${six}]`),
        ...localNames,
        ...Object.keys(moods).map((mood) => `${mood}-0.rebind.test`),
      ];
  const schemes = ['file', 'gopher', 'ftp', 'data', 's3', 'unix', 'dict', 'ws', 'jar'];
  return [
    ...hosts.map((host) => `http://${host}/FORM`),
    `https://127.0.0.1/FORM`,
    `http://127.0.0.1:8080/FORM`,
    `http://93.184.215.14@127.0.0.1/FORM`,
    ...(quick ? [] : schemes).map((scheme) => `${scheme}://127.0.0.1/FORM`),
  ];
}

function jobFor(seeds: string[], allowPrivate: string[]): JobInput {
  return {
    name: 'ssrf',
    seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web', requisites: true },
    limits: {
      pages: 'none',
      bytes: 'none',
      duration: 'none',
      depth: 'none',
      cost: 'none',
      perHost: { pages: 100_000 },
      perSite: { pages: 'none' },
      minFree: '50MB',
    },
    politeness: { gap: '1ms', slowFactor: 0, connections: 200 },
    robots: { giveUpAfter: '100ms' },
    fetch: {
      allowPrivate,
      timeout: '3s',
      types: { save: ['*/*'] },
      retries: { count: 0, backoff: '10ms', deadAfter: 1 },
    },
    save: [{ none: {} }],
  } as JobInput;
}

export interface Crawled {
  code: number | string;
  output: string;
  records: number;
  reasons: Record<string, number>;
}

/** A whole crawl by the command, as a person would start it. */
export async function crawl(options: {
  folder: string;
  name: string;
  seeds: string[];
  allowPrivate: string[];
}): Promise<Crawled> {
  const file = join(options.folder, `${options.name}.json`);
  const out = join(options.folder, `${options.name}.crawl`);
  await writeJob(file, jobFor(options.seeds, options.allowPrivate));
  const crawler = startCrawler(file, out);
  const code = await crawler.ended;
  const reasons: Record<string, number> = {};
  let records = 0;
  if (code !== 0) return { code, output: crawler.output(), records, reasons };
  const reader = await readFolder(out);
  try {
    for await (const record of reader.results.records(reader.crawl)) {
      records++;
      reasons[record.reason] = (reasons[record.reason] ?? 0) + 1;
    }
  } finally {
    await reader.close();
  }
  return { code, output: crawler.output(), records, reasons };
}
