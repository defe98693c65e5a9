import { WebfarerError } from '@webfarer/protocol';
import { parseDuration, parseSize } from '@webfarer/protocol/job';
import { jsonLine } from '@webfarer/protocol/crawl';
import { estimate, type Estimate, type Plan } from '../sizing/estimate.ts';
import { bytes, count, longSpan, plural, rate } from '../terminal/format.ts';
import type { CommandHome } from './home.ts';

interface SizeOptions {
  pages: string;
  hosts: string;
  within: string;
  pageSize: string;
  gap: string;
  urlsPerPage: string;
  archive: boolean;
  json?: boolean;
}

export function addSizeCommand({ program, context }: CommandHome): void {
  program
    .command('size')
    .description(
      'Estimates how long politeness makes a crawl take, and what machines, store and disk it needs. The figures behind it are in docs/sizing.md.',
    )
    .requiredOption('--pages <n>', 'pages to fetch, such as 1000000 or 2.5m')
    .requiredOption('--hosts <n>', 'hosts that they are on')
    .option('--within <time>', 'time in which it should end', '7d')
    .option('--page-size <size>', 'mean size of a page on the wire', '26KB')
    .option('--gap <time>', 'delay between requests to a host', '1s')
    .option('--urls-per-page <n>', 'URLs that become known for each page that is fetched', '5')
    .option('--no-archive', 'without the bodies')
    .option('--json', 'the figures as one JSON object')
    .action((options: SizeOptions) => {
      const plan = planOf(options);
      const figures = estimate(plan);
      context.terminal.out(options.json ? jsonLine({ plan, ...figures }) : lines(plan, figures));
    });
}

function planOf(options: SizeOptions): Plan {
  return {
    pages: positive(options.pages, '--pages'),
    hosts: positive(options.hosts, '--hosts'),
    withinMs: known(parseDuration(options.within), '--within', options.within, '7d or 12h'),
    pageBytes: known(parseSize(options.pageSize), '--page-size', options.pageSize, '26KB'),
    gapMs: known(parseDuration(options.gap), '--gap', options.gap, '1s'),
    urlsPerPage: positive(options.urlsPerPage, '--urls-per-page'),
    archives: options.archive,
  };
}

const powers: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9, b: 1e9 };

function positive(text: string, option: string): number {
  const [, digits = '', unit = ''] = /^(\d[\d,_]*(?:\.\d+)?)([kmgb]?)$/i.exec(text.trim()) ?? [];
  const value = Number(digits.replaceAll(/[,_]/g, '')) * (powers[unit.toLowerCase()] ?? Number.NaN);
  return known(value > 0 ? value : undefined, option, text, '5000, 20k or 1.5m');
}

function known(value: number | undefined, option: string, text: string, example: string): number {
  if (value !== undefined) return value;
  throw new WebfarerError('usage', `${option} cannot be "${text}"`, { next: `Write it like ${example}.` });
}

function lines(plan: Plan, figures: Estimate): string {
  const slow = figures.soonestMs > plan.withinMs;
  const rows: [string, string][] = [
    [
      'time',
      slow
        ? `${longSpan(figures.soonestMs)} at the soonest: politeness allows a page of a host every ${longSpan(plan.gapMs)}, plus its answer`
        : `${longSpan(plan.withinMs)}; politeness alone would allow ${longSpan(figures.soonestMs)}`,
    ],
    ['rate', `${rate(figures.pagesPerSecond)} pages/s, ${(figures.bitsPerSecond / 1e6).toFixed(1)} Mbit/s`],
    [
      'workers',
      `${plural(figures.workers, 'worker')} with --connections ${figures.connections}, ${figures.coresOfWorkers.toFixed(1)} cores and ${bytes(figures.memoryOfWorkers)} of memory in all`,
    ],
    ['coordinators', plural(figures.coordinators, 'coordinator')],
    [
      'frontier',
      figures.frontier === 'folder'
        ? `in the folder of the coordinator: ${count(figures.knownUrls)} known URLs`
        : `a store with ${bytes(figures.storeBytes)} of memory on ${plural(figures.shards, 'shard')} of 64 GiB, each with a replica: ${count(figures.knownUrls)} known URLs`,
    ],
    ['disk', `${bytes(figures.archiveBytes)} of archive, ${bytes(figures.recordBytes)} of records and links`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const note = '  Hosts are taken as equally large; the largest host of a real crawl takes longer.';
  return `${rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')}\n${note}\n`;
}
