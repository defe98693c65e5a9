/**
 * A coordinator, two crawls and a worker inside a program of your own: no command line, no server.
 * Usage: `node embed.ts URL URL [private address to allow]...`
 */
import { openCoordinator } from '@webfarer/coordinator';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { openWorker } from '@webfarer/worker';

const [one = 'https://example.org/', other = 'https://example.com/', ...allowPrivate] = process.argv.slice(2);
const contact = 'mailto:you@example.org';
const job = (name: string, seed: string) => ({ name, seeds: [seed], contact, fetch: { allowPrivate } });

const coordinator = await openCoordinator({ folder: 'data', version: '1' });
const first = await coordinator.create({ input: job('first', one), baseFolder: '.' });
const second = await coordinator.create({ input: job('second', other), baseFolder: '.' });
const place = { id: 'worker' as WorkerId, folder: 'data/worker', baseFolder: '.', version: '1' };
const link = { kind: 'in-process', connect: coordinator.connect } as const;
const worker = openWorker({ ...place, link, connections: 20, clock: systemClock(), random: Math.random });
await worker.start();
for (const { name, ended } of [first.crawl, second.crawl])
  console.log(`${name}: ${(await ended).balance.done} pages`);
await worker.stop();
await coordinator.stop();
