import { join } from 'node:path';
import { openSqliteFrontier } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { openLocal } from '../../packages/cli/src/local/local-crawl.ts';
import { growYoungGeneration } from '../../packages/cli/src/machine/young-generation.ts';
import { databaseName, readManifest } from '../../packages/coordinator/src/folder/manifest.ts';
import { finish, mark, readTask, stopMeasuring } from './work.ts';
import { noLimits } from '../no-limits.ts';

/**
 * The whole product as a person runs it: store on disk, leases, robots.txt, records and link graph. Second
 * argument: what saves bodies. Only the pauses of politeness are set to nothing, as for everybody.
 */
growYoungGeneration();
const task = readTask();
const saver = process.argv[3] ?? 'none';
const folder = join(task.folder, 'ours.crawl');
const input = {
  name: 'broad',
  seeds: task.seeds,
  contact: 'https://lab.test/crawler',
  scope: { stay: 'web', include: [{ regex: task.inside }] },
  normalise: { enabled: false },
  limits: noLimits,
  politeness: { gap: '0s', slowFactor: 0, connections: task.concurrency },
  fetch: { allowPrivate: ['127.0.0.0/8'], ...(task.ca === undefined ? {} : { ca: task.ca }) },
  save: [saver],
};
const job = resolveJob(input);
const { run } = await openLocal({
  job,
  input,
  folder,
  userAgent: userAgentFor(job, '0'),
  ledger: join(task.folder, 'hosts.db'),
  log: {
    attach: (events) =>
      events.listen(['crawl-state'], ({ state }) => mark(state === 'running' ? 'opened' : 'pages')),
  },
});
await run;
const measured = stopMeasuring();

// Counted from what is on disk, after the measurement.
const urls: string[] = [];
let links = 0;
const manifest = await readManifest(folder);
const store = openSqliteFrontier({ path: join(folder, databaseName), clock: systemClock(), readOnly: true });
if (manifest) {
  for await (const record of store.results.records(manifest.id))
    if (record.status === 200) urls.push(record.url);
  for await (const { from, edges } of store.results.edges(manifest.id)) {
    const targets = new Set<string>();
    for (const { rel, to } of edges) if (to !== from && (rel === 'a' || rel === 'area')) targets.add(to);
    links += targets.size;
  }
}
await store.close();
finish(urls, links, measured);
