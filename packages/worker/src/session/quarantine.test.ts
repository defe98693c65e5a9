import type { HostLease } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { HeldLease } from './held-lease.ts';
import { createQuarantine } from './quarantine.ts';

const poisonAfter = 3;

/** A lease with a URL with which workers have ended that often. */
const leaseAfter = (deaths: number) =>
  ({ lease: { entries: [{ deaths }] } as unknown as HostLease, ref: { crawl: `c${deaths}` } }) as HeldLease;

function world() {
  const sessions = new Map<HeldLease, Promise<void>>();
  let sleeps = 0;
  const sleep = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (++sleeps > 100) throw new Error('it waits without end');
  };
  let halted = 0;
  let stuck: string | undefined;
  const quarantine = createQuarantine({
    clock: { sleep },
    sessions,
    halt: () => void halted++,
    gates: () => ({ isStuck: () => stuck !== undefined, isSilent: (crawl) => crawl === stuck }),
  });
  return {
    quarantine,
    sessions,
    halted: () => halted,
    stick: (crawl: string | undefined) => void (stuck = crawl),
  };
}

it('lets a lease on its last chance begin when all others have ended', async () => {
  const { quarantine, sessions, halted } = world();
  const other = Promise.withResolvers<void>();
  sessions.set(leaseAfter(0), other.promise);
  const last = leaseAfter(2);
  sessions.set(last, new Promise(() => undefined));
  let admitted: string | undefined;
  void quarantine.admit(last, poisonAfter).then((how) => (admitted = how));
  await expect.poll(halted).toBe(1);
  expect([quarantine.closed, admitted]).toEqual([true, undefined]);
  other.resolve();
  await expect.poll(() => admitted).toBe('alone');
  expect(await quarantine.admit(leaseAfter(1), poisonAfter)).toBe('no');
  quarantine.leave(last);
  expect([quarantine.closed, await quarantine.admit(leaseAfter(1), poisonAfter)]).toEqual([false, 'yes']);
});

it('lets others begin when what it fetched alone is not saved for very long', async () => {
  const { quarantine, stick } = world();
  const last = leaseAfter(2);
  expect(await quarantine.admit(last, poisonAfter)).toBe('alone');
  expect([quarantine.closed, quarantine.aloneIn]).toEqual([true, 'c2']);
  stick('c2');
  expect(quarantine.closed).toBe(false);
  expect(await quarantine.admit(leaseAfter(1), poisonAfter)).toBe('yes');
  // Another one that must be alone waits all the same.
  expect(await quarantine.admit(leaseAfter(2), poisonAfter)).toBe('no');
  quarantine.leave(last);
  stick(undefined);
  expect(await quarantine.admit(leaseAfter(2), poisonAfter)).toBe('alone');
});

it('gives up waiting for others that turn out to be stuck', async () => {
  const { quarantine, sessions, halted, stick } = world();
  sessions.set(leaseAfter(0), new Promise(() => undefined));
  const admitted = quarantine.admit(leaseAfter(2), poisonAfter);
  await expect.poll(halted).toBe(1);
  expect(quarantine.closed).toBe(true);
  stick('c0');
  expect(await admitted).toBe('no');
  expect(quarantine.closed).toBe(false);
});

it('does not stop a worker for it while pages of another crawl cannot be saved', async () => {
  const { quarantine, sessions, halted, stick } = world();
  sessions.set(leaseAfter(0), new Promise(() => undefined));
  stick('c0');
  expect(await quarantine.admit(leaseAfter(2), poisonAfter)).toBe('no');
  expect([quarantine.closed, halted()]).toEqual([false, 0]);
  expect(await quarantine.admit(leaseAfter(0), poisonAfter)).toBe('yes');
  expect(await quarantine.admit(leaseAfter(1), poisonAfter)).toBe('yes');
});
