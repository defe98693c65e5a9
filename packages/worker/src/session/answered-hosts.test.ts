import type { CrawlId, HostKey, Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createAnsweredHosts } from './answered-hosts.ts';

const asked = (crawl: string, host = 'a.test') => ({ crawl: crawl as CrawlId, host: host as HostKey });
const page = 'http://a.test/1' as Url;

it('knows what each crawl was answered, and nothing of the pages of another one', () => {
  const hosts = createAnsweredHosts();
  hosts.answered(asked('one'), page);
  expect([hosts.lastPage(asked('one')), hosts.lastPage(asked('other'))]).toEqual([page, undefined]);
  expect([hosts.failed(asked('one')), hosts.failed(asked('other')), hosts.failed(asked('one'))]).toEqual([
    1, 1, 2,
  ]);
  hosts.answered(asked('one'), page);
  expect(hosts.failed(asked('one'))).toBe(1);
});

it('forgets the host that was asked longest ago', () => {
  const hosts = createAnsweredHosts();
  for (let n = 0; n < 10_000; n++) hosts.answered(asked('one', `${n}.test`), page);
  hosts.failed(asked('one', '0.test'));
  hosts.answered(asked('one', 'new.test'), page);
  expect(hosts.lastPage(asked('one', '0.test'))).toBe(page);
  expect(hosts.lastPage(asked('one', '1.test'))).toBeUndefined();
});
