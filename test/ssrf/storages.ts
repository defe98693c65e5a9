import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ObjectStore, openObjectStore } from '@webfarer/worker';
import type { Zone } from './names.ts';
import { each, type Tally } from './direct.ts';
import { allowedAddress } from './places.ts';
import { moods } from './rebinding.ts';
import { forbiddenPlaces, forbiddenSixes } from './spellings.ts';

/** A public server that sends whoever asks it for an object to the inside. */
export const moved = 'moved.storage.test';

export const storageNames: Record<string, string> = {
  'inside.storage.test': '10.0.0.1',
  [moved]: allowedAddress,
};

/** Answers for the server that moved; false: the request is for another. */
export function answerAsStorage({ headers, url }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.host !== moved) return false;
  response.writeHead(307, { location: `http://10.0.0.1${url ?? '/'}`, 'content-length': '0' }).end();
  return true;
}

/** Hosts that an address of somebody else's choice may name: inside in all spellings, by names, by names that change. */
export const insideHosts = [
  ...forbiddenPlaces,
  ...forbiddenSixes.map((six) => `[${six}]`),
  '2130706433',
  '0x7f.1',
  '127.1',
  '0177.0.0.1',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  'localhost',
  ...Object.keys(storageNames),
  ...Object.keys(moods).flatMap((mood) => [`${mood}-1.rebind.test`, `${mood}-2.rebind.test`]),
];

/** With a body, without one, and through the paginator of the client. */
const works: Record<string, (store: ObjectStore) => Promise<unknown>> = {
  put: (store) => store.put('a/b', Buffer.from('canary')),
  list: async (store) => {
    for await (const _ of store.list('a/'));
  },
  remove: (store) => store.remove('a/b'),
};

/** The keys of this machine must not be sent to the inside, whatever a storage is called. */
export async function storageCases(tally: Tally, allow: string[]): Promise<void> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'canary', AWS_SECRET_ACCESS_KEY: 'canary' });
  const allowPrivate = allow.length > 0;
  const tries = [allowedAddress, ...insideHosts].flatMap((host) =>
    Object.entries(works).map(([what, work]) => ({ host, what, work })),
  );
  await each(tries, 8, async ({ host, what, work }) => {
    tally.cases++;
    const place = { address: 's3://lab/x', region: 'us-east-1', pathStyle: true, timeoutMs: 5_000 };
    const store = await openObjectStore({ ...place, endpoint: `http://${host}`, allowPrivate });
    const isDone = await work(store).then(
      () => true,
      () => false,
    );
    store.close();
    if (host === allowedAddress && isDone) tally.reachedPublic++;
    else if (!isDone) tally.refused++;
    else if (!allowPrivate && !mayAnswer(host)) tally.wrong.push(`${what} at ${host} was done`);
  });
}

/** Names that have a public address in turn: those may be reached, and the canaries tell whether only those were. */
export const mayAnswer = (host: string): boolean => host.endsWith('.rebind.test');

export const storageZone = (name: string): Zone | undefined => {
  const address = storageNames[name];
  return address === undefined ? undefined : { addresses: [address] };
};
