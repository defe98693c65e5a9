import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'rolldown';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '..');
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(home, name), 'utf8'));
const { exports } = readJson('package.json') as { exports: Record<string, string> };
const entries = Object.entries(exports).filter(([name]) => name !== './node');

/** The globals of a browser that are also in Node, and nothing that is only in Node. */
const browser = { TextDecoder, TextEncoder, URL, URLSearchParams, AbortSignal, performance, setTimeout };

/** Runs `use` on an entry's exports, bundled for browsers, where nothing of Node is in reach. */
async function inBrowser(file: string, use: string): Promise<unknown> {
  const { output } = await build({
    input: join(home, file),
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    output: { format: 'iife', name: 'entry' },
  });
  const context = createContext({ ...browser, console: { warn() {} } });
  return runInContext(`${output[0].code}\nJSON.stringify((${use})(entry))`, context);
}

test.for(entries)('%s loads without Node', async ([, file]) => {
  const names = await inBrowser(file, '(entry) => Object.keys(entry)');
  expect(JSON.parse(String(names)).length).toBeGreaterThan(0);
});

test('an entry that needs Node does not load', async () => {
  await expect(inBrowser(String(exports['./node']), '() => 0')).rejects.toThrow(/require|node:|not defined/);
});

test('jobs, URLs, robots, links and the API are worked on without Node', async () => {
  const use = async (name: string, code: string): Promise<unknown> =>
    JSON.parse(String(await inBrowser(String(exports[name]), code)));
  expect(
    await use(
      './job',
      `({ parseJobFile }) => parseJobFile('seeds: [https://a.example]\\ncontact: me@a.example\\n', 'job.yaml').job.seeds`,
    ),
  ).toMatchObject([{ url: 'https://a.example' }]);
  expect(
    await use(
      './api',
      `({ createClient }) => Object.keys(createClient({ url: 'http://x', token: undefined, fetch() {} }))`,
    ),
  ).toContain('listCrawls');
  expect(await use('./url', `({ siteOf }) => siteOf('www.a.co.uk')`)).toBe('a.co.uk');
  expect(
    await use(
      './robots',
      `({ parseRobots }) => parseRobots('User-agent: *\\nDisallow: /x').decide('webfarer', '/x').allowed`,
    ),
  ).toBe(false);
  expect(
    await use(
      './link',
      `({ packEdges, unpackEdges }) => unpackEdges('https://a.example/', packEdges('https://a.example/', [{ to: 'https://a.example/ü', rel: 'a' }]))`,
    ),
  ).toEqual([{ to: 'https://a.example/ü', rel: 'a' }]);
});

test('the compiler checks every entry for browsers', () => {
  const { files } = readJson('tsconfig.browser.json') as { files: string[] };
  expect(new Set(files.map((file) => `./${file}`))).toEqual(new Set(entries.map(([, file]) => file)));
});

test('a name is exported by one entry, and the common one stays small', () => {
  const homes = new Map<string, string[]>();
  for (const [entry, file] of Object.entries(exports))
    for (const name of exportedNames(readFileSync(join(home, file), 'utf8')))
      homes.set(name, [...(homes.get(name) ?? []), entry]);
  expect([...homes].filter(([, places]) => places.length > 1)).toEqual([]);
  const common = [...homes.values()].filter(([place]) => place === '.').length;
  expect(common).toBeGreaterThan(0);
  expect(common).toBeLessThan(120);
});

/** Names that an entry passes on, types among them. */
function exportedNames(text: string): string[] {
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\} from/g)].map(([, list = '']) => list);
  return lists.flatMap((list) =>
    list
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );
}
