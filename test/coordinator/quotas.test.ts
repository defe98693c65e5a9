import type { Coordinator } from '@webfarer/coordinator';
import { expect, test } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';
import { coordinatorStage } from './parts.fixture.ts';

const redis = redisForFile({ settings: { appendonly: 'no' } });
const stage = coordinatorStage();
const { coordinatorIn, workerOf } = stage;
const slow = { timeout: 180_000 };
const soon = { timeout: 60_000, interval: 100 };
/** More than are fetched between two looks at what was used. */
const pages = 1_200;
const quota = 15;

/** The site's own count of pages that were fetched. */
const fetched = ({ asked }: SmallSite) => asked.filter((path) => !path.includes('robots')).length;
const describeTeam = (coordinator: Coordinator, pagesPerDay: number) =>
  coordinator.teams.put('red', { note: '', weight: 1, quotas: { pagesPerDay } });
const usedIn = async ({ teams }: Coordinator) => (await teams.used('red')).pagesToday;
const pauseOf = async (coordinator: Coordinator, name: string) =>
  (await coordinator.crawl(name)?.snapshot())?.pause;

/** The crawl has paused for its quota everywhere, and nothing of it is in flight. */
async function held(coordinators: Coordinator[], name: string): Promise<void> {
  for (const coordinator of coordinators)
    await expect.poll(async () => (await pauseOf(coordinator, name))?.cause, soon).toBe('quota');
  const leased = async () => (await coordinators[0]?.crawl(name)?.snapshot())?.balance.leased;
  await expect.poll(leased, soon).toBe(0);
}

test(
  'a team that has used up its quota pauses, also after a restart, and gets nothing back',
  slow,
  async () => {
    const [site, other] = [await stage.siteOf(pages, 'leaf'), await stage.siteOf(60, 'leaf')];
    const first = await coordinatorIn('data');
    await describeTeam(first, quota);
    await first.create(stage.job('q', [site], { team: 'red' }));
    await workerOf(first, 'w1');
    await held([first], 'q');
    expect(fetched(site)).toBeGreaterThanOrEqual(quota);
    expect(fetched(site)).toBeLessThan(pages);
    await expect.poll(() => usedIn(first), soon).toBe(fetched(site));
    const before = fetched(site);
    const pause = await pauseOf(first, 'q');
    expect(pause?.text).toMatch(/^the team red has fetched \d+ of 15 pages today\. It resumes at .* UTC/);
    await first.stop();

    const second = await coordinatorIn('data');
    await second.start();
    await held([second], 'q');
    // Time enough for another team to fetch a whole site.
    const { crawl } = await second.create(stage.job('o', [other], { team: 'blue' }));
    await workerOf(second, 'w2');
    expect((await crawl.ended).state).toBe('finished');
    // What the first worker had begun when it was stopped may be fetched by nobody else while the crawl is held.
    expect(fetched(site)).toBe(before);
    expect(await usedIn(second)).toBe(before);

    await describeTeam(second, before + quota);
    await expect.poll(() => fetched(site), soon).toBeGreaterThan(before + quota);
    await held([second], 'q');
    await expect.poll(() => usedIn(second), soon).toBe(fetched(site));
    const spent = fetched(site);
    expect(await second.delete('q')).toBe(true);
    expect(await usedIn(second)).toBe(spent);
    await expect(second.create(stage.job('q', [site], { team: 'red' }))).rejects.toMatchObject({
      code: 'quota',
    });
  },
);

test('coordinators of one store count each page of a team once', slow, async () => {
  const { url } = await redis();
  const store = { url, durability: 'available', insecure: false } as const;
  const sites = [await stage.siteOf(pages, 'leaf'), await stage.siteOf(pages, 'leaf')];
  const a = await coordinatorIn('a', { store, id: 'a' });
  const b = await coordinatorIn('b', { store, id: 'b' });
  await b.start();
  await describeTeam(a, quota);
  await a.create(stage.job('q', sites, { team: 'red' }));
  await expect.poll(() => b.crawl('q')?.state, soon).toBe('running');
  await workerOf(a, 'wa');
  await workerOf(b, 'wb');
  await held([a, b], 'q');
  const all = () => sites.reduce((sum, site) => sum + fetched(site), 0);
  expect(all()).toBeGreaterThanOrEqual(quota);
  await expect.poll(() => usedIn(a), soon).toBe(all());
  const before = all();
  // Time enough for several more looks, by both.
  const other = await stage.siteOf(60, 'leaf');
  const { crawl } = await b.create(stage.job('o', [other], { team: 'blue' }));
  await crawl.ended;
  expect([all(), await usedIn(a), await usedIn(b)]).toEqual([before, before, before]);
});
