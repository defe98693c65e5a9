import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostKey } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlite } from '../sqlite/node-sqlite.ts';
import { type TestClock, testClock } from '../frontier/suite/clock.fixture.ts';
import type { ClaimAnswer, HostLedger, HostRest, LedgerOwner } from './host-ledger.ts';
import { machineClock } from './machine-clock.ts';
import { openHostLedger } from './sqlite-ledger.ts';

const [red, blue, green] = ['red', 'blue', 'green'] as LedgerOwner[] as [
  LedgerOwner,
  LedgerOwner,
  LedgerOwner,
];
const host = 'h.test' as HostKey;
const terms = { team: 'press', gapMs: 1_000, holdMs: 91_000 };
const rested: HostRest = { host, restMs: 1_000, why: 'gap', endedAgoMs: 0 };
const untouched: HostRest = { host, restMs: 0, why: 'gap', endedAgoMs: null };

let folder: string;
let path: string;
let clock: TestClock;
let opened: HostLedger[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-ledger-'));
  path = join(folder, 'state', 'hosts.db');
  clock = testClock();
  opened = [];
});

afterEach(() => {
  for (const ledger of opened) ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As another process would open it. */
function open(): HostLedger {
  const ledger = openHostLedger({ path, clock });
  opened.push(ledger);
  return ledger;
}

function rows(): number {
  const db = new (sqlite().DatabaseSync)(path, { readOnly: true });
  const { n } = db.prepare('SELECT count(*) AS n FROM hosts').get() as { n: number };
  db.close();
  return n;
}

const refused = (retryAfterMs: number, why: string): ClaimAnswer =>
  ({ claimed: false, retryAfterMs, why }) as ClaimAnswer;
const taken = { claimed: true, fresh: true };

describe('the host ledger', () => {
  it('gives a host to one owner at a time, whichever process asks', () => {
    const [one, two] = [open(), open()];
    expect(one.claim(red, host, terms)).toEqual(taken);
    expect(two.claim(blue, host, terms)).toEqual(refused(1_000, 'other-crawl'));
    expect(two.claim(blue, 'i.test' as HostKey, terms)).toEqual(taken);
    expect(one.claim(red, host, terms)).toEqual({ claimed: true, fresh: false });
  });

  it('keeps the rest that the last contact asked for, and the larger gap of two', () => {
    const ledger = open();
    ledger.claim(red, host, terms);
    ledger.release(red, [{ ...rested, restMs: 3_000, why: 'crawl-delay' }]);
    expect(ledger.claim(blue, host, terms)).toEqual(refused(3_000, 'crawl-delay'));
    expect(ledger.claim(green, host, { ...terms, gapMs: 5_000 })).toEqual(refused(5_000, 'gap'));
    clock.advance(2_999);
    expect(ledger.claim(blue, host, terms)).toMatchObject({ claimed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(ledger.claim(blue, host, terms)).toEqual(taken);
  });

  it('ends a claim that nobody extends after the longest contact, and not before', () => {
    const ledger = open();
    ledger.claim(red, host, terms);
    clock.advance(50_000);
    expect(ledger.extend(red, host, terms)).toBe(true);
    clock.advance(90_999);
    expect(ledger.claim(blue, host, terms)).toEqual(refused(1, 'other-crawl'));
    clock.advance(1);
    expect(ledger.claim(blue, host, terms)).toEqual(taken);
    expect(ledger.extend(red, host, terms)).toBe(false);
    ledger.release(red, [untouched]);
    expect(ledger.claim(green, host, terms)).toMatchObject({ claimed: false });
  });

  it('lets owners take turns, first come, first served', () => {
    const ledger = open();
    const served: string[] = [];
    ledger.claim(red, host, terms);
    for (const owner of [blue, green]) {
      clock.advance(1);
      ledger.claim(owner, host, terms);
    }
    let holder = red;
    for (let turn = 0; turn < 6; turn++) {
      ledger.release(holder, [rested]);
      clock.advance(1_000);
      // The one that had it last asks first, and all keep asking.
      const next = [holder, ...[red, blue, green].filter((owner) => owner !== holder)].filter(
        (owner) => ledger.claim(owner, host, terms).claimed,
      );
      expect(next).toHaveLength(1);
      holder = next[0] as LedgerOwner;
      served.push(holder);
    }
    expect(served).toEqual(['blue', 'green', 'red', 'blue', 'green', 'red']);
  });

  it('lets teams take turns, and then the owners of each', () => {
    const ledger = open();
    const many = { ...terms, team: 'many' };
    const owners = [red, blue, green, 'black' as LedgerOwner];
    const asks = (owner: LedgerOwner) => ledger.claim(owner, host, owner === red ? terms : many).claimed;
    let holder = owners.find((owner) => asks(owner));
    const served: unknown[] = [];
    for (let turn = 0; turn < 8; turn++) {
      for (const owner of owners) if (owner !== holder) asks(owner);
      ledger.release(holder ?? red, [rested]);
      clock.advance(1_000);
      const next = owners.filter((owner) => asks(owner));
      expect(next).toHaveLength(1);
      served.push((holder = next[0]));
    }
    expect(served).toEqual(['blue', 'red', 'green', 'red', 'black', 'red', 'blue', 'red']);
  });

  it('gives a team no turn more for an owner that is new each time', () => {
    const ledger = open();
    const many = { ...terms, team: 'many' };
    const asks = (owner: string, of = many) => {
      clock.advance(10);
      return ledger.claim(owner as LedgerOwner, host, of).claimed;
    };
    const ends = (owner: string) => ledger.release(owner as LedgerOwner, [untouched]);
    expect([asks('new0'), asks('red', terms)]).toEqual([true, false]);
    ends('new0');
    expect(asks('red', terms)).toBe(true);
    ends('red');
    expect([asks('new1'), asks('red', terms)]).toEqual([true, false]);
    ends('new1');
    // The other team had the last turn that was waited for.
    expect(asks('new2')).toBe(true);
    ends('new2');
    expect([asks('new3'), asks('red', terms)]).toEqual([false, true]);
  });

  it('after a break serves first whose last turn was longest ago, whoever asks first', () => {
    const ledger = open();
    const asks = (owner: LedgerOwner) => {
      clock.advance(10);
      return ledger.claim(owner, host, terms).claimed;
    };
    const hasTurn = (owner: LedgerOwner) => {
      const claimed = asks(owner);
      ledger.release(owner, [untouched]);
      return claimed;
    };
    expect([asks(red), asks(blue), asks(green)]).toEqual([true, false, false]);
    ledger.release(red, [untouched]);
    expect([hasTurn(blue), hasTurn(green), asks(red)]).toEqual([true, true, true]);
    // Nobody asks for so long that nobody is waited for.
    clock.advance(60_000);
    expect([asks(green), asks(blue)]).toEqual([false, false]);
    ledger.release(red, [untouched]);
    expect([hasTurn(green), hasTurn(blue), hasTurn(green)]).toEqual([false, true, true]);
  });

  it('does not wait for an owner that has stopped asking', () => {
    const ledger = open();
    ledger.claim(red, host, terms);
    ledger.claim(blue, host, terms);
    clock.advance(2_500);
    ledger.release(red, [untouched]);
    expect(ledger.claim(red, host, terms)).toEqual(refused(1_000, 'other-crawl'));
    clock.advance(500);
    expect(ledger.claim(red, host, terms)).toEqual(taken);
  });

  it('makes the hosts of a dead process owe one gap, and nothing to those it had released', () => {
    const ledger = open();
    const other = 'i.test' as HostKey;
    ledger.claim(red, host, terms);
    ledger.claim(red, other, terms);
    ledger.release(red, [{ ...untouched, host: other }]);
    clock.advance(200);
    ledger.abandon(red);
    expect(ledger.claim(red, host, terms)).toEqual(refused(1_000, 'gap'));
    expect(ledger.claim(blue, other, terms)).toEqual(taken);
    clock.advance(1_000);
    expect(ledger.claim(red, host, terms)).toEqual(taken);
  });

  it('notices that the process of another owner has ended, and lets its hosts rest until nobody talks to them', () => {
    const living = new Set(['p1', 'p2']);
    const inProcess = (own: string) => {
      const ledger = openHostLedger({ path, clock, liveness: { own, isAlive: (name) => living.has(name) } });
      opened.push(ledger);
      return ledger;
    };
    const [one, two, elsewhere] = [inProcess('p1'), inProcess('p2'), open()];
    const far = 'far.test' as HostKey;
    one.claim(red, host, terms);
    elsewhere.claim(green, far, terms);
    expect(two.claim(blue, host, terms)).toEqual(refused(1_000, 'other-crawl'));
    living.delete('p1');
    expect(two.claim(blue, host, terms)).toEqual(refused(6_000, 'gap'));
    clock.advance(1_000);
    expect(two.claim(blue, host, terms)).toEqual(refused(5_000, 'gap'));
    expect(two.claim(blue, far, terms)).toEqual(refused(1_000, 'other-crawl'));
    clock.advance(5_000);
    expect(two.claim(blue, host, terms)).toEqual(taken);
  });

  it('knows of a rest that is longer than the claim, though the claim runs out', () => {
    const ledger = open();
    ledger.claim(red, host, terms);
    ledger.postpone(red, [{ ...rested, restMs: 600_000, why: 'retry-after' }]);
    clock.advance(91_000);
    expect(ledger.claim(blue, host, terms)).toEqual(refused(509_000, 'retry-after'));
  });

  it('waits once more for what was left when the machine starts again', () => {
    const first = open();
    first.claim(red, host, terms);
    first.close();
    clock = testClock(5);
    const ledger = open();
    expect(ledger.claim(blue, host, terms)).toMatchObject({ claimed: false });
    clock.advance(90_999);
    expect(ledger.claim(blue, host, terms)).toMatchObject({ claimed: false });
    clock.advance(1);
    expect(ledger.claim(blue, host, terms)).toEqual(taken);
  });

  it('forgets hosts that nobody has contacted for an hour', () => {
    const ledger = open();
    const names = Array.from({ length: 1_500 }, (_, n) => `h${n}.test` as HostKey);
    for (const name of names) {
      ledger.claim(red, name, terms);
      ledger.release(red, [{ ...rested, host: name }]);
    }
    clock.advance(3_700_000);
    for (const name of names) ledger.claim(red, name, terms);
    expect(rows()).toBe(1_500);
    for (const name of names) ledger.release(red, [{ ...untouched, host: name }]);
    clock.advance(3_700_000);
    for (let n = 0; n < 1_001; n++) ledger.claim(red, host, terms);
    expect(rows()).toBe(1);
  });

  it('begins anew where its file is damaged', () => {
    open().close();
    writeFileSync(path, 'this is no database, and it is longer than a header of one'.repeat(20));
    expect(open().claim(red, host, terms)).toEqual(taken);
  });

  it('says which folder cannot be written, and what to do', () => {
    writeFileSync(join(folder, 'state'), '');
    expect(() => open()).toThrow(path);
  });
});

it('the clock of the machine goes on by itself and is the same for all', () => {
  const [one, two] = [machineClock(), machineClock()];
  const before = one.now();
  const between = two.now();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(one.now()).toBeGreaterThanOrEqual(between);
});
