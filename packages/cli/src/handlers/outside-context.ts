import { type Job, systemClock, type Url } from '@webfarer/protocol';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { createHandling, type HandlingContext, type Hooks } from '@webfarer/worker';
import { version } from '../machine/version.ts';

interface Rules {
  job?: Job;
  seeds?: readonly Url[];
  /** Where the scraper is looked for that the job names. */
  baseFolder?: string | undefined;
}

/** What reads a page outside a crawl: by the rules of its job, or by the defaults with every URL in scope. */
export async function contextOutside(
  hooks: Hooks,
  { job = anywhere(), seeds = [], baseFolder = process.cwd() }: Rules = {},
): Promise<HandlingContext> {
  const clock = systemClock();
  const userAgent = userAgentFor(job, version);
  return await createHandling({ job, seeds: [...seeds], userAgent, baseFolder, clock, hooks });
}

const anywhere = (): Job =>
  resolveJob({
    name: 'test',
    seeds: ['https://test.invalid/'],
    scope: { stay: 'web' },
    contact: 'https://test.invalid/',
  });
