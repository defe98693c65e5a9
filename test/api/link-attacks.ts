import { type BareWorker, connectBareWorker } from '../link/bare-worker.ts';
import type { Attackers } from './attacks.ts';
import type { ApiWorld } from './world.ts';

/**
 * The link that workers report by: no other token opens it, and who has the token of workers still cannot take the name of
 * one of them, be it part of the coordinator, connected, or away for a moment.
 */
export async function attackLink(
  { url, coordinator, shared, newToken }: ApiWorld,
  { byScope, dead }: Attackers,
): Promise<{ cases: number; wrong: string[] }> {
  const wrong: string[] = [];
  const open: BareWorker[] = [];
  let cases = 0;
  async function connect(token: string | undefined, hello: Record<string, unknown>): Promise<BareWorker> {
    const one = await connectBareWorker({ url, token }, hello);
    open.push(one);
    return one;
  }
  async function refused(what: string, token: string | undefined, hello: object): Promise<void> {
    cases++;
    const one = await connect(token, {
      worker: 'stranger',
      session: what,
      key: 'a-key-of-its-own',
      ...hello,
    });
    const told = one.frames.filter(({ type }) => type !== 'error');
    if (one.isWelcome() || told.length > 0)
      wrong.push(`link: ${what}: ${JSON.stringify(told).slice(0, 200)}`);
  }
  try {
    const { viewer, operator, metrics } = byScope;
    const tokens = { 'no token': undefined, 'a wrong token': 'x'.repeat(43), viewer, operator, metrics };
    for (const [what, token] of Object.entries(tokens)) await refused(what, token, {});
    for (const token of dead) await refused('a dead token', token, {});
    const mine = byScope.worker;
    const known = { worker: 'known', session: 'its-process', key: 'known-to-it-alone' };
    const worker = await connect(mine, known);
    cases++;
    if (!worker.isWelcome()) wrong.push(`link: a worker is refused: ${JSON.stringify(worker.frames)}`);
    const { token: other } = await newToken('worker');
    const thieves = { 'without a key': {}, 'with another key': { key: 'guessed' } };
    for (const [what, key] of Object.entries(thieves))
      for (const token of [mine, other]) {
        const hello = { key: undefined, session: 'another', ...key };
        await refused(`the name of a worker that is connected, ${what}`, token, {
          ...hello,
          worker: 'known',
        });
        await refused(`the name of the coordinator's own, ${what}`, token, {
          ...hello,
          worker: shared.worker,
        });
      }
    cases++;
    if (worker.isClosed) wrong.push('link: a worker was closed by another with its name');
    worker.ws.terminate();
    await refused('the name of a worker that was cut off', mine, {
      worker: 'known',
      session: 'another',
      key: 'guessed',
    });
    cases++;
    const again = await connect(mine, { ...known, session: 'started-again' });
    if (!again.isWelcome()) wrong.push('link: a worker with its key cannot connect again');
    if (coordinator.pid === undefined) wrong.push('link: the coordinator has ended');
  } finally {
    for (const { ws } of open) ws.terminate();
  }
  return { cases, wrong };
}
