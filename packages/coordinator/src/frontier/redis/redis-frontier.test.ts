import { systemClock } from '@webfarer/protocol';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { frontierSuite } from '../suite/frontier.suite.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });

frontierSuite({
  name: 'Redis',
  async open(clock) {
    const { url } = await servers();
    const store = await openStore({ url, replicas: 0, clock: systemClock() });
    await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
    return await openRedisFrontier({ store, clock, time: 'given', groups: 16 });
  },
});
