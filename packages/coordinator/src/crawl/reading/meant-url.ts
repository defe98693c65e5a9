import { type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { normaliser, requestSuffix } from '@webfarer/protocol/url';

/** The URL that a person means, as a crawl writes it; behind it what tells a request from a plain GET. */
export function meantUrl(text: string, job: Pick<Job, 'normalise'>): Url {
  const plain = normaliser(job.normalise)(text);
  if (plain !== undefined) return `${plain}${requestSuffix(text)}` as Url;
  throw new WebfarerError('usage', `${text} is not an http or https address`, {
    next: 'Write it whole: https://…',
  });
}
