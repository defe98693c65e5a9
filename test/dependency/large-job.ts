import { randomNumbers } from '../../bench/random.ts';
import { writeArrays } from '../../packages/graph/src/files/array-file.ts';
import { contentOf } from '../../packages/graph/src/dependency/job-content.ts';
import type { PageGraph } from '../../packages/graph/src/dependency/page-graph.ts';
import { csrOf } from '../../packages/graph/src/hostgraph/csr.ts';

/** A job that takes a while: some hosts, pages with links to each other and out. */
export async function writeLargeJob(file: string, size: { pages: number; hosts: number }): Promise<void> {
  const random = randomNumbers(7);
  const below = (n: number): number => Math.floor(random() * n);
  const pages = Array.from(
    { length: size.pages },
    (_, n) => `https://h${String(n % size.hosts).padStart(3, '0')}.own.test/${String(n).padStart(7, '0')}`,
  ).toSorted();
  const targets = Array.from({ length: 200 }, (_, n) => `https://t${n % 40}.test/${n}`).toSorted();
  const row = (length: number, among: number): number[] =>
    [...new Set(Array.from({ length }, () => below(among)))].toSorted((a, b) => a - b);
  const exits = pages.map(() => (random() < 0.2 ? row(3, targets.length) : []));
  const graph: PageGraph = {
    job: 'own.test',
    pages,
    targets,
    inner: csrOf(pages.map((_, page) => row(10, pages.length).filter((to) => to !== page))),
    exits: csrOf(exits),
    exitLinks: new Uint32Array(exits.flat().length).fill(1),
    lost: Uint32Array.from(pages, () => below(2)),
  };
  await writeArrays(file, contentOf(graph));
}
