import type { CrawlId, HostKey, HostNews, HostSums, LeaseReport } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { HostSample, HostSampleHow } from '../history/host-history.ts';
import { createHostSampler } from './host-sampler.ts';

const crawl = 'a' as CrawlId;
const ok: HostNews = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' };

/** A store whose sums are what was reported, and a history that keeps what it is given. */
function world({
  claims,
  before = {},
}: {
  /** Undefined: no other coordinator works on it. */
  claims?: boolean;
  before?: Record<string, number>;
} = {}) {
  const sums = new Map<HostKey, HostSums>();
  for (const [host, pages] of Object.entries(before))
    sums.set(host as HostKey, { pages, bytes: 0, troubles: 0 });
  const noted: (HostSample & { how: HostSampleHow | undefined })[] = [];
  let asked = 0;
  const state = { isSampled: false, isClaimed: claims };
  const sampler = createHostSampler({
    crawl,
    frontier: {
      async hostSums(_, hosts) {
        asked += hosts.length;
        return new Map([...sums].filter(([host]) => hosts.includes(host)));
      },
    },
    history: {
      look: async () => ({
        version: String(noted.length),
        slot: noted.length,
        isSampled: state.isSampled,
        hosts: [...(noted.at(-1)?.hosts ?? [])],
      }),
      note: async (_, sample, how) => void noted.push({ ...sample, how }),
      forget: async () => {},
      activity: async () => ({ samples: [], hosts: [] }),
    },
    claim: claims === undefined ? undefined : async () => state.isClaimed ?? false,
  });
  function report(name: string, pages: number, health: HostNews['health'] = 'ok'): void {
    const host = name as HostKey;
    const known = sums.get(host) ?? { pages: 0, bytes: 0, troubles: 0 };
    sums.set(host, { ...known, pages: known.pages + pages });
    const settled = Array.from({ length: pages }, () => ({
      kind: 'outcome',
      record: { verdict: 'done', kind: 'page' },
    })) as unknown as LeaseReport['settled'];
    sampler.saw({ host, settled, news: { ...ok, health } });
  }
  return {
    sampler,
    noted,
    state,
    report,
    asked: () => asked,
    followed: () => noted.at(-1)?.hosts.map(({ host, whole }) => [host, whole]),
  };
}

it('follows hosts from their first page on, and tells those of which it does not know all', async () => {
  const { sampler, noted, report, followed } = world({ before: { 'old.test': 50 } });
  report('a.test', 3);
  report('old.test', 2);
  report('dead.test', 0, 'trouble');
  report('idle.test', 0);
  await sampler.sample({ last: false, over: false });
  expect(followed()).toEqual([
    ['a.test', true],
    ['old.test', false],
    ['dead.test', true],
  ]);
  expect(noted.at(-1)?.places).toBe('000030' + '0001g0' + '000000');
  report('a.test', 1);
  await sampler.sample({ last: true, over: true });
  expect(noted.at(-1)).toMatchObject({
    places: '000040' + '0001g0' + '000000',
    how: { last: true, over: true },
  });
});

it('reads nothing in a slot that another coordinator has, but at the end', async () => {
  const { sampler, noted, state, report, asked } = world({ claims: false });
  report('a.test', 3);
  await sampler.sample({ last: false, over: false });
  state.isClaimed = true;
  state.isSampled = true;
  await sampler.sample({ last: false, over: false });
  expect([noted.length, asked()]).toEqual([0, 0]);
  report('a.test', 1);
  await sampler.sample({ last: true, over: false });
  // It does not know in which slot the first three came.
  expect(noted.at(-1)?.hosts).toMatchObject([{ host: 'a.test', pages: 4, whole: false }]);
});

it('knows a host from its first page on that came after the sample of its slot', async () => {
  const { sampler, state, report, followed } = world();
  state.isSampled = true;
  report('a.test', 2);
  await sampler.sample({ last: false, over: false });
  state.isSampled = false;
  report('a.test', 1);
  await sampler.sample({ last: false, over: false });
  expect(followed()).toEqual([['a.test', true]]);
});

it('remembers the busiest of many thousand hosts', async () => {
  const { sampler, noted, report } = world();
  report('busy.test', 100);
  for (let n = 0; n < 5_000; n++) report(`h${n}.test`, 1);
  await sampler.sample({ last: false, over: false });
  expect(noted.at(-1)?.hosts).toHaveLength(200);
  expect(noted.at(-1)?.hosts[0]).toMatchObject({ host: 'busy.test', pages: 100, whole: true });
});
