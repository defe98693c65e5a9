import type { StreamTopic } from '@webfarer/protocol/api';
import { streamTopic } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Principal } from './call.ts';
import { confinedTo, mayFollow } from './topic-teams.ts';

const crawls = {
  find: (named: string) =>
    Promise.resolve(
      named === 'theirs' || named === 'ours'
        ? ({ name: named, job: { team: named === 'ours' ? 'red' : 'blue' } } as CatalogEntry)
        : undefined,
    ),
};
const red: Principal = { id: 'r', scope: 'operator', team: 'red' };
const admin: Principal = { id: 'a', scope: 'admin', team: '' };

/** Every topic once, on a crawl where it is about one. */
const topics = (crawl: string): StreamTopic[] =>
  streamTopic.options.map(({ shape }) => {
    const topic = shape.topic.value;
    const about = 'crawl' in shape ? { crawl } : topic === 'list' ? { list: 'crawls' } : {};
    return streamTopic.parse({ topic, ...about });
  });
const answer = (principal: Principal, topic: StreamTopic) =>
  mayFollow(principal, topic, crawls).then(
    () => 'yes',
    (error: { code: string }) => error.code,
  );

it('a token of a team follows the crawls of its team, and no others', async () => {
  for (const topic of topics('ours'))
    expect([topic.topic, await answer(red, topic)]).toEqual([
      topic.topic,
      topic.topic === 'resources' ? 'forbidden' : 'yes',
    ]);
  for (const crawl of ['theirs', 'nothing'])
    for (const topic of topics(crawl).filter((one) => 'crawl' in one))
      expect([topic.topic, await answer(red, topic)]).toEqual([topic.topic, 'not-found']);
});

it('what is not divided by team is for admins', async () => {
  for (const asked of [{ topic: 'events' }, { topic: 'list', list: 'policies' }, { topic: 'resources' }]) {
    const topic = streamTopic.parse(asked);
    expect([await answer(red, topic), await answer(admin, topic)]).toEqual(['forbidden', 'yes']);
  }
  expect([confinedTo(red), confinedTo(admin)]).toEqual(['red', undefined]);
});
