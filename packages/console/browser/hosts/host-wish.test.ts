import { expect, it } from 'vitest';
import { fulfil, takeBack } from './host-wish.ts';

interface Rule {
  match: string;
  team?: string;
  version: number;
  by: string;
  atMs: number;
  gapMs?: number;
  block?: boolean;
  note?: string;
}

/** A coordinator that keeps rules and lists them one at a time. */
function coordinator(rules: Map<string, Rule>) {
  const set = { by: 'ada', atMs: 0 };
  return {
    listHostRules: async ({ query = {} }: { query?: { after?: string | undefined } | undefined } = {}) => {
      const names = [...rules.keys()].toSorted().filter((name) => name > (query.after ?? ''));
      const [first] = names;
      const items = first === undefined ? [] : [rules.get(first)].filter((rule) => rule !== undefined);
      return { items, ...(names.length > 1 && first !== undefined ? { next: first } : {}) };
    },
    putHostRule: async ({ params, body }: { params: { match: string }; body: object }) => {
      const { version: asked, ...rule } = body as { version?: number };
      const version = rules.get(params.match)?.version ?? 0;
      if (asked !== undefined && asked !== version) throw new Error('conflict');
      const kept = { match: params.match, version: version + 1, ...set, ...rule };
      rules.set(params.match, kept);
      return kept;
    },
    deleteHostRule: async ({ params }: { params: { match: string } }) => {
      rules.delete(params.match);
      return undefined;
    },
  };
}

const rule = (match: string, more: Partial<Rule> = {}): [string, Rule] => [
  match,
  { match, version: 4, by: 'eve', atMs: 1, ...more },
];

it('slows and blocks a host by a rule, without its port, and takes back to nothing', async () => {
  const rules = new Map([rule('a.example', { gapMs: 1 })]);
  const client = coordinator(rules);
  const slowed = await fulfil(client, {
    host: 'b.example:8080',
    wish: { kind: 'slow', gapMs: 9_000 },
    whose: 'all',
  });
  expect(rules.get('b.example')).toMatchObject({ gapMs: 9_000 });
  await takeBack(client, slowed);
  await takeBack(client, await fulfil(client, { host: 'c.example', wish: { kind: 'block' }, whose: 'all' }));
  expect([...rules.keys()]).toEqual(['a.example']);
});

it('brings back the rule that held before, on whichever page it is listed', async () => {
  const rules = new Map([rule('a.example', { gapMs: 1 }), rule('b.example', { gapMs: 2_000, note: 'why' })]);
  const client = coordinator(rules);
  const done = await fulfil(client, { host: 'b.example', wish: { kind: 'block' }, whose: 'all' });
  expect(rules.get('b.example')).toMatchObject({ block: true, version: 5 });
  await takeBack(client, done);
  const { gapMs, note, block } = rules.get('b.example') ?? {};
  expect({ gapMs, note, block }).toEqual({ gapMs: 2_000, note: 'why', block: undefined });
});

it('leaves the rule for all crawls alone where it sets one for a team', async () => {
  const rules = new Map([rule('b.example', { gapMs: 2_000 })]);
  const client = coordinator(rules);
  const ofTeam = {
    ...client,
    putHostRule: (asked: Parameters<typeof client.putHostRule>[0]) =>
      client.putHostRule({ ...asked, params: { match: `${asked.params.match} red` } }),
  };
  const done = await fulfil(ofTeam, { host: 'b.example', wish: { kind: 'block' }, whose: 'team' });
  expect(done.before).toBeUndefined();
  expect(rules.get('b.example')).toMatchObject({ gapMs: 2_000, version: 4 });
});
