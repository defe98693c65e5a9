import type { Job } from '@webfarer/protocol';
import type { JobIdentity } from '@webfarer/protocol/job';
import { type RequestSigner, signerFor, type SigningKey, signingKey } from '@webfarer/worker';
import { type GivenKey, identityKeyFor } from './given-secrets.ts';

/** A key for the jobs it is meant for: all of them, or those that name its file. */
export function signingKeyOf({
  pem,
  where,
  file,
}: GivenKey): (identity: JobIdentity) => SigningKey | undefined {
  const key = signingKey(pem, where);
  return ({ keyFile }) => (file === undefined || file === keyFile ? key : undefined);
}

/** For requests outside a crawl that a job's rules hold for. */
export async function signerOf(job: Job, baseFolder: string): Promise<RequestSigner | undefined> {
  if (!job.identity) return undefined;
  const key = await identityKeyFor(job, baseFolder);
  return signerFor(job.name, job.identity, key ? signingKeyOf(key) : () => undefined);
}
