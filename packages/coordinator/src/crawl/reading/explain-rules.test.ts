import type { CrawlId, HostKey, PageRecord, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createScope } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import type { UrlStory } from '../../frontier/frontier.ts';
import { hostRuling } from '../../host-rules/host-ruling.ts';
import { settableRules, tablesOf } from '../../host-rules/host-rules.ts';
import { type ExplainOptions, explainUrl } from './explain.ts';

const job = resolveJob({
  seeds: ['https://a.example/'],
  politeness: { hosts: [{ match: 'own.a.example', gap: '5s' }] },
});
const rules = settableRules();
const set = { by: 'ada', atMs: 1 };
rules.set(
  tablesOf({
    rules: [{ id: 'slow.a.example', value: { gapMs: 60_000, note: 'asked by mail', ...set } }],
    optOuts: [{ id: 'b.a.example', value: { reason: 'no', contact: 'x@y', date: '2026-11-16', ...set } }],
  }),
);

function explain(url: string, story?: UrlStory, inForce = job) {
  const frontier = {
    look: async () => story,
    robots: async () => undefined,
    forgotten: async () => [{ pattern: '*.gone.example', sinceMs: 1 }],
    results: { linksTo: async () => new Map(), edgesOf: async () => [] },
  } as ExplainOptions['frontier'];
  const scope = createScope(job, ['https://a.example/' as Url]);
  const ruling = hostRuling(rules, () => job);
  return explainUrl(url, {
    crawl: 'c' as CrawlId,
    job: inForce,
    scope,
    agentToken: 'webfarer',
    frontier,
    ruling,
    held: undefined,
  });
}

function queued(url: string): UrlStory {
  const host = new URL(url).hostname as HostKey;
  return {
    state: 'queued',
    entry: { url: url as Url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 },
    host: { host, queued: 1, dueInMs: 20_000, why: 'rule', dead: false },
    ahead: 0,
  };
}

it('names the priority of a queued URL in a job that asks for an order', async () => {
  const where = 'https://a.example/x';
  const story = queued(where) as Extract<UrlStory, { state: 'queued' }>;
  const ordered = { ...job, order: 'best-first' as const };
  const { lines } = await explain(where, { ...story, entry: { ...story.entry, band: 7 }, ahead: 5 }, ordered);
  expect(lines).toContain('queued with priority 8, 5 ahead of it on this host');
  expect((await explain(where, story, ordered)).lines).toContain(
    'queued with priority 1, 0 ahead of it on this host',
  );
  expect((await explain(where, story)).lines).toContain('queued, 0 ahead of it on this host');
});

it('names the rule that holds a host of a queued URL, and who set it', async () => {
  const { lines } = await explain('https://slow.a.example/x', queued('https://slow.a.example/x'));
  expect(lines).toContain('slow.a.example may be asked again in 20 s (a host rule asks for a longer pause)');
  expect(lines).toContain(
    'the host rule slow.a.example asks for 1m between requests, set by ada: asked by mail',
  );
  const own = await explain('https://own.a.example/', queued('https://own.a.example/'));
  expect(own.lines).toContain('politeness.hosts of the job sets a pause of 5.0 s for this host');
});

it('says that a URL of an opted-out host is not fetched, queued or not', async () => {
  const why = 'the owner of b.a.example opted out on 2026-11-16, recorded by ada: no';
  const waiting = await explain('https://b.a.example/', queued('https://b.a.example/'));
  expect(waiting.lines).toContain(`it will be refused(opt-out): ${why}`);
  expect(await explain('https://b.a.example/new')).toMatchObject({
    state: 'unknown',
    code: 'opt-out',
    rule: why,
  });
});

it('finds a POST by the name that lists show, and says what it is', async () => {
  const name = `https://a.example/list#POST.${'d'.repeat(22)}`;
  const { url, lines } = await explain(name, queued(name));
  expect(url).toBe(name);
  expect(lines.slice(0, 2)).toEqual([
    'a POST to https://a.example/list',
    'queued, 0 ahead of it on this host',
  ]);
  expect((await explain('https://a.example/list#part')).url).toBe('https://a.example/list');
});

it('says that a host was deleted on request, not that it is out of scope', async () => {
  for (const url of ['https://gone.example/', 'https://www.gone.example/x'])
    expect(await explain(url)).toMatchObject({
      state: 'out-of-scope',
      code: 'forgotten',
      rule: '*.gone.example',
    });
  expect((await explain('https://b.example/')).code).not.toBe('forgotten');
});

it('says why the body of a page was not saved', async () => {
  const url = 'https://a.example/data' as Url;
  const record = { url, verdict: 'done', reason: 'ok', status: 200, kind: 'page', attempts: 1 } as PageRecord;
  const told = async (more: Partial<PageRecord>) =>
    (await explain(url, { state: 'settled', record: { ...record, ...more } } as UrlStory)).lines;
  expect(await told({ notSaved: 'type', mime: 'application/atom+xml' })).toContain(
    'not saved: fetch.types.save of the job does not have its type (application/atom+xml)',
  );
  expect(await told({ notSaved: 'noarchive' })).toContain(
    'not saved: the page asks not to be archived (noarchive)',
  );
});
