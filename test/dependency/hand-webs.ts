import type { Url } from '@webfarer/protocol';
import type { MadeUpCrawl } from './random-web.ts';

const d = 0.85;

/** Pages by name with their links; a capital letter is a target, `B` standing for b.test. */
function web(pages: Record<string, string>): Pick<MadeUpCrawl, 'records' | 'edges'> {
  const urlOf = (name: string): Url =>
    (name === name.toLowerCase() ? `https://own.test/${name}` : `https://${name.toLowerCase()}.test/`) as Url;
  const always = { depth: 1, attempts: 1, bytes: 1, startedAtMs: 0, durationMs: 1, links: 0, items: 0 };
  return {
    records: Object.keys(pages).map((name) => ({
      url: urlOf(name),
      verdict: 'done',
      reason: 'ok',
      kind: 'page',
      status: 200,
      ...always,
    })) as MadeUpCrawl['records'],
    edges: Object.entries(pages).map(([name, links]) => ({
      from: urlOf(name),
      edges: [...links].map((to) => ({ to: urlOf(to), rel: 'a' })),
    })),
  };
}

const part = (some: number, other: number): number => some / (some + other);

/** Webs small enough to be solved on paper, with the shares of each target. */
export const handWebs: { crawl: Pick<MadeUpCrawl, 'records' | 'edges'>; shares: Record<string, number> }[] = [
  { crawl: web({ p: 'BC' }), shares: { 'b.test': 1 / 2, 'c.test': 1 / 2 } },
  // Half begin on each page; from p half go to q.
  {
    crawl: web({ p: 'qB', q: 'C' }),
    shares: { 'b.test': part(1 / 2, 1 + d / 2), 'c.test': part(1 + d / 2, 1 / 2) },
  },
  // v(p) = 1/2 + d/2·v(q) and the same the other way: both alike.
  { crawl: web({ p: 'qB', q: 'pC' }), shares: { 'b.test': 1 / 2, 'c.test': 1 / 2 } },
  // v(p) = 1/2 + d·v(q), v(q) = 1/2 + d/3·v(p); p leads out twice to B's one.
  { crawl: web({ p: 'qBC', q: 'p' }), shares: { 'b.test': 1 / 2, 'c.test': 1 / 2 } },
  // Three pages: v(p) = 1/3, v(q) = 1/3 + d/2·v(p), v(r) = 1/3 + d/2·v(p) + d/2·v(q).
  {
    crawl: web({ p: 'qr', q: 'rB', r: 'C' }),
    shares: (() => {
      const q = 1 / 3 + (d / 2) * (1 / 3);
      const r = 1 / 3 + (d / 2) * (1 / 3) + (d / 2) * q;
      return { 'b.test': part(q / 2, r), 'c.test': part(r, q / 2) };
    })(),
  },
  // Nobody leaves.
  { crawl: web({ p: 'q', q: 'p' }), shares: {} },
];
