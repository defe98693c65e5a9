import type {
  Clock,
  CoordinatorLink,
  HostLease,
  LeaseReport,
  ReportAnswer,
  WorkerId,
} from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createLeaseRoster } from './lease-roster.ts';
import { type LeaseShareOptions, nothingElsewhere, shareLeases } from './lease-sharing.ts';

/** A coordinator with so many hosts that are due. */
function coordinator(hosts: number) {
  let due = hosts;
  let last = 0;
  const asked: string[] = [];
  const link = {
    async lease({ worker, hosts: wanted }) {
      asked.push(`${worker} ${wanted}`);
      const granted = Math.min(due, wanted);
      due -= granted;
      const leases = Array.from(
        { length: granted },
        () => ({ id: `l${++last}`, entries: [] }) as unknown as HostLease,
      );
      return { leases, nextDueMs: null };
    },
    async report(reports) {
      due += reports.filter(({ close }) => close).length;
      return reports.map((): ReportAnswer => ({ ok: true, accepted: 0, known: 0 }));
    },
  } as Partial<CoordinatorLink> as CoordinatorLink;
  return { link, asked, queued: () => Promise.resolve(due), add: (more: number) => (due += more) };
}

/** Time that moves only when told to. */
function still(): Clock & { advance(ms: number): Promise<void> } {
  let now = 0;
  const sleepers: (() => void)[] = [];
  return {
    now: () => now,
    sleep: () => new Promise((resolve) => sleepers.push(resolve)),
    async advance(ms) {
      now += ms;
      for (const wake of sleepers.splice(0)) wake();
      await Promise.resolve();
    },
  };
}
const deaf = { wake: () => {}, water: () => {} };
/** The share of each worker on a roster of its own link. */
function sharing({
  link,
  ...options
}: Partial<LeaseShareOptions> &
  Pick<LeaseShareOptions, 'clock' | 'hostsQueued'> & { link: CoordinatorLink }) {
  const roster = createLeaseRoster({
    link,
    clock: options.clock,
    mostAway: 0,
    reported: () => undefined,
  });
  const share = shareLeases({ stillDry: () => {}, elsewhere: () => nothingElsewhere, ...options });
  return {
    ...share,
    join: (who: WorkerId, orders: Parameters<typeof share.join>[1], isCordoned = () => false) =>
      share.join(
        roster.connect({ worker: who, session: 's', holds: [], keepsEntries: false, isSeveral: false }),
        orders,
        isCordoned,
      ),
  };
}
const worker = (n: number) => `w${n}` as WorkerId;
const request = { worker: worker(0), hosts: 100, urlsPerHost: 10 };
const closed = (lease: HostLease | undefined) =>
  ({ id: lease?.id, settled: [] as LeaseReport['settled'], close: true }) as LeaseReport;

test('whoever asks first takes no more than an even share of few hosts', async () => {
  const { link, queued, asked } = coordinator(8);
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  const [one, two] = [share.join(worker(1), deaf), share.join(worker(2), deaf)];
  expect((await one.lease(request)).leases).toHaveLength(4);
  expect((await two.lease(request)).leases).toHaveLength(4);
  expect(asked[0]).toBe('w1 4');
});

test('with more hosts than hands everybody is given what they ask for', async () => {
  const { link, queued } = coordinator(1_000);
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  const [one, two] = [share.join(worker(1), deaf), share.join(worker(2), deaf)];
  expect((await one.lease(request)).leases).toHaveLength(100);
  expect((await two.lease(request)).leases).toHaveLength(100);
});

test('who went away hungry is told once when another gives a host back, and may have it', async () => {
  const { link, queued } = coordinator(1);
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  let told = 0;
  const [one, two] = [
    share.join(worker(1), deaf),
    share.join(worker(2), { ...deaf, wake: () => void told++ }),
  ];
  const { leases } = await one.lease(request);
  expect(leases).toHaveLength(1);
  expect((await two.lease(request)).leases).toEqual([]);
  await one.report([closed(leases[0])]);
  await one.report([{ ...closed(leases[0]), close: false }]);
  expect(told).toBe(1);
  expect((await two.lease(request)).leases).toHaveLength(1);
});

test('nobody waits for a process that does not come, and none is forgotten that has left', async () => {
  const { link, queued, add } = coordinator(4);
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  const one = share.join(worker(1), deaf);
  const silent = share.join(worker(2), deaf);
  expect((await one.lease(request)).leases).toHaveLength(2);
  // Its share is taken: it is put off once, and then the silent one has had its chance.
  expect(await one.lease(request)).toEqual({ leases: [], nextDueMs: 20 });
  expect((await one.lease(request)).leases).toHaveLength(2);
  silent.leave();
  add(10);
  expect((await one.lease(request)).leases).toHaveLength(10);
});

