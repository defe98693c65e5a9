import { readFile } from 'node:fs/promises';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { addressOf, type Endpoint, type SentinelChoice, splitAddress } from '../address/address.ts';
import type { NatMap } from '../address/nat-map.ts';
import { ask } from '../wire/ask.ts';
import { type Reply, ReplyError } from '../wire/resp.ts';
import {
  mergeViews,
  readSentinel,
  type SentinelClaim,
  sentinelQuestions,
  type SentinelView,
} from './sentinel-view.ts';
import type { Topology } from './topology.ts';

interface SentinelOptions {
  seeds: Endpoint[];
  nat: NatMap;
  sentinel: SentinelChoice;
  clock: Clock;
}

/** Once most Sentinels have answered, the others have this long. */
const stragglerMs = 250;

/** One primary with its replicas, found through Sentinels and followed when they choose another. */
export async function sentinelTopology(options: SentinelOptions): Promise<Topology> {
  const { seeds, nat, sentinel, clock } = options;
  const [first] = seeds as [Endpoint];
  const known = new Set(seeds.map(addressOf).map(nat.inner));
  let claim: SentinelClaim | undefined;
  let round: Promise<void> | undefined;

  const endpoint = (address: string): Endpoint => ({
    tls: first.tls,
    ...(first.trust === undefined ? {} : { trust: first.trust }),
    ...sentinel.servers,
    ...splitAddress(nat.outer(address)),
  });

  const viewOf = async (address: string): Promise<SentinelView> => {
    const asked = { ...first, ...(await signIn(sentinel)), ...splitAddress(nat.outer(address)) };
    const replies = await ask(asked, sentinelQuestions(sentinel.name));
    const view = readSentinel(replies);
    if (view === undefined) throw refusal(addressOf(asked), sentinel, replies);
    return view;
  };

  const askAll = async (): Promise<unknown[]> => {
    const { views, troubles } = await mostAnswers([...known].map(viewOf), clock);
    for (const { sentinels } of views) for (const other of sentinels) known.add(other);
    claim = mergeViews(claim, views);
    return troubles;
  };

  const troubles = await askAll();
  if (claim === undefined) throw troubles.find((error) => error instanceof WebfarerError) ?? troubles[0];
  const primary = (): string => claim?.primary ?? '';
  return {
    cluster: false,
    followed: true,
    primaryOf: primary,
    addresses: () => [primary()],
    primaries: () => [primary()],
    replicasOf: (address) => (address === primary() ? (claim?.replicas.size ?? 0) : 0),
    fewestReplicas: () => claim?.replicas.size ?? 0,
    endpoint,
    emptySlots: () => 0,
    refresh() {
      round ??= askAll()
        .then(() => undefined)
        .finally(() => {
          round = undefined;
        });
      return round;
    },
    moved: () => {},
  };
}

/** Read again and again, because passwords are rotated. */
async function signIn({ authFile }: SentinelChoice): Promise<Pick<Endpoint, 'user' | 'password'>> {
  if (authFile === undefined) return {};
  const text = await readFile(authFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new WebfarerError(
      'usage',
      `cannot read the password of the Sentinels, ${authFile}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`,
      { next: 'Name a file with one line, PASSWORD or USER:PASSWORD, with --store-sentinel-auth.' },
    );
  });
  const line = text.trim();
  const colon = line.indexOf(':');
  if (colon < 0) return { password: line };
  return { user: line.slice(0, colon), password: line.slice(colon + 1) };
}

/** What those say that answer; one that hangs is left behind soon after most have answered. */
async function mostAnswers(
  questions: Promise<SentinelView>[],
  clock: Clock,
): Promise<{ views: SentinelView[]; troubles: unknown[] }> {
  const views: SentinelView[] = [];
  const troubles: unknown[] = [];
  const most = Promise.withResolvers<void>();
  const ended = questions.map((question) =>
    question
      .then(
        (view) => void views.push(view),
        (error: unknown) => void troubles.push(error),
      )
      .then(() => {
        if (views.length > questions.length / 2) most.resolve();
      }),
  );
  const stop = new AbortController();
  const late = most.promise.then(() => clock.sleep(stragglerMs, stop.signal)).catch(() => {});
  await Promise.race([Promise.all(ended), late]);
  stop.abort();
  return { views: [...views], troubles: [...troubles] };
}

function refusal(address: string, { name, authFile }: SentinelChoice, [where, info]: Reply[]): Error {
  const said = where instanceof ReplyError ? where : info instanceof ReplyError ? info : undefined;
  if (where === null || /No such master/i.test(said?.text ?? ''))
    return new WebfarerError('usage', `the Sentinel at ${address} monitors no primary named ${name}`, {
      next: 'List the names (redis-cli -p 26379 SENTINEL MASTERS) and write redis+sentinel://host:26379/NAME.',
    });
  if (/unknown command/i.test(said?.text ?? ''))
    return new WebfarerError('usage', `${address} is not a Sentinel`, {
      next: 'Name the Sentinels (usually port 26379), or write redis://host:port for a server without them.',
    });
  if (/^(NOAUTH|NOPERM|WRONGPASS)/.test(said?.text ?? ''))
    return new WebfarerError(
      'store-denied',
      `the Sentinel at ${address} denies access: ${said?.text ?? ''}`,
      {
        next:
          authFile === undefined
            ? 'Put its PASSWORD or USER:PASSWORD into a file and name it with --store-sentinel-auth FILE.'
            : `Check ${authFile}; the user needs +sentinel|get-master-addr-by-name, +sentinel|master, +sentinel|replicas and +sentinel|sentinels.`,
      },
    );
  return new Error(`the Sentinel at ${address} answered ${said?.text ?? 'something else'}`);
}
