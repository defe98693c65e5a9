import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import {
  splitStoreUrl,
  type StoreUrlOption,
  type StoreUrlOptions,
  storeUrlOptions,
  withStoreOptions,
} from '@webfarer/protocol/job/store-url';
import type { Command } from 'commander';
import type { CliContext } from '../context/context.ts';

/** What each option of a store's address is for, and the word for its value. */
const words: Readonly<Record<StoreUrlOption, readonly [value: string, what: string]>> = {
  'password-file': [
    'file',
    'file with PASSWORD, USER:PASSWORD or the whole address, read for each connection',
  ],
  ca: ['file', 'certificate of the authority that signed those of the store (PEM)'],
  cert: ['file', 'client certificate to show to the store (PEM)'],
  key: ['file', 'private key of the client certificate (PEM)'],
  'server-name': ['name', 'name to expect in the certificate of the store, if not that of the address'],
  nat: ['map', 'where to reach servers behind a port mapping: inner:port=outer:port,… or a JSON file'],
  'sentinel-auth': ['file', 'file with PASSWORD or USER:PASSWORD of the Sentinels themselves'],
};
/** Their value is the name of a file. */
const files = new Set<StoreUrlOption>(['password-file', 'ca', 'cert', 'key', 'sentinel-auth']);

const variableOf = (name: StoreUrlOption) => `WEBFARER_STORE_${name.replaceAll('-', '_').toUpperCase()}`;
const attributeOf = (name: StoreUrlOption) =>
  `store-${name}`.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `--store-ca` and the others; each may also be in the environment, or behind `?` in the address. */
export function addStoreUrlOptions(command: Command): Command {
  for (const name of storeUrlOptions) {
    const [value, what] = words[name];
    command.option(`--store-${name} <${value}>`, `${what} (or ${variableOf(name)})`);
  }
  return command;
}

/** Those that the environment has. */
export function storeOptionsIn(env: NodeJS.ProcessEnv): StoreUrlOptions {
  return Object.fromEntries(
    storeUrlOptions.flatMap((name) => {
      const value = env[variableOf(name)];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The address with what was said besides of how to reach the store: options typed, else its own, else the environment's. */
export function reachedAs(url: string, command: Command, { cwd, secrets }: CliContext): string {
  const opts = command.opts<Record<string, string | undefined>>();
  const typed = Object.fromEntries(
    storeUrlOptions.flatMap((name) => {
      const value = opts[attributeOf(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as StoreUrlOptions;
  const { options } = splitStoreUrl(url);
  return withStoreOptions(url, {
    ...wholePaths({ ...secrets?.storeOptions }, cwd),
    ...options,
    ...wholePaths(typed, cwd),
  });
}

function wholePaths(options: StoreUrlOptions, cwd: string): StoreUrlOptions {
  const isFile = (name: string, value: string) =>
    files.has(name as StoreUrlOption) || (name === 'nat' && /\.json$/i.test(value));
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, isFile(name, value) ? resolve(cwd, value) : value]),
  );
}

/** An option that says how to reach a store of which nothing was said. */
export function refuseWithoutStore(command: Command): void {
  const opts = command.opts<Record<string, string | undefined>>();
  const typed = storeUrlOptions.find((name) => opts[attributeOf(name)] !== undefined);
  if (typed === undefined) return;
  throw new WebfarerError('usage', `--store-${typed} needs --store.`, {
    next: `For a store in a job file, write it into its address: rediss://host:6379?${typed}=…`,
  });
}
