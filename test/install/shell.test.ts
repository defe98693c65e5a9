import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { goneOn } from './gone-on.ts';
import { emptyFolder, type, warningsIn } from './shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-shell-'));
afterAll(() => rmSync(folder, { recursive: true }));
const shell = emptyFolder(folder, { version: '0', bin: '/opt/some-node/bin' });

test('the environment has the given Node first, and nothing of ours', async () => {
  const ran = await type(shell, 'echo "$PATH"; env');
  expect(ran.output.split(':')[0]).toBe('/opt/some-node/bin');
  expect(ran.output).not.toMatch(/^npm_|^WEBFARER_|node_modules\/\.bin/m);
});

test('exit codes and both streams are told', async () => {
  expect(await type(shell, 'echo one; echo two >&2; exit 3')).toEqual({ code: 3, output: 'one\ntwo\n' });
});

test('Ctrl-C reaches what the shell has started', async () => {
  const ran = await type(shell, 'trap "echo caught; exit 130" INT; while :; do sleep 0.01; done', () => true);
  expect(ran).toEqual({ code: 130, output: expect.stringMatching(/^(caught\n)?$/) });
});

test('warnings are found, those about npm settings left out', () => {
  const output = [
    '(node:1) ExperimentalWarning: SQLite is an experimental feature',
    'npm warn deprecated old@1.0.0',
    'npm warn Unknown user config "nodedir".',
    'forewarned is forearmed',
    'all is well',
  ];
  expect(warningsIn(output.join('\n'))).toEqual(output.slice(0, 2));
});

test('going on means new pages, and at most one again', () => {
  const got = (...paths: string[]) =>
    paths.map((path) => ({ what: `GET http://a.test${path}`, status: 200, atMs: 0 }));
  expect(goneOn([got('/robots.txt', '/1', '/2'), got('/robots.txt', '/2', '/3')])).toEqual([]);
  expect(goneOn([got('/1', '/2'), got('/1', '/2', '/3')])).toEqual([
    'asked again: GET http://a.test/1 GET http://a.test/2',
  ]);
  expect(goneOn([got('/1'), got('/robots.txt')])).toEqual(['the second line asked for nothing']);
  const trouble = [{ what: 'GET http://a.test/1', status: 503, atMs: 0 }];
  expect(
    goneOn([
      [...trouble, ...trouble],
      [...trouble, ...got('/1', '/2')],
    ]),
  ).toEqual([]);
});
