import { WebfarerError } from '../base/errors.ts';
import { safeName } from '../crawl/safe-name.ts';
import type { Storages } from './choices.ts';
import type { Job, ObjectPlace } from './job.ts';

type Storage = Storages[string];

/** What a job says of an object store, as it is kept. */
export function objectPlaceOf(
  at: string,
  s3:
    | {
        endpoint?: string | undefined;
        region?: string | undefined;
        pathStyle?: boolean | undefined;
        allowPrivate?: boolean | undefined;
        timeout: number;
      }
    | undefined,
): ObjectPlace {
  const place: ObjectPlace = { address: at.replace(/\/+$/, '') };
  if (!s3) return place;
  if (s3.endpoint !== undefined) place.endpoint = s3.endpoint.replace(/\/+$/, '');
  if (s3.region !== undefined) place.region = s3.region;
  if (s3.pathStyle !== undefined) place.pathStyle = s3.pathStyle;
  if (s3.allowPrivate !== undefined) place.allowPrivate = s3.allowPrivate;
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
  const { objects: place, storage } = save.find((target) => target.kind === 'warc') ?? {};
  if (!place && storage !== undefined)
    throw new WebfarerError('usage', `The storage ${storage} is not known here.`, {
      next: 'Give the job to a coordinator that has it (webfarer start), or write at: s3://BUCKET/PREFIX.',
    });
  if (!place) return undefined;
  const name = nonce === id || nonce === '' ? safeName(id) : `${safeName(id)}-${safeName(nonce.slice(0, 8))}`;
  return { ...place, address: `${place.address}/${name}` };
}

/** The job where every place that does not say itself whether it may have a private address says so. */
export function withReach<J extends Pick<Job, 'save'>>(job: J, allowPrivate: boolean): J {
  const isOpen = job.save.some((target) => target.kind === 'warc' && target.objects);
  if (!isOpen) return job;
  return {
    ...job,
    save: job.save.map((target) =>
      target.kind === 'warc' && target.objects
        ? { ...target, objects: { allowPrivate, ...target.objects } }
        : target,
    ),
  };
}

/** A job as it is written, by the person who has the machine: that its places may have private addresses is kept with it. */
export function typedPlaces(input: unknown): unknown {
  const { save } = input as { save?: unknown };
  if (!Array.isArray(save)) return input;
  const targets = save.map((target: unknown) => {
    const { warc } = (target ?? {}) as { warc?: { at?: unknown; s3?: object } };
    if (typeof warc?.at !== 'string' || !warc.at.startsWith('s3://')) return target;
    return { warc: { ...warc, s3: { allowPrivate: true, ...warc.s3 } } };
  });
  return { ...(input as object), save: targets };
}

/** A place as one word, for people who allow it: the address, or where an endpoint is named its URL. */
export function placeName({ address, endpoint }: ObjectPlace): string {
  return endpoint === undefined ? address : `${endpoint}/${address.replace(/^s3:\/\//, '')}`;
}

/** The fields of `save[].warc` that a storage stands for. Without a word about it, its server has a public address. */
export function storageFields({ at, s3 }: Pick<Storage, 'at' | 's3'>): { at: string; s3?: object } {
  if (!at.startsWith('s3://')) return { at };
  return { at, s3: { ...s3, allowPrivate: s3?.allowPrivate ?? false } };
}

/** Names of the storages that jobs of a team may use. */
export function storagesOf(storages: Storages, team: string): string[] {
  return Object.keys(storages).filter((name) => {
    const { teams } = storages[name] as Storage;
    return teams.includes('*') || teams.includes(team);
  });
}
