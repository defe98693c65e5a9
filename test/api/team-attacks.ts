import { scopeCovers } from '@webfarer/protocol/api';
import type { Attackers } from './attacks.ts';
import { faultOf } from './judge.ts';
import { routesIn } from './routes.ts';
import { openSender, type WireRequest } from './send.ts';
import type { ApiWorld } from './world.ts';

interface Case {
  what: string;
  wire: WireRequest;
  status: number;
}

/** What no table of routes shows: one team reaches for another through a body, a cursor, a list or a file name. */
export async function attackTeams(
  world: ApiWorld,
  { byScope }: Attackers,
): Promise<{ cases: number; wrong: string[] }> {
  const headers = { authorization: `Bearer ${byScope.operator}`, 'content-type': 'application/json' };
  const cases = await casesFor(world, headers);
  const wrong: string[] = [];
  const sender = openSender(world.url);
  for (const { what, wire, status } of cases) {
    const fault = faultOf({ expect: [status] }, await sender.send(wire));
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
    const shown = [crawl, schedule, webhook].filter((name) => text.includes(name));
    if (status !== 200 || shown.length > 0)
      wrong.push(`between teams: ${path} answered ${status} and shows ${shown.join()}`);
  }
  sender.close();
  return { cases: cases.length + lists.length + 1, wrong };
}

async function casesFor(world: ApiWorld, headers: Record<string, string>): Promise<Case[]> {
  const { red, blue } = world.of;
  const seeds = ['https://a.test/'];
  const send = (what: string, status: number, [method = '', path = '']: string[], body?: unknown): Case => ({
    what,
    status,
    wire: { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  });
  const scheduled = (job: object) => ({ schedule: { name: 'x', when: { cron: '0 0 1 1 *' }, run: { job } } });
  const text = String(await world.ask('GET', `/v1/crawls/${blue.crawl}/results?limit=1`));
  const { token } = JSON.parse(text.trim().split('\n').at(-1) ?? '') as { token: string };
  const powers = {
    'a module': { scraper: './mine.ts' },
    'a private address': { fetch: { allowPrivate: ['10.0.0.0/8'] } },
    'a proxy': { fetch: { proxy: [{ use: 'http://10.0.0.1:3128' }] } },
    'a file': { seeds: [{ file: '/etc/passwd' }] },
  };
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
    send('a cursor acknowledged', 410, ['POST', `/v1/crawls/${red.crawl}/consumers/reader`], { token }),
    ...Object.entries(powers).flatMap(([what, power]) => [
      send(`a crawl with ${what}`, 403, ['POST', '/v1/crawls'], { job: { name: 'x', seeds, ...power } }),
      send(`a schedule with ${what}`, 403, ['PUT', '/v1/schedules/x'], scheduled({ seeds, ...power })),
      send(`an edit to ${what}`, 403, ['PATCH', `/v1/crawls/${red.crawl}`], { changes: power }),
    ]),
    send('a policy with a proxy', 403, ['PUT', '/v1/policies/x'], { policy: powers['a proxy'] }),
    ...files.map((name) => send(`the file ${name}`, 404, ['GET', `/v1/crawls/${red.crawl}/files/${name}`])),
  ];
}
