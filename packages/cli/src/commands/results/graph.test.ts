import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeCourse, fakeWorld } from '../../fake-crawl.fixture.ts';
import { runCli } from '../../program.ts';
import { sampleRecord } from '../../view/snapshot.fixture.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webfarer-graph-'));
  await mkdir(join(cwd, 'example.org.crawl'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function cli(...argv: string[]) {
  const world = fakeWorld(cwd, course, argv);
  return { exit: await runCli(argv, world.context), out: world.out(), err: world.err() };
}

const page = (path: string) => `https://example.org${path}` as Url;
const links = (from: string, ...to: string[]) => ({
  from: page(from),
  edges: to.map((url) => ({ to: url as Url, rel: 'a' })),
});
const course: FakeCourse = {
  records: ['/', '/a'].map((path) => sampleRecord({ url: page(path), reason: 'ok', status: 200 })),
  edges: [links('/', page('/a'), 'https://b.test/', 'https://www.b.test/x'), links('/a', 'https://c.test/')],
};

test('a folder is computed once, then shown from its database', async () => {
  const first = await cli('graph', 'deps');
  expect([first.exit, first.err]).toEqual([0, '']);
  expect(first.out).toContain('1 job in this crawl, 1 computed now');
  expect(first.out).toMatch(/example\.org +c\.test +65\.8 % +1 +1 +100\.0 %/);
  expect(first.out).toContain('./example.org.crawl/dependencies.sqlite');
  const again = await cli('graph', 'deps');
  expect(again.out).toContain('1 job in this crawl, 0 computed now');
  expect(again.out.split('\n').slice(2)).toEqual(first.out.split('\n').slice(2));
});

test('levels, ends and thresholds', async () => {
  const json = async (...argv: string[]) => {
    const { out } = await cli('graph', 'deps', 'example.org.crawl', '--json', ...argv);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const hosts = await json('--level', 'host', '--to', 'www.b.test');
  expect(hosts).toMatchObject([
    { kind: 'source', source: 'example.org', targets: 3, rest: 0 },
    { kind: 'dependency', source: 'example.org', target: 'www.b.test', pages: 1 },
  ]);
  expect(await json('--threshold', '0.5', '--targets')).toMatchObject([{ target: 'c.test', sources: 1 }]);
  const shared = await json('--db', 'all.sqlite', '--level', 'page');
  expect(shared.map(({ target }) => target)).toContain('https://www.b.test/x');
  expect((await cli('graph', 'deps', 'all.sqlite', '--targets')).out).toMatch(/c\.test +1 +0\.658 +0\.000/);
});

test('the graph of hosts: its shape, and who is central', async () => {
  const { exit, out } = await cli('graph', 'stats');
  expect(exit).toBe(0);
  expect(out).toContain('4 hosts, 3 links between them, 0.0 % reciprocated');
  expect(out).toMatch(/b\.test +1\.0 +0\.\d+ +1 +0/);
  const lines = (await cli('graph', 'stats', 'example.org', '--level', 'site', '--json')).out
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { kind: 'graph', nodes: 3, links: 2, weakComponents: 1, bowTie: { core: 1 } },
    { kind: 'site', name: 'b.test', inDegree: 1 },
    { kind: 'site', name: 'c.test', harmonic: 1 },
    { kind: 'site', name: 'example.org', outDegree: 2, harmonic: 0 },
  ]);
});

test('a graph file grows crawl by crawl, each once', async () => {
  const into = await cli('graph', 'stats', '--into', 'hosts.graph');
  expect([into.exit, into.err]).toEqual([0, '']);
  const shown = await cli('graph', 'stats', 'hosts.graph');
  expect(shown.out).toBe(into.out);
  expect((await cli('graph', 'stats', '--into', 'hosts.graph')).out).toBe(into.out);
  const other = await cli('graph', 'stats', '--into', 'hosts.graph', '--level', 'site');
  expect(other.err).toContain('hosts.graph is a graph of hosts, not of sites.');
  await writeFile(join(cwd, 'notes.txt'), 'nothing');
  expect((await cli('graph', 'stats', 'notes.txt')).err).toContain('is not a graph');
});

test('mistakes say what to do', async () => {
  expect((await cli('graph', 'deps', '--threshold', '2')).err).toContain('--threshold needs a share');
  expect((await cli('graph', 'deps', '--cpu-share', '0')).err).toContain(
    '--cpu-share needs a number from 1 to 100',
  );
  await writeFile(join(cwd, 'notes.txt'), 'no database at all, but long enough to look like one?'.repeat(50));
  const wrong = await cli('graph', 'deps', 'notes.txt');
  expect([wrong.exit, wrong.err]).toEqual([6, expect.stringContaining('cannot be used as a database')]);
});

test('the explorer is a page in the folder, which a desktop opens', async () => {
  const world = fakeWorld(cwd, course, ['graph']);
  const opened: string[] = [];
  world.context.openFile = (path) => void opened.push(path);
  expect(await runCli(['graph'], world.context)).toBe(0);
  const file = join(cwd, 'example.org.crawl', 'graph.html');
  expect(world.out()).toContain(
    '2 pages by their shortest ways, 4 hosts\n  ./example.org.crawl/graph.html\n',
  );
  expect(opened).toEqual([file]);
  expect(await readFile(file, 'utf8')).toContain('"rows":[[0,"/"');
  expect(await runCli(['graph', 'example.org', '--no-open'], world.context)).toBe(0);
  expect(opened).toHaveLength(1);
  expect((await cli('graph', 'nowhere')).err).toContain('There is no folder ./nowhere.');
});
