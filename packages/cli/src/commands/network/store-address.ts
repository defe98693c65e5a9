import { WebfarerError } from '@webfarer/protocol';
import type { Command } from 'commander';
import { addStoreUrlOptions } from '../../secrets/store-options.ts';

/** How a command that looks after a store is told which one. */
export function addStoreAddress(command: Command): Command {
  command
    .option('--store <url>', 'address of the store, redis://host:port (or WEBFARER_STORE)')
    .option('--store-file <file>', 'its address in a file, for one with a password');
  return addStoreUrlOptions(command)
    .option('--insecure-store', 'accept a store on another machine without a password')
    .option('--json', 'as JSON');
}

export interface StoreAddress {
  store?: string;
  insecureStore?: boolean;
  json?: boolean;
}

export function requireStore({ store }: StoreAddress): string {
  if (store !== undefined) return store;
  throw new WebfarerError('usage', 'Which store?', {
    next: 'Name it with --store redis://host:6379, in WEBFARER_STORE, or in a file with --store-file.',
  });
}
