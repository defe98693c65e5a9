import { expect, test } from 'vitest';
import { sbomOf } from './sbom.ts';
import { published, readManifest } from './workspace.ts';

const tarballs = published.map((home) => ({
  name: readManifest(home).name,
  version: readManifest(home).version,
  path: '',
  bytes: 0,
  integrity: 'sha512-AAAA',
  carried: home === 'worker' ? [{ name: 'cheerio', version: '1.2.0', license: 'MIT' }] : [],
}));
interface Part {
  name: string;
  purl: string;
  hashes?: { content: string }[];
  components?: Part[];
}
const read = () =>
  sbomOf(tarballs) as { serialNumber: string; metadata: { component: Part }; components: Part[] };

test('everything that npm installs is named, with its hash', () => {
  const { components, metadata } = read();
  expect(metadata.component.purl).toMatch(/^pkg:npm\/webfarer@/);
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['@webfarer/worker', 'undici', 'zod', 'jose']));
  for (const { name, hashes } of components)
    expect([name, hashes?.[0]?.content]).toEqual([name, expect.any(String)]);
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
});

test('what is carried inside is named there, and nowhere else', () => {
  const { components } = read();
  const worker = components.find(({ name }) => name === '@webfarer/worker');
  expect(worker?.components?.map(({ purl }) => purl)).toEqual(
    expect.arrayContaining(['pkg:npm/cheerio@1.2.0', 'pkg:cargo/chardetng@1.0.0']),
  );
  expect(components.map(({ name }) => name)).not.toContain('cheerio');
  expect(components.map(({ name }) => name)).not.toContain('parse5');
});

test('the same release gives the same document', () => {
  expect(read()).toEqual(read());
  expect(read().serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  );
});
