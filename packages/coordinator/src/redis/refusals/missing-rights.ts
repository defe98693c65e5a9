import { WebfarerError } from '@webfarer/protocol';
import { addressOf, type Endpoint } from '../address/address.ts';
import { type ConnectionTimes, openConnection } from '../wire/connection.ts';
import { trials } from './rights.ts';
import { isDenied } from './denied.ts';
import { isLacking } from './unsuited.ts';

const times: ConnectionTimes = { connectMs: 2_000, answerMs: 5_000 };

/**
 * Names every command that crawls need and the user of this server may not run, or that the server does not have. They
 * are queued in a transaction, where the server checks each, and then discarded: nothing is carried out. Users who may
 * not begin a transaction are not checked here; a refusal then comes with the first call that meets it.
 */
export async function refuseMissingRights(endpoint: Endpoint): Promise<void> {
  const connection = await openConnection(endpoint, times);
  try {
    const [begun] = await connection.pipeline([['MULTI']]);
    if (begun !== 'OK') return;
    const replies = await connection.pipeline([...trials.map(({ command }) => command), ['DISCARD']]);
    const named = (isSo: (reply: (typeof replies)[number] | undefined) => boolean) =>
      trials.filter((_, n) => isSo(replies[n])).map(({ name }) => name.replace('|', ' ').toUpperCase());
    const lacked = named(isLacking);
    if (lacked.length > 0) throw lackingAll(addressOf(endpoint), lacked);
    const refused = named(isDenied);
    if (refused.length > 0) throw deniedAll(addressOf(endpoint), refused);
  } finally {
    connection.end('rights are known');
  }
}

function lackingAll(address: string, names: string[]): WebfarerError {
  return new WebfarerError(
    'store-denied',
    `the store at ${address} lacks ${names.join(', ')}, which crawls need`,
    {
      next: 'Connect to the servers of Redis 7.0 or Valkey themselves: proxies (Envoy, Twemproxy) and some managed stores leave commands out, see docs/stores.md.',
    },
  );
}

function deniedAll(address: string, names: string[]): WebfarerError {
  return new WebfarerError(
    'store-denied',
    `the user of the store at ${address} may not run ${names.join(', ')}`,
    {
      next: 'Give the user the rights that this prints, then run again:  webfarer store acl',
    },
  );
}
