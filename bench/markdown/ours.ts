import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { growYoungGeneration } from '../../packages/cli/src/machine/young-generation.ts';
import { finish, readTask, stopMeasuring } from '../broad/work.ts';
import { noLimits } from '../no-limits.ts';

/**
 * A crawl with `save: markdown` as a person runs it: store on disk, leases, robots.txt, a file for each page. Second
 * argument: `whole` for the whole page instead of its main content. The pages are seeds, and no link is followed.
 */
growYoungGeneration();
const task = readTask();
const main = process.argv[3] !== 'whole';
const folder = join(task.folder, 'ours.crawl');
const input = {
  name: 'markdown',
  seeds: task.seeds,
  contact: 'https://lab.test/crawler',
  limits: { ...noLimits, depth: 0 },
  politeness: { gap: '0s', slowFactor: 0, connections: task.concurrency },
  fetch: { allowPrivate: ['127.0.0.0/8'] },
  save: [{ markdown: { main } }],
};
const job = resolveJob(input);
const userAgent = userAgentFor(job, '0');
const { run } = await openLocal({ job, input, folder, userAgent, ledger: join(task.folder, 'hosts.db') });
await run;
const measured = stopMeasuring();
const files = readdirSync(join(folder, 'markdown'), { recursive: true, encoding: 'utf8' });
finish(
  files.filter((name) => name.endsWith('.md')),
  0,
  measured,
);
