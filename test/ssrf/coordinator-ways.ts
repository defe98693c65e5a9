import { systemClock } from '@webfarer/protocol';
import { openOwnerWay } from '../../packages/cli/src/network/owner-way.ts';
import { openWebhookPost } from '../../packages/cli/src/network/webhook-post.ts';
import { each, type Tally } from './direct.ts';
import { allowedAddress } from './places.ts';
import { insideHosts, mayAnswer, moved } from './storages.ts';

/** A name that nobody has. */
const nobody = 'nobody.storage.test';

/**
 * What a coordinator itself sends to addresses that others choose: messages to the webhooks of teams, and the question for
 * the token of a site's owner. Where it is not sent, everyone is told the same, whether there is such a name or not.
 */
export async function coordinatorCases(tally: Tally, allow: string[]): Promise<void> {
  const clock = systemClock();
  const webhooks = openWebhookPost(clock, allow);
  const owners = openOwnerWay(clock);
  const { signal } = new AbortController();
  const told = new Map<string, string>();
  const isOpen = allow.length > 0;

  async function post(host: string): Promise<boolean> {
    const url = `http://${host}/by-webhook`;
    const { status, error } = await webhooks.post({ url, headers: [], content: '{}', signal });
    if (error !== undefined && !mayAnswer(host)) told.set(error, host);
    return status !== undefined;
  }

  async function read(host: string): Promise<boolean> {
    const url = `http://${host}/.well-known/owner`;
    const asked = { url, userAgent: 'lab', allowPrivate: allow, signal };
    return (await owners.read(asked)) !== undefined;
  }

  const tries = [allowedAddress, nobody, ...insideHosts].flatMap((host) =>
    [post, read].map((way) => ({ host, way })),
  );
  await each(tries, 8, async ({ host, way }) => {
    tally.cases++;
    const isDone = await way(host);
    if (host === allowedAddress && isDone) tally.reachedPublic++;
    else if (!isDone) tally.refused++;
    // It is answered there that the address is another one, and nobody goes after it.
    else if (!isOpen && !mayAnswer(host) && host !== moved)
      tally.wrong.push(`${way.name} at ${host} was done`);
  });
  await Promise.all([webhooks.close(), owners.close()]);
  if (!isOpen && told.size !== 1)
    tally.wrong.push(`errors of webhooks tell names apart: ${JSON.stringify([...told])}`);
}
