import { WebfarerError } from '@webfarer/protocol';
import { parseJobFile } from '@webfarer/protocol/job';
import { refuseReservedKeys } from './read-request.ts';

/** YAML takes ten times as long to read as JSON, and nothing else happens in the meantime. */
const maxYamlChars = 200_000;

/** A job as an object, or as the text of a job file. */
export function inputOf(job: Record<string, unknown> | string): unknown {
  if (typeof job !== 'string') return job;
  if (job.length > maxYamlChars)
    throw new WebfarerError('too-large', `a job as YAML has at most ${maxYamlChars} characters`, {
      next: 'Send it as JSON, or put long lists of seeds into a sitemap that the job names.',
    });
  const { input } = parseJobFile(job, 'job');
  refuseReservedKeys(input);
  return input;
}

/** As a viewer may see it: values of request headers may be keys. Names and passwords in addresses are not stored. */
export function shownJob(job: unknown): Record<string, unknown> {
  const { fetch, ...rest } = job as { fetch?: { headers?: Record<string, unknown> } };
  if (!fetch?.headers) return job as Record<string, unknown>;
  const headers = Object.fromEntries(Object.keys(fetch.headers).map((name) => [name, '***']));
  return { ...rest, fetch: { ...fetch, headers } };
}
