import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Url } from '@webfarer/protocol';
import { agentFolder, existingCrawl, folderTitle, pagesFolder } from './agent-folders.ts';
import { agentUrl } from './agent-rules.ts';

let home: string;
let root: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-agent-'));
  root = join(home, 'agents');
  mkdirSync(root);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('names are of folders below the one of the operator', () => {
  expect(agentFolder(root, 'example.org')).toBe(join(root, 'example.org.crawl'));
  expect(agentFolder(root, 'pages/example.org.crawl')).toBe(join(root, 'pages/example.org.crawl'));
  expect(folderTitle(root, pagesFolder(root, 'http://example.org:8080/x' as Url))).toBe(
    'pages/example.org-8080.crawl',
  );
  const bad = [
    '',
    '.',
    '..',
    '../x',
    '/etc',
    'a/b',
    'pages/../../x',
    'pages//x',
    'x\0',
    'C:\\x',
    '-x',
    'x y',
  ];
  for (const name of bad) expect(() => agentFolder(root, name), name).toThrow('is not the name of a crawl');
});

test('a symbolic link does not lead out, at any place', () => {
  const beside = join(home, 'beside.crawl');
  mkdirSync(beside);
  symlinkSync(beside, join(root, 'linked.crawl'));
  symlinkSync(home, join(root, 'pages'));
  expect(() => agentFolder(root, 'linked')).toThrow('is not the name of a crawl');
  expect(() => agentFolder(root, 'pages/beside')).toThrow('is not the name of a crawl');
  expect(() => agentFolder(root, 'pages/new')).toThrow('is not the name of a crawl');
});

test('a crawl that is not there is answered with those that are', async () => {
  await expect(existingCrawl(root, 'x')).rejects.toThrow('There is no crawl x');
  mkdirSync(join(root, 'maps/one.crawl'), { recursive: true });
  await expect(existingCrawl(root, 'x')).rejects.toMatchObject({ next: 'There are: maps/one.crawl' });
});

test('only allowed hosts, and no address with a name and password', () => {
  const rules = { allow: ['example.org', '*.example.net'] };
  expect(agentUrl(rules, 'example.org')).toBe('https://example.org/');
  expect(agentUrl(rules, 'https://name:word@a.example.net/x')).toBe('https://a.example.net/x');
  expect(() => agentUrl(rules, 'https://www.example.org/')).toThrow('not among the hosts');
  expect(() => agentUrl(rules, 'https://example.org.evil.test/')).toThrow('not among the hosts');
  expect(() => agentUrl({ allow: [] }, 'file:///etc/passwd')).toThrow('not a web address');
});