test('of many that are hungry one is woken, and the next only when that one found all it wanted', async () => {
  const { link, queued, add } = coordinator(0);
  const clock = still();
  const share = sharing({ link, hostsQueued: queued, clock });
  const woken: number[] = [];
  const few = { ...request, hosts: 2 };
  const shares = [1, 2, 3].map((n) => share.join(worker(n), { ...deaf, wake: () => void woken.push(n) }));
  for (const one of shares) await one.lease(few);
  share.wake();
  expect(woken).toEqual([1]);
  expect((await shares[0]?.lease(few))?.leases).toEqual([]);
  add(6);
  // Too soon after the last one: it comes a little later, and once.
  share.wake();
  share.wake();
  expect(woken).toEqual([1]);
  await clock.advance(100);
  expect(woken).toEqual([1, 2]);
  await clock.advance(100);
  expect((await shares[1]?.lease(few))?.leases).toHaveLength(2);
  expect(woken).toEqual([1, 2, 3]);
});

test('who is dry is given water by those who hold more than an even share, and not too often', async () => {
  const { link, queued } = coordinator(50);
  const clock = still();
  const asked: string[] = [];
  const beyond: number[] = [];
  const stillDry = (hosts: number) => beyond.push(hosts);
  const share = sharing({ link, hostsQueued: queued, clock, stillDry });
  const orders = (n: number) => ({
    wake: () => {},
    water: (hosts: number) => asked.push(`w${n} ${hosts}`),
  });
  const rich = share.join(worker(1), orders(1));
  expect((await rich.lease({ ...request, hosts: 50 })).leases).toHaveLength(50);
  const poor = share.join(worker(2), orders(2));
  expect((await poor.lease(request)).leases).toEqual([]);
  poor.dry(100);
  expect(asked).toEqual(['w1 25']);
  poor.dry(100);
  expect(asked).toHaveLength(1);
  await clock.advance(1_000);
  poor.dry(4);
  expect(asked).toEqual(['w1 25', 'w1 4']);
  expect(beyond).toEqual([100]);
  await clock.advance(1_000);
  expect(share.water(100)).toBe(33);
});

test('nobody is asked for water where all hold the same', async () => {
  const { link, queued } = coordinator(9);
  const asked: number[] = [];
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  const orders = { wake: () => {}, water: (hosts: number) => asked.push(hosts) };
  const [one, two] = [share.join(worker(1), orders), share.join(worker(2), orders)];
  await one.lease(request);
  await two.lease(request);
  two.dry(100);
  expect(asked).toEqual([]);
});

test('while workers elsewhere are dry, nobody here is given more than an even share of all', async () => {
  const { link, queued, asked } = coordinator(30);
  let dry = true;
  const elsewhere = () => ({ dry, hosts: 0, workers: 2 });
  const share = sharing({ link, hostsQueued: queued, clock: still(), elsewhere });
  const one = share.join(worker(1), deaf);
  expect((await one.lease(request)).leases).toHaveLength(10);
  expect(await one.lease(request)).toEqual({ leases: [], nextDueMs: 500 });
  expect(asked).toEqual(['w1 10']);
  dry = false;
  expect((await one.lease(request)).leases).toHaveLength(20);
});

test('while workers elsewhere are dry, a host that is held and has more in its queue counts once', async () => {
  const { link } = coordinator(50);
  const elsewhere = () => ({ dry: true, hosts: 0, workers: 1 });
  const clock = still();
  const share = sharing({ link, hostsQueued: () => Promise.resolve(50), clock, elsewhere });
  const one = share.join(worker(1), deaf);
  expect((await one.lease(request)).leases).toHaveLength(25);
  await clock.advance(1_000);
  expect((await one.lease(request)).leases).toEqual([]);
});

test('a cordoned worker is given nothing, and the others share as if it were not there', async () => {
  const { link, queued } = coordinator(8);
  const share = sharing({ link, hostsQueued: queued, clock: still() });
  let cordoned = true;
  const one = share.join(worker(1), deaf, () => cordoned);
  const [two, three] = [share.join(worker(2), deaf), share.join(worker(3), deaf)];
  expect(await one.lease(request)).toEqual({ leases: [], nextDueMs: null });
  expect(one.hungry).toBe(false);
  expect((await two.lease(request)).leases).toHaveLength(4);
  one.dry(10);
  expect(one.hungry).toBe(false);
  expect((await three.lease(request)).leases).toHaveLength(4);
  cordoned = false;
  one.dry(10);
  expect(one.hungry).toBe(true);
});
