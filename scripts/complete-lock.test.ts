import { expect, test } from 'vitest';
import { completeLock, fillDigests, withoutIntegrity } from './complete-lock.ts';

const tool = {
  version: '1.2.3',
  dev: true,
  optionalDependencies: {
    '@tool/cli-linux-x64': '1.2.3',
    '@tool/cli-linux-arm64-musl': '1.2.3',
    '@tool/cli-win32-ia32-msvc': '^1.2.3',
    '@tool/cli-wasm32-wasi': '1.2.3',
    extras: '4.0.0',
  },
};
const present = { version: '1.2.3', integrity: 'sha512-kept' };

test('platform packages that are missing are written in, those present are kept', () => {
  const { packages, added } = completeLock({
    'node_modules/tool': tool,
    'node_modules/@tool/cli-linux-x64': present,
  });
  expect(added).toHaveLength(3);
  expect(packages['node_modules/@tool/cli-linux-x64']).toBe(present);
  expect(packages['node_modules/@tool/cli-linux-arm64-musl']).toEqual({
    version: '1.2.3',
    cpu: ['arm64'],
    os: ['linux'],
    libc: ['musl'],
    dev: true,
    optional: true,
  });
  expect(packages['node_modules/@tool/cli-win32-ia32-msvc']).toMatchObject({
    version: '1.2.3',
    os: ['win32'],
  });
  expect(packages['node_modules/@tool/cli-wasm32-wasi']).toMatchObject({ cpu: ['wasm32'] });
  expect(packages).not.toHaveProperty('node_modules/extras');
});

test('a complete lock stays as it is', () => {
  const once = completeLock({ 'node_modules/tool': tool });
  expect(completeLock(once.packages)).toEqual({ packages: once.packages, added: [] });
});

test('a package whose bytes the lock does not know is named, unless it is of this repository or for another platform', () => {
  const { packages } = completeLock({
    '': {},
    'packages/own': { version: '0.0.1' },
    'node_modules/own': { link: true },
    'node_modules/tool': { ...tool, integrity: 'sha512-x' },
    'node_modules/unsure': { version: '1.0.0' },
    'node_modules/a/node_modules/unsure': { version: '1.0.0', optional: true },
    'node_modules/@tool/linux-x64-alike': { version: '1.0.0', os: ['linux'], cpu: ['x64'] },
  });
  const { unsure, otherPlatforms } = withoutIntegrity(packages);
  expect(unsure).toEqual([
    'node_modules/@tool/linux-x64-alike',
    'node_modules/a/node_modules/unsure',
    'node_modules/unsure',
  ]);
  expect(otherPlatforms).toHaveLength(4);
});

test('a digest is written in where the registry has one by now, and none is changed', async () => {
  const before = {
    'packages/own': { version: '0.0.1' },
    'node_modules/own': { link: true },
    'node_modules/tool': { version: '1.2.3', integrity: 'sha512-kept' },
    'node_modules/a/node_modules/@tool/linux-arm64': { version: '1.0.0', os: ['linux'], cpu: ['arm64'] },
    'node_modules/@tool/win32-x64': { version: '1.0.0', os: ['win32'], cpu: ['x64'] },
  };
  const asked: string[] = [];
  const { packages, filled, left } = await fillDigests(before, (name, version) => {
    asked.push(`${name}@${version}`);
    return Promise.resolve(name === '@tool/linux-arm64' ? 'sha512-found' : undefined);
  });
  expect(asked).toEqual(['@tool/linux-arm64@1.0.0', '@tool/win32-x64@1.0.0']);
  expect({ filled, left }).toEqual({ filled: ['@tool/linux-arm64'], left: 1 });
  const path = 'node_modules/a/node_modules/@tool/linux-arm64';
  expect(packages).toEqual({ ...before, [path]: { ...before[path], integrity: 'sha512-found' } });
  expect(Object.keys(packages[path] ?? {})).toEqual(['version', 'integrity', 'os', 'cpu']);
});
