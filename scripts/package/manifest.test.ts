import { expect, test } from 'vitest';
import { publishedManifest } from './manifest.ts';

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

test('sources become what was built from them', () => {
  const made = publishedManifest(manifest, versions);
  expect(made.exports).toEqual({
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './job.schema.json': './job.schema.json',
  });
  expect(made.bin).toEqual({ webfarer: 'dist/main.js' });
  expect(made.files).toEqual(['dist', 'README.md', 'LICENSE', 'job.schema.json']);
  expect(made).toMatchObject({ description: 'kept' });
  expect(made).not.toHaveProperty('private');
});

test('our packages are asked for in the version released with them, others as declared', () => {
  expect(publishedManifest(manifest, versions).dependencies).toEqual({
    '@webfarer/protocol': '0.3.0',
    yaml: '2.9.1',
  });
});

test('a loose range is refused', () => {
  const loose = { ...manifest, dependencies: { yaml: '^2.9.1' } };
  expect(() => publishedManifest(loose, versions)).toThrow('yaml: ^2.9.1 is not an exact version');
});
