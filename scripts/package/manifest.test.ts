import { expect, test } from 'vitest';
import { publishedManifest } from './manifest.ts';
import { readRootManifest } from './workspace.ts';

const versions = new Map([['@webfarer/protocol', '0.3.0']]);
const manifest = {
  name: 'webfarer',
  version: '0.3.0',
  description: 'kept',
  private: true,
  exports: { '.': './src/index.ts', './job.schema.json': './job.schema.json' },
  bin: { webfarer: './src/main.ts' },
  dependencies: { '@webfarer/protocol': '0.1.0', yaml: '2.9.1' },
};
const publish = (changes: object) =>
  publishedManifest({
    manifest: { ...manifest, ...changes },
    directory: 'packages/cli',
    root: readRootManifest(),
    versions,
  });

test('sources become what was built from them', () => {
  const made = publish({});
  expect(made.exports).toEqual({
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './job.schema.json': './job.schema.json',
    './package.json': './package.json',
  });
  expect(made.bin).toEqual({ webfarer: 'dist/main.js' });
  expect(made.files).toEqual(['dist', 'README.md', 'LICENSE', 'NOTICE', 'job.schema.json']);
  expect(made).toMatchObject({ description: 'kept', sideEffects: ['./dist/main.js'] });
  expect(made).not.toHaveProperty('private');
});

test('our packages are asked for in the version released with them, others in their newest patch', () => {
  expect(publish({}).dependencies).toEqual({ '@webfarer/protocol': '0.3.0', yaml: '~2.9.1' });
});

test('a loose range is refused', () => {
  expect(() => publish({ dependencies: { yaml: '^2.9.1' } })).toThrow('yaml: ^2.9.1 is not an exact version');
});

test('a bundled package is not asked for, and its license comes along', () => {
  const made = publish({ bundled: ['yaml'], bin: undefined });
  expect(made.dependencies).toEqual({ '@webfarer/protocol': '0.3.0' });
  expect(made).not.toHaveProperty('bundled');
  expect(made.files).toContain('THIRD-PARTY-LICENSES.txt');
  expect(made.exports).toHaveProperty(['./vendor/*'], './dist/vendor/*.js');
  expect(made).toMatchObject({ sideEffects: false });
});

test('every package says where it comes from and how it is published', () => {
  const made = publish({});
  expect(made).toMatchObject({
    repository: { type: 'git', url: expect.stringContaining('webfarer.git'), directory: 'packages/cli' },
    homepage: expect.stringContaining('https://'),
    bugs: { url: expect.stringContaining('/issues') },
    publishConfig: { access: 'public', provenance: true },
  });
});
