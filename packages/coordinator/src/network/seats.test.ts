import type { CoordinatorLink, HostLease, LeaseReport, ReportAnswer, WorkerId } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { shareLeases } from './seats.ts';

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
      const leases = Array.from({ length: granted }, () => ({ id: `l${++last}` }) as unknown as HostLease);
      return { leases, nextDueMs: null };
    },
    async report(reports) {
      due += reports.filter(({ close }) => close).length;
      return reports.map((): ReportAnswer => ({ ok: true, accepted: 0, known: 0 }));
    },
  } as Partial<CoordinatorLink> as CoordinatorLink;
  return { link, asked, queued: () => Promise.resolve(due), add: (more: number) => (due += more) };
}

const deaf = { moreDue: () => {} };
const worker = (n: number) => `w${n}` as WorkerId;
const request = { worker: worker(0), hosts: 100, urlsPerHost: 10 };
const closed = (lease: HostLease | undefined) => ({ id: lease?.id, close: true }) as LeaseReport;

test('whoever asks first takes no more than an even share of few hosts', async () => {
  const { link, queued, asked } = coordinator(8);
  const share = shareLeases(link, queued);
  const [one, two] = [share.join(worker(1), deaf), share.join(worker(2), deaf)];
  expect((await one.lease(request)).leases).toHaveLength(4);
  expect((await two.lease(request)).leases).toHaveLength(4);
  expect(asked[0]).toBe('w1 4');
});

test('with more hosts than hands everybody is given what they ask for', async () => {
  const { link, queued } = coordinator(1_000);
  const share = shareLeases(link, queued);
  const [one, two] = [share.join(worker(1), deaf), share.join(worker(2), deaf)];
  expect((await one.lease(request)).leases).toHaveLength(100);
  expect((await two.lease(request)).leases).toHaveLength(100);
});

test('who went away hungry is told once when another gives a host back, and may have it', async () => {
  const { link, queued } = coordinator(1);
  const share = shareLeases(link, queued);
  let told = 0;
  const [one, two] = [share.join(worker(1), deaf), share.join(worker(2), { moreDue: () => told++ })];
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
  const share = shareLeases(link, queued);
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
