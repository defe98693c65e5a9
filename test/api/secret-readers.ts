import type { Attackers } from './attacks.ts';
import { type DocumentedRoute, pathOf, queries } from './routes.ts';
import { inTurn, openSender } from './send.ts';
import { type ApiWorld, type Team, teams } from './world.ts';

interface Reader {
  what: string;
  token: string | undefined;
  /** Whose secrets it may read. */
  owns?: Team;
}

const atOnce = 16;

/**
 * Everything that can be read of either team is read by everyone who may not see the values of its request headers: those
 * stand in its policy, its schedule and its crawl. Its operators may, which shows that they would be found.
 */
export async function readSecrets(
  world: ApiWorld,
  { byScope, viewerOfBlue }: Attackers,
  routes: readonly DocumentedRoute[],
): Promise<{ cases: number; seenByOwner: number; wrong: string[] }> {
  const readers: Reader[] = [
    { what: 'nobody', token: undefined },
    ...Object.entries(byScope).map(
      ([scope, token]): Reader => ({
        what: `a ${scope} of red`,
        token,
        ...(scope === 'operator' ? { owns: 'red' } : {}),
      }),
    ),
    { what: 'a viewer of blue', token: viewerOfBlue },
  ];
  const asked = routes
    .filter(({ method, name }) => method === 'GET' && name !== 'followEvents')
    .flatMap((route) => teams.map((team) => ({ route, path: pathOf(route, world, team) })));
  const wrong: string[] = [];
  let [cases, seenByOwner] = [0, 0];
  const sender = openSender(world.url);
  for (const { what, token, owns } of readers)
    await inTurn(asked, atOnce, async ({ route: { name }, path }) => {
      if (path === undefined) return;
      cases++;
      const query = queries[name];
      const { text } = await sender.send({
        method: 'GET',
        path: query === undefined ? path : `${path}?${query}`,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      for (const team of teams) {
        if (!text.includes(world.secrets[team])) continue;
        if (team === owns) seenByOwner++;
        else wrong.push(`${name} shows ${what} a header of ${team}`);
      }
    });
  sender.close();
  return { cases, seenByOwner, wrong };
}
