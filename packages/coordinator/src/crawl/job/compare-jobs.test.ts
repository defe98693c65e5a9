import type { Job } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { compareJobs } from './compare-jobs.ts';

const jobAt = (warc: object): Job =>
  resolveJob({
    name: 'x',
    seeds: ['http://a.test/'],
    contact: 'https://lab.test/crawler',
    save: [{ warc }],
  });
const compare = (old: Job, job: Job) => () => compareJobs(old, job, { rescope: false, where: 'here' });

it('refuses another place for captures that are in object storage', () => {
  const first = jobAt({ at: 's3://archive/first' });
  expect(compare(first, jobAt({ at: 's3://archive/second' }))).toThrow(
    'the captures of this crawl are at s3://archive/first, and the job now says s3://archive/second',
  );
  expect(compare(first, jobAt({}))).toThrow('the job now says another place');
});

it('accepts another way to the same place, and a place for a crawl that had none', () => {
  const first = jobAt({ at: 's3://archive/first' });
  expect(
    compare(first, jobAt({ at: 's3://archive/first', s3: { endpoint: 'https://other.test' } })),
  ).not.toThrow();
  expect(compare(jobAt({}), first)).not.toThrow();
});
