/**
 * A coordinator, two crawls and a worker inside a program of your own: no command line, no server.
 * Usage: `node embed.ts URL URL [private address to allow]...`
 */
import { openCoordinator, openWorker } from 'webfarer/embed';

const [one = 'https://example.org/', other = 'https://example.com/', ...allowPrivate] = process.argv.slice(2);
const contact = 'mailto:you@example.org';
const crawl = (name: string, seed: string) => ({
  input: { name, seeds: [seed], contact, fetch: { allowPrivate } },
  baseFolder: '.',
});

const coordinator = await openCoordinator({ folder: 'data', version: '1' });
const first = await coordinator.create(crawl('first', one));
const second = await coordinator.create(crawl('second', other));
const link = { kind: 'in-process', connect: coordinator.connect } as const;
const worker = openWorker({ folder: 'data/worker', version: '1', link });
await worker.start();
for (const { name, ended } of [first.crawl, second.crawl])
  console.log(`${name}: ${(await ended).balance.done} pages`);
await worker.stop();
await coordinator.stop();
