// watches: docs, test/prove, bench, .ci
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { streamTopics } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { apiPage } from './docs/api-page.ts';
import { ciPage } from './docs/ci-page.ts';
import { commandsPage } from './docs/commands-page.ts';
import { eventsPage } from './docs/events-page.ts';
import { faultsPage } from './docs/faults-page.ts';
import { jobFilePage } from './docs/job-file-page.ts';
import { openApiPage } from './docs/openapi-page.ts';
import { reasonsPage } from './docs/reasons-page.ts';
import { starbellyCommands, starbellySubscriptions } from './docs/starbelly.ts';

const page = (name: string) => readFileSync(resolve(import.meta.dirname, '../docs', name), 'utf8');

it('docs/api.md says what the routes say', () => expect(page('api.md')).toBe(apiPage()));
it('docs/ci.md says what the headers say', () => expect(page('ci.md')).toBe(ciPage()));
it('docs/commands.md says what the commands say', async () =>
  expect(page('commands.md')).toBe(await commandsPage()));
it('docs/events.md says what the catalogue says', () => expect(page('events.md')).toBe(eventsPage()));
it('docs/faults.md says what the ledger says', () => expect(page('faults.md')).toBe(faultsPage()));
it('docs/job-file.md says what the schema says', () => expect(page('job-file.md')).toBe(jobFilePage()));
it('docs/openapi.json says what the routes say', () => expect(page('openapi.json')).toBe(openApiPage()));
it('docs/reasons.md says what the tables say', () => expect(page('reasons.md')).toBe(reasonsPage()));
it('the page of the job file names every field with its default', () => {
  expect(jobFilePage()).toContain('| `retries.backoff` | time | `10s` |');
  expect(jobFilePage()).toContain('| `stay` | `path` or `host` or `site` or `web` | `site` |');
  expect(jobFilePage()).toContain('| `save` | `warc.rotate` | size | `1GB` |');
});
it('the page of the API places every command and subscription of Starbelly', () => {
  expect(Object.keys(starbellyCommands)).toHaveLength(33);
  expect(Object.keys(starbellySubscriptions)).toHaveLength(7);
});
it('each place that the page names for a command of Starbelly exists', () => {
  const lines = apiPage().split('\n');
  const document = JSON.parse(openApiPage()) as { paths: Record<string, Record<string, unknown>> };
  const placed = [...Object.entries(starbellyCommands), ...Object.entries(starbellySubscriptions)];
  for (const [name, { there, routes: named, text }] of placed) {
    const line =
      lines.find((one) => one.startsWith(`| \`${name}\` |`) || one.startsWith(`| ${name} |`)) ?? '';
    const shown = [...line.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v1\/[^`]+)`/g)];
    expect([name, shown.length]).toEqual([name, named.length]);
    for (const [, method = '', path = ''] of shown)
      expect(document.paths[path]?.[method.toLowerCase()], line).toBeDefined();
    const [, topic] = /topic `(\w+)` of/.exec(text) ?? [];
    if (topic !== undefined) expect(streamTopics).toContain(topic);
    // What is there is somewhere; what is not says so.
    expect([name, there]).toEqual([name, named.length > 0 || text.includes('/v1/stream')]);
    expect([name, !there]).toEqual([name, /^(not yet|never)\b/.test(text)]);
  }
});
