import { safeName } from '../crawl/safe-name.ts';
import type { Job, ObjectPlace } from './job.ts';

/** What a job says of an object store, as it is kept. */
export function objectPlaceOf(
  at: string,
  s3:
    | {
        endpoint?: string | undefined;
        region?: string | undefined;
        pathStyle?: boolean | undefined;
        timeout: number;
      }
    | undefined,
): ObjectPlace {
  const place: ObjectPlace = { address: at.replace(/\/+$/, '') };
  if (!s3) return place;
  if (s3.endpoint !== undefined) place.endpoint = s3.endpoint.replace(/\/+$/, '');
  if (s3.region !== undefined) place.region = s3.region;
  if (s3.pathStyle !== undefined) place.pathStyle = s3.pathStyle;
  place.timeoutMs = s3.timeout;
  return place;
}

/**
 * Where the archive of one crawl is in object storage; undefined where its job keeps it elsewhere. Another crawl of the
 * same name has another place.
 */
export function archivePlace(
  { save }: Pick<Job, 'save'>,
  { id, nonce }: { id: string; nonce: string },
): ObjectPlace | undefined {
  const place = save.find((target) => target.kind === 'warc')?.objects;
  if (!place) return undefined;
  const name = nonce === id || nonce === '' ? safeName(id) : `${safeName(id)}-${safeName(nonce.slice(0, 8))}`;
  return { ...place, address: `${place.address}/${name}` };
}

/** A place as one word, for people who allow it: the address, or where an endpoint is named its URL. */
export function placeName({ address, endpoint }: ObjectPlace): string {
  return endpoint === undefined ? address : `${endpoint}/${address.replace(/^s3:\/\//, '')}`;
}
