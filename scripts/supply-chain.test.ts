import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { supplyFaults, supplyFiles } from './supply-chain.ts';

const faults = (path: string, text: string) => supplyFaults(new Map([[path, text]]));
const commit = 'a'.repeat(40);
const sha = `sha256:${'b'.repeat(64)}`;

test('this repository names what comes from others by what it is', () => {
  const files = supplyFiles(resolve(import.meta.dirname, '..'));
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      '.github/workflows/release.yml',
      'deploy/container/Containerfile',
      '.devcontainer/devcontainer.json',
    ]),
  );
  expect(supplyFaults(files)).toEqual([]);
});

test.each([
  ['actions/checkout@v6', 'a tag'],
  [`actions/checkout@${commit}`, 'no version beside the commit'],
  ['actions/checkout@main # v6.0.1', 'a branch'],
])('an action as %s: %s', (uses) => {
  expect(faults('.github/workflows/a.yml', `jobs:\n  a:\n    steps:\n      - uses: ${uses}\n`)).toHaveLength(
    1,
  );
});

test.each(['docker.io/versity/versitygw:latest', 'grafana/grafana', 'grafana/grafana:12.2.0@sha256:abc'])(
  'an image as %s',
  (image) => {
    expect(faults('deploy/compose/compose.yaml', `services:\n  a:\n    image: ${image}\n`)).toHaveLength(1);
  },
);

test.each([
  ['mcr.microsoft.com/devcontainers/base:24', 1],
  [`mcr.microsoft.com/devcontainers/base@${sha}`, 0],
])('an image for editors as %s', (image, count) => {
  const json = `{\n  // Of others.\n  "image" : "${image}",\n}\n`;
  expect(faults('.devcontainer/devcontainer.json', json)).toHaveLength(count);
  expect(faults('.devcontainer/Dockerfile', `FROM ${image}\n`)).toHaveLength(count);
});

test('an image that others build upon', () => {
  const file = (base: string) => `ARG BASE=${base}\nFROM --platform=x \${BASE} AS build\nFROM build AS run\n`;
  expect(faults('deploy/container/Containerfile', file(`docker.io/library/node:24@${sha}`))).toEqual([]);
  expect(faults('deploy/container/Containerfile', file('docker.io/library/node:24'))).toHaveLength(1);
  expect(faults('deploy/container/Containerfile', 'FROM node:24\n')).toHaveLength(1);
});

test.each(['npm ci', 'npm run release', 'npx changeset publish'])(
  'a job that publishes and runs %s',
  (run) => {
    const job = (rights: string) =>
      `jobs:\n  out:\n    permissions:\n      ${rights}\n    steps:\n      - run: node scripts/publish.ts\n      - run: ${run}\n`;
    expect(faults('.github/workflows/a.yml', job('id-token: write'))).toEqual([
      expect.stringContaining('the job out may publish'),
    ]);
    expect(faults('.github/workflows/a.yml', job('contents: read'))).toEqual([]);
  },
);
