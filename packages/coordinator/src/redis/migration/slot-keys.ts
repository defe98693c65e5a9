import { splitAddress } from '../address/address.ts';
import type { Command } from '../wire/resp.ts';
import type { ClusterAdmin } from './cluster-admin.ts';

/** Keys of one command: a few milliseconds for both servers, which do nothing else meanwhile. */
const atOnce = 200;
/** More than any slot has. The engine cannot list in parts; 200,000 names took 0.2 s. */
const allKeys = 100_000_000;
const migrateMs = 30_000;

/** Names of all keys of a slot at a node, whoever owns it. */
export async function keysAt(admin: ClusterAdmin, address: string, slot: number): Promise<string[]> {
  const [names] = await admin.ask(address, ['CLUSTER', 'GETKEYSINSLOT', slot, allKeys]);
  return names as string[];
}

function* parts(names: readonly string[]): Generator<string[]> {
  for (let n = 0; n < names.length; n += atOnce) yield names.slice(n, n + atOnce);
}

export interface Copying {
  names: readonly string[];
  from: string;
  to: string;
}

/** Copies keys as they are, those that run out with the time they have left. */
export async function copyKeys(
  admin: ClusterAdmin,
  { names, from, to }: Copying,
  copied: (done: number) => Promise<void>,
): Promise<void> {
  // Servers know each other by their own addresses, whatever this machine has to use.
  const { host, port } = splitAddress(to);
  const { user, password } = admin.topology.endpoint(to);
  const auth =
    password === undefined ? [] : user === undefined ? ['AUTH', password] : ['AUTH2', user, password];
  let done = 0;
  for (const part of parts(names)) {
    const command = ['MIGRATE', host, port, '', 0, migrateMs, 'COPY', 'REPLACE', ...auth, 'KEYS', ...part];
    await admin.ask(from, command);
    done += part.length;
    await copied(done);
  }
}

/** Those of the names that a node does not have. */
export async function missingAt(
  admin: ClusterAdmin,
  address: string,
  slot: number,
  names: readonly string[],
): Promise<string[]> {
  const there = new Set(await keysAt(admin, address, slot));
  return names.filter((name) => !there.has(name));
}

/** Removes keys at the owner of their slot. */
export async function unlinkKeys(
  admin: ClusterAdmin,
  address: string,
  names: readonly string[],
  before: () => Promise<void>,
): Promise<void> {
  for (const part of parts(names)) {
    await before();
    await admin.ask(address, ['UNLINK', ...part]);
  }
}

/** Removes keys at a node that is importing their slot. `anew`: also from replicas and logs that alone have them. */
export async function eraseKeys(
  admin: ClusterAdmin,
  address: string,
  names: readonly string[],
  anew = false,
): Promise<void> {
  for (const part of parts(names)) {
    const commands: Command[] = part.flatMap((name) => [
      ...(anew ? [['ASKING'], ['SET', name, '']] : []),
      ['ASKING'],
      ['UNLINK', name],
    ]);
    await admin.ask(address, ...commands);
  }
}
