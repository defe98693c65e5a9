import { fileURLToPath } from 'node:url';
import { WebfarerError } from '@webfarer/protocol';
import type { ObjectPlace } from '@webfarer/protocol/job';
import { folderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { s3Store } from './s3-store.ts';

export type { ObjectPlace };

const usualTimeoutMs = 60_000;
const s3Address = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** The store at an address. Nothing is asked of it yet. */
export async function openObjectStore(place: ObjectPlace): Promise<ObjectStore> {
  const { address, endpoint, region, pathStyle, allowPrivate = true, timeoutMs = usualTimeoutMs } = place;
  if (address.startsWith('file:///')) return folderStore(fileURLToPath(address).replace(/\/+$/, ''));
  const [, bucket, path = ''] = s3Address.exec(address) ?? [];
  if (bucket === undefined)
    throw new WebfarerError('usage', `${address} is not the address of an object store.`, {
      next: 'Write s3://BUCKET/PREFIX, or file:///FOLDER for a folder that all machines share.',
    });
  const prefix = path.replace(/\/+$/, '');
  return await s3Store({
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region,
    pathStyle,
    allowPrivate,
    timeoutMs,
  });
}
