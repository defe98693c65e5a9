import { scopeCovers } from '@webfarer/protocol/api';
import type { Attackers } from './attacks.ts';
import { faultOf } from './judge.ts';
import { powerCases } from './power-attacks.ts';
import { routesIn } from './routes.ts';
import { openSender, type WireRequest } from './send.ts';
import { type ApiWorld, ruledBy } from './world.ts';

interface Case {
  what: string;
  wire: WireRequest;
  /** Any of these. */
  expect: number[];
}

/** What no table of routes shows: one team reaches for another through a body, a cursor, a list or a file name. */
export async function attackTeams(
  world: ApiWorld,
  { byScope }: Attackers,
): Promise<{ cases: number; wrong: string[] }> {
  const headers = { authorization: `Bearer ${byScope.operator}`, 'content-type': 'application/json' };
  const powers = powerCases(world).map(({ what, method, path, body }) => ({
    what,
    // A storage that a team may not use is as if there were none.
    expect: [400, 403, 404],
    wire: { method, path, headers, body: JSON.stringify(body) },
  }));
  const cases: Case[] = [...(await casesFor(world, headers)), ...powers];
  const wrong: string[] = [];
  const sender = openSender(world.url);
  for (const { what, wire, expect } of cases) {
    const fault = faultOf({ expect }, await sender.send(wire));
    if (fault !== undefined) wrong.push(`between teams: ${what}: ${fault}`);
  }
  // Policies are for everyone.
  const lists = routesIn(world.document).filter(
    ({ name, method, params, scope }) =>
      method === 'GET' &&
      params.length === 0 &&
      !['listPolicies', 'followEvents'].includes(name) &&
      scope !== undefined &&
      scopeCovers('operator', scope),
  );
  const { crawl, schedule, webhook } = world.of.blue;
  for (const path of [...lists.map((route) => route.path), '/status']) {
    const { status, text } = await sender.send({ method: 'GET', path, headers });
    const shown = [crawl, schedule, webhook, ruledBy('blue')].filter((name) => text.includes(name));
    if (status !== 200 || shown.length > 0)
      wrong.push(`between teams: ${path} answered ${status} and shows ${shown.join()}`);
  }
  sender.close();
  return { cases: cases.length + lists.length + 1, wrong };
}

async function casesFor(world: ApiWorld, headers: Record<string, string>): Promise<Case[]> {
  const { red, blue } = world.of;
  const seeds = ['https://a.test/'];
  const send: Send = (what, status, [method = '', path = ''], body) => ({
    what,
    expect: [status],
    wire: { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  });
  const scheduled = (job: object) => ({ schedule: { name: 'x', when: { cron: '0 0 1 1 *' }, run: { job } } });
  const text = String(await world.ask('GET', `/v1/crawls/${blue.crawl}/results?limit=1`));
  const { token } = JSON.parse(text.trim().split('\n').at(-1) ?? '') as { token: string };
  const files = [
    '..%2F..%2Foperator.token',
    'archive%2F..%2F..%2Foperator.token',
    '%2Fetc%2Fpasswd',
    'crawl.json',
  ];
  return [
    send('a crawl for another team', 403, ['POST', '/v1/crawls'], {
      job: { name: 'x', seeds, team: 'blue' },
    }),
    send('a crawl by the name of another', 409, ['POST', '/v1/crawls'], { job: { name: blue.crawl, seeds } }),
    send('a crawl moved', 403, ['PATCH', `/v1/crawls/${red.crawl}`], { changes: { team: 'blue' } }),
    send('a schedule for another team', 400, ['PUT', '/v1/schedules/x'], scheduled({ seeds, team: 'blue' })),
    send('a cursor of another team', 410, ['GET', `/v1/crawls/${red.crawl}/results?after=${token}`]),
    send('a comparison with a crawl of another team', 404, [
      'GET',
      `/v1/crawls/${red.crawl}/compare?with=${blue.crawl}`,
    ]),
    ...ruleCases(send),
    send('a cursor acknowledged', 410, ['POST', `/v1/crawls/${red.crawl}/consumers/reader`], { token }),
    ...files.map((name) => send(`the file ${name}`, 404, ['GET', `/v1/crawls/${red.crawl}/files/${name}`])),
  ];
}

type Send = (what: string, status: number, asked: string[], body?: unknown) => Case;

/** Rules of one team for hosts are as if there were none for another. */
function ruleCases(send: Send): Case[] {
  const host = ruledBy('blue');
  const kinds = ['host-rules', 'opt-outs'];
  return [
    ...kinds.flatMap((kind) => [
      send(`one of the ${kind}`, 404, ['GET', `/v1/${kind}/${host}`]),
      send(`one of the ${kind}, by its team`, 403, ['GET', `/v1/${kind}/${host}?team=blue`]),
      send(`one of the ${kind}, by how it is stored`, 400, ['GET', `/v1/${kind}/${host}%20blue`]),
    ]),
    send('a rule deleted', 404, ['DELETE', `/v1/host-rules/${host}`]),
    send('a rule deleted by its team', 403, ['DELETE', `/v1/host-rules/${host}?team=blue`]),
    send('an opt-out deleted', 403, ['DELETE', `/v1/opt-outs/${host}?team=blue`]),
    send('how a host stands in another team', 403, ['GET', `/v1/hosts/${host}?team=blue`]),
  ];
}
