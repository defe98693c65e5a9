import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { startProfile } from './profile.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-profile-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function burn(): number {
  let sum = 0;
  for (let n = 0; n < 3e7; n++) sum += Math.sqrt(n);
  return sum;
}

interface CpuProfile {
  nodes: { callFrame: { functionName: string } }[];
  samples: number[];
}

it('writes a CPU profile and figures of the heap at the end, and on a signal what there is so far', async () => {
  let signal = (): void => undefined;
  const { context, err } = fakeWorld(home, {}, []);
  const folder = join(home, 'profile');
  const profile = await startProfile(
    {
      ...context,
      clock: systemClock(),
      onDumpSignal(handler) {
        signal = handler;
        return () => undefined;
      },
    },
    { folder, name: 'crawl' },
  );
  burn();
  signal();
  await expect
    .poll(() => readdirSync(folder).filter((name) => name.endsWith('.heap.json')).length, {
      timeout: 120_000,
    })
    .toBe(1);
  await profile.stop();
  const files = readdirSync(folder).toSorted();
  expect(files.map((name) => name.replace(/\d+/g, '0'))).toEqual([
    'crawl-0-0-0.cpuprofile',
    'crawl-0-0-0.heap.json',
    'crawl-0-0-0.cpuprofile',
    'crawl-0-0-0.heap.json',
  ]);
  const read = (name = '') => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
  const { nodes, samples } = read(files[0]) as CpuProfile;
  expect(nodes.map(({ callFrame }) => callFrame.functionName)).toContain('burn');
  expect(samples.length).toBeGreaterThan(0);
  const { heap } = read(files[1]) as { heap: { used_heap_size: number } };
  expect(heap.used_heap_size).toBeGreaterThan(0);
  expect(err()).toContain('profile/crawl-');
});
