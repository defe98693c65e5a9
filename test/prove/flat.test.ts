import { expect, it } from 'vitest';
import { type Sample, summarise } from './flat.ts';

const pages = 300_000;
const samples = 600;

/** Memory that comes to rest within a quarter of the way, and what a fault adds to it. */
function course(added: (page: number) => number): Sample[] {
  return Array.from({ length: samples }, (_, n) => {
    const page = Math.round(((n + 1) / samples) * pages);
    // The collector lets it swing by a few MiB.
    const swing = n % 4;
    return { pages: page, rssMiB: Math.round(Math.min(400, 250 + page / 400) + swing + added(page)) };
  });
}

const bytesAPage = (bytes: number) => (page: number) => (page * bytes) / 1_048_576;

it('calls memory flat that has come to rest', () => {
  expect(summarise(course(() => 0))).toMatchObject({ flat: true, pages, growth: 0 });
});

it('finds 80 bytes that are kept of every page', () => {
  expect(summarise(course(bytesAPage(80))).flat).toBe(false);
  expect(summarise(course(bytesAPage(40))).flat).toBe(true);
});

it('finds a table that begins to fill behind the first third', () => {
  expect(summarise(course((page) => (page > 0.5 * pages ? 13 : 0))).flat).toBe(false);
});

it('states what the report takes apart from the crawl', () => {
  const report = Array.from({ length: 200 }, () => ({ pages, rssMiB: 890 }));
  expect(summarise([...course(() => 0), ...report])).toMatchObject({
    flat: true,
    rssMiBCrawl: 403,
    rssMiBReport: 890,
  });
});

it('does not call a crawl flat of which there are no samples', () => {
  expect(summarise([]).flat).toBe(false);
});
