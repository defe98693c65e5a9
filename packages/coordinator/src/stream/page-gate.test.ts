import { systemClock } from '@webfarer/protocol';
import { expect, it, vi } from 'vitest';
import { followLog } from './follow-log.ts';
import { memoryHome } from './home.fixture.ts';
import { createLogTails } from './log-tail.ts';
import { memoryResults } from './memory-results.fixture.ts';
import { createPageGates, type PageGate, shareGate } from './page-gate.ts';

const never = new AbortController().signal;

/** Reads that end when the test says so, by the names of those who read. */
function reads() {
  const begun: { name: string; end: () => void }[] = [];
  return {
    names: () => begun.map(({ name }) => name),
    async begin(gate: PageGate, name: string, signal = never): Promise<void> {
      await gate.read(signal, () => new Promise<void>((end) => void begun.push({ name, end })));
    },
    end: (name: string) => begun.find((one) => one.name === name)?.end(),
  };
}

it('lets so many read at once, and owners take turns however many readers one has', async () => {
  const gates = createPageGates(2);
  const { begin, names, end } = reads();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => begin(gates.of(name.slice(0, 1)), name));
  await vi.waitFor(() => expect(names()).toEqual(['a1', 'a2']));
  end('a1');
  await vi.waitFor(() => expect(names()).toEqual(['a1', 'a2', 'a3']));
  end('a2');
  await vi.waitFor(() => expect(names().at(-1)).toBe('b1'));
  end('a3');
  await vi.waitFor(() => expect(names().at(-1)).toBe('a4'));
  end('b1');
  await vi.waitFor(() => expect(names().at(-1)).toBe('b2'));
  for (const name of ['a4', 'b2']) end(name);
  await Promise.all(all);
});

it('reads nothing for those who left while they waited, and goes on behind a read that failed', async () => {
  const gates = createPageGates(1);
  const { begin, names, end } = reads();
  const left = new AbortController();
  const first = begin(gates.of('a'), 'first');
  const gone = begin(gates.of('b'), 'gone', left.signal);
  const failing = gates.of('c').read(never, () => Promise.reject(new Error('no answer')));
  const last = begin(gates.of('d'), 'last');
  left.abort(new Error('left'));
  await expect(gone).rejects.toThrow('left');
  await expect(begin(gates.of('b'), 'late', left.signal)).rejects.toThrow('left');
  end('first');
  await expect(failing).rejects.toThrow('no answer');
  await vi.waitFor(() => expect(names()).toEqual(['first', 'last']));
  end('last');
  await Promise.all([first, last]);
});

it('reads for the subscriptions of a socket no more pages than may wait for its client', async () => {
  const results = memoryResults();
  for (let n = 0; n < 40; n++) results.settle(n % 4);
  const home = memoryHome(results);
  const clock = systemClock();
  const tails = createLogTails(clock);
  const newGate = shareGate(createPageGates().of('u'), 2);
  const what = { home, kinds: ['record'], filter: {}, from: 'start', maxOutcomes: 5 } as const;
  const stopped = new AbortController();
  const how = { after: undefined, signal: stopped.signal, heartbeatMs: 1_000, team: undefined };
  const all = Array.from({ length: 10 }, () => {
    const gate = newGate();
    return { gate, source: followLog({ ...how, ...what, gate, tails, clock }) };
  });
  for (const { source } of all) expect((await source.next()).value).toMatchObject({ type: 'snapshot' });
  const waiting = all.map(async ({ source, gate }) => {
    const { value } = await source.next();
    return { value, gate };
  });
  const [first] = await Promise.all(waiting.slice(0, 2));
  expect(results.asked).toBe(2);
  first?.gate.dropped();
  await waiting[2];
  expect(results.asked).toBe(3);
  stopped.abort();
  await Promise.allSettled(waiting);
  expect(results.asked).toBe(3);
});
