import { join } from 'node:path';
import { resolveJob, userAgentFor } from '@webfarer/protocol';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { finish, readTask } from './work.ts';

/** The whole product: frontier on disk, leases, robots, records and edges; only bodies are not saved. */
const task = readTask();
const input = {
  name: 'broad',
  seeds: task.seeds,
  contact: 'https://lab.test/crawler',
  scope: { stay: 'web', include: [{ regex: task.hosts }] },
  limits: {
    pages: 'none',
    bytes: 'none',
    depth: 'none',
    cost: 'none',
    perHost: { pages: 'none' },
    perSite: { pages: 'none' },
    minFree: '1MB',
  },
  politeness: { gap: '0s', slowFactor: 0, connections: task.concurrency },
  fetch: {
    ...task.fetch,
    maxBody: '200KB',
    retries: { count: 3, backoff: '1ms' },
    types: { save: ['*/*'], ignore: [] },
  },
  save: ['none'],
};
const job = resolveJob(input);
const started = performance.now();
const { run } = await openLocal({
  job,
  input,
  folder: join(task.folder, 'ours.crawl'),
  userAgent: userAgentFor(job, '0'),
});
const { records } = await run;
const urls: string[] = [];
for await (const { url, verdict } of records) if (verdict === 'done') urls.push(url);
finish(urls, started);
