import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type Line, openShare } from './fair-queue.ts';

/** Crawls by team and name: `a1` is crawl 1 of team a. */
function linesOf(...names: string[]): Record<string, Line> {
  const teams = new Map<string, Line['team']>();
  const entries = names.map((name) => {
    const team = teams.get(name.charAt(0)) ?? openShare();
    teams.set(name.charAt(0), team);
    return [name, { team, crawl: openShare() }] as const;
  });
  return Object.fromEntries(entries);
}

describe('turns of the main thread', () => {
  it('go to the team that was charged the least, then to the crawl', () => {
    const { a1, a2, b1 } = linesOf('a1', 'a2', 'b1') as { a1: Line; a2: Line; b1: Line };
    const queue = createFairQueue<string>();
    queue.add(a1, 'a1');
    queue.add(a2, 'a2');
    queue.add(b1, 'b1');
    queue.charge(a1, 30);
    queue.charge(a2, 10);
    queue.charge(b1, 20);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual(['b1', 'a2', 'a1', undefined]);
  });

  it('are first come, first served within a crawl, and none is lost', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a1', 'a2', 'b1', 'c1'), fc.nat(50)), { maxLength: 60 }),
        (pages) => {
          const lines = linesOf('a1', 'a2', 'b1', 'c1');
          const queue = createFairQueue<{ name: string; at: number }>();
          for (const [at, [name]] of pages.entries()) queue.add(lines[name] as Line, { name, at });
          expect(queue.size).toBe(pages.length);
          const served = new Map<string, number>();
          for (const _ of pages) {
            const { name, at } = queue.take() as { name: string; at: number };
            expect(at).toBeGreaterThan(served.get(name) ?? -1);
            served.set(name, at);
            queue.charge(lines[name] as Line, pages[at]?.[1] ?? 0);
          }
          expect([queue.size, queue.take()]).toEqual([0, undefined]);
        },
      ),
    );
  });

  /** How much more than another a team, or a crawl of it, was ever charged while both waited all the time. */
  function furthest(names: string[], costs: number[], group: (name: string) => string): number {
    const lines = linesOf(...names);
    const queue = createFairQueue<string>();
    const charged = new Map(names.map((name) => [group(name), 0]));
    let most = 0;
    for (const name of names) queue.add(lines[name] as Line, name);
    for (const cost of costs) {
      const name = queue.take() as string;
      queue.add(lines[name] as Line, name);
      queue.charge(lines[name] as Line, cost);
      charged.set(group(name), (charged.get(group(name)) ?? 0) + cost);
      most = Math.max(most, Math.max(...charged.values()) - Math.min(...charged.values()));
    }
    return most;
  }

  const costs = fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 60, maxLength: 200 });

  it('give teams that wait without a pause equal shares, but for one turn of each', () => {
    const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];
    fc.assert(
      fc.property(costs, (pages) => {
        expect(furthest(names, pages, (name) => name.charAt(0))).toBeLessThanOrEqual(500);
      }),
    );
  });

  it('give crawls of a team that wait without a pause equal shares, but for one turn of each', () => {
    fc.assert(
      fc.property(costs, (pages) => {
        expect(furthest(['a1', 'a2', 'a3'], pages, (name) => name)).toBeLessThanOrEqual(500);
      }),
    );
  });

  it('are not saved up: who comes late has the share of the others from then on', () => {
    fc.assert(
      fc.property(costs, fc.nat(40), (pages, comesAt) => {
        const { a1, b1 } = linesOf('a1', 'b1') as { a1: Line; b1: Line };
        const queue = createFairQueue<Line>();
        const since = new Map([
          [a1, 0],
          [b1, 0],
        ]);
        queue.add(a1, a1);
        for (const [at, cost] of pages.entries()) {
          if (at === comesAt) queue.add(b1, b1);
          const line = queue.take() as Line;
          queue.add(line, line);
          queue.charge(line, cost);
          if (at < comesAt) continue;
          since.set(line, (since.get(line) ?? 0) + cost);
          expect(Math.abs((since.get(a1) ?? 0) - (since.get(b1) ?? 0))).toBeLessThanOrEqual(500);
        }
      }),
    );
  });

  it('leave the waiting to the crawl that computes 20 times as much for a page', () => {
    const { a1: heavy, b1: light } = linesOf('a1', 'b1') as { a1: Line; b1: Line };
    /** A page of the light crawl comes every 5 ms and takes 2; 20 of the heavy one always wait. Light pages that are done. */
    function pagesIn(ms: number, beside: boolean): number {
      const queue = createFairQueue<{ line: Line; takesMs: number }>();
      let nowMs = 0;
      let nextMs = 0;
      let done = 0;
      for (let i = 0; i < 20 && beside; i++) queue.add(heavy, { line: heavy, takesMs: 40 });
      while (nowMs < ms) {
        for (; nextMs <= nowMs; nextMs += 5) queue.add(light, { line: light, takesMs: 2 });
        const page = queue.take();
        if (!page) {
          nowMs = nextMs;
          continue;
        }
        nowMs += page.takesMs;
        queue.charge(page.line, page.takesMs);
        if (page.line === light) done++;
        else queue.add(heavy, { line: heavy, takesMs: 40 });
      }
      return done;
    }
    expect(pagesIn(5_000, true)).toBeGreaterThanOrEqual(0.8 * pagesIn(5_000, false));
  });
});
