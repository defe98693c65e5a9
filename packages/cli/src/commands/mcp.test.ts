import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-mcp-command-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each([
  [[], 'is started by an MCP client'],
  [['--http', '0.0.0.0:0'], 'clients need a token'],
  [['--http', 'example.org'], 'is not an address and a port'],
  [['--max-pages', '0'], '--max-pages needs a number above 0'],
  [['--max-crawls', 'many'], '--max-crawls needs a whole number'],
  [['--allow', 'example.org,https://example.net/'], 'https://example.net/ is not a host name'],
])('mcp %j is refused before anything is served: %s', async (more, message) => {
  const words = ['mcp', '--folder', join(home, 'agents'), ...more];
  const { context, err, out } = fakeWorld(home, {}, words);
  expect(await runCli(words, context)).toBe(2);
  expect(err()).toContain(message);
  expect(out()).toBe('');
});
