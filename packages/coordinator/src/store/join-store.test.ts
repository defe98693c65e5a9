import { systemClock } from '@webfarer/protocol';
import { describe, expect, test } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { joinStore } from './join-store.ts';

const strict = redisForFile();
const careless = redisForFile({ settings: { appendonly: 'no', appendfsync: 'everysec' } });
const choice = { durability: 'strict', insecure: false } as const;
const clock = systemClock();

describe('who joins a store', () => {
  test('hears what it is and what it promises', async () => {
    const { url } = await strict();
    const { promise, warnings, frontier, watch } = await joinStore({ ...choice, url }, clock);
    expect(promise).toBe('one server; results are acknowledged once they are on its disk');
    expect(warnings).toEqual([]);
    expect(watch.trouble).toBeUndefined();
    await frontier.close();
  });

  test('is refused one that cannot keep the promise, with what mends it', async () => {
    const { url } = await careless();
    await expect(joinStore({ ...choice, url }, clock)).rejects.toMatchObject({
      code: 'storage',
      next: expect.stringMatching(/CONFIG SET appendonly yes[\s\S]*CONFIG SET appendfsync always/),
    });
  });

  test('may accept it, and is warned', async () => {
    const { url } = await careless();
    const { promise, warnings, frontier } = await joinStore(
      { ...choice, url, durability: 'available' },
      clock,
    );
    expect(promise).toContain('durability: available');
    expect(warnings[0]).toContain('may lose acknowledged URLs');
    expect(warnings.join()).toContain('CONFIG SET appendonly yes');
    await frontier.close();
  });

  test('must wait for as many replicas as when the store was first used', async () => {
    const { url, nodes } = await strict();
    await nodes[0]?.ask('HSET', '{wf}v', 'replicas', 1);
    await expect(joinStore({ ...choice, url }, clock)).rejects.toMatchObject({
      code: 'storage',
      next: expect.stringContaining('0 of 1 replicas'),
    });
    await nodes[0]?.ask('HSET', '{wf}v', 'replicas', 0);
  });

  test('waits for replicas that are only just coming back', async () => {
    const { url, nodes } = await strict();
    await nodes[0]?.ask('HSET', '{wf}v', 'replicas', 1);
    const joining = joinStore({ ...choice, url }, clock);
    // By then it has looked, and would have been refused.
    await clock.sleep(600);
    await nodes[0]?.ask('HSET', '{wf}v', 'replicas', 0);
    await (await joining).frontier.close();
  });

  test('is refused an open store on another machine before anything is sent', async () => {
    const open = { ...choice, url: 'redis://192.0.2.1:6379' };
    await expect(joinStore(open, clock)).rejects.toMatchObject({
      code: 'usage',
      next: expect.stringContaining('--insecure-store'),
    });
  });
});
