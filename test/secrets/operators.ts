import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Canary, canariesIn } from './canaries.ts';

/** What operators are shown of secrets that an admin gave to crawls, policies and schedules. */
export interface Shown {
  /** Names of secrets in what operators of two teams could read. */
  found: string[];
  /** Answers that were read. Control: without any, nothing could have been found. */
  answers: number;
}

/**
 * An admin writes secrets wherever a job takes one, at a coordinator that serves teams; operators of the same and of another
 * team read everything that the API shows them.
 */
export async function askAsOperators(
  { url, data }: { url: string; data: string },
  {
    canaries,
    values,
  }: { canaries: readonly Canary[]; values: Record<'header' | 'password' | 'proxy', string> },
): Promise<Shown> {
  const admin = readFileSync(join(data, 'operator.token'), 'utf8').trim();

  async function ask(token: string, method: string, path: string, body?: object): Promise<string> {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return `${answer.status} ${await answer.text()}`;
  }

  async function must(method: string, path: string, body: object): Promise<string> {
    const text = await ask(admin, method, path, body);
    if (!text.startsWith('20')) throw new Error(`${method} ${path} was answered ${text}`);
    return text.slice(4);
  }

  const policy = { fetch: { headers: { 'X-Api-Key': values.header } } };
  const job = {
    name: 'of-admin',
    team: 'team-a',
    seeds: [`http://name:${values.password}@127.0.0.9:9/`],
    contact: 'https://lab.test/',
    fetch: { ...policy.fetch, proxy: [{ use: `http://name:${values.proxy}@127.0.0.1:9` }] },
  };
  await must('PUT', '/v1/policies/of-admin', { policy, users: ['team-a'] });
  await must('POST', '/v1/crawls', { job });
  // Refused, because the password of the proxy is not stored; the history of edits is read all the same.
  await ask(admin, 'PATCH', '/v1/crawls/of-admin', { changes: { limits: { pages: 3 } } });
  const tokens = await Promise.all(
    ['team-a', 'team-b'].map(
      async (team) =>
        (JSON.parse(await must('POST', '/v1/tokens', { scope: 'operator', team })) as { token: string })
          .token,
    ),
  );
  const paths = [
    '/v1/crawls',
    '/v1/crawls/of-admin',
    '/v1/crawls/of-admin/edits',
    '/v1/crawls/of-admin/urls',
    '/v1/crawls/of-admin/hosts',
    '/v1/policies',
    '/v1/policies/of-admin',
    '/v1/schedules',
    '/v1/workers',
    '/v1/coordinators',
    '/status',
  ];
  const shown: string[] = [];
  let lent = 0;
  for (const token of tokens) {
    for (const path of paths) shown.push(await ask(token, 'GET', path));
    // What is refused says why, and may repeat what it refuses.
    for (const path of ['/v1/crawls/of-admin', '/v1/crawls/of-admin/scope-preview'])
      shown.push(
        await ask(token, path.endsWith('preview') ? 'POST' : 'PATCH', path, {
          changes: { fetch: { headers: { 'X-Api-Key': 'mine' } } },
        }),
      );
    const own = { seeds: ['http://192.0.2.1/'], contact: 'https://lab.test/', policy: 'of-admin' };
    const name = `with-policy-${shown.length}`;
    shown.push(await ask(token, 'POST', '/v1/crawls', { job: { ...own, name } }));
    const schedule = {
      name: 'x',
      when: { cron: '0 0 29 2 *' },
      run: { job: { ...own, name: 'later' } },
    };
    shown.push(await ask(token, 'POST', '/v1/schedule-preview', { schedule }));
    shown.push(await ask(token, 'PUT', `/v1/schedules/${name}`, { schedule }));
    // What the policy lends is part of these from now on.
    for (const path of [`/v1/crawls/${name}`, `/v1/crawls/${name}/edits`, `/v1/schedules/${name}`])
      shown.push(await ask(token, 'GET', path));
    lent += shown.at(-3)?.startsWith('200') ? 1 : 0;
  }
  if (lent !== 1) throw new Error(`${lent} teams could use a policy that was lent to one`);
  return { found: canariesIn(shown.join('\n'), canaries), answers: shown.length };
}
