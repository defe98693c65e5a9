import { createHash } from 'node:crypto';
import { systemClock } from '@webfarer/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { ReplyError } from './wire/resp.ts';
import { openStore, type RedisStore, type Script, type StoreOptions } from './store.ts';

const single = redisForFile();
const opened: RedisStore[] = [];

async function storeOf(url: string, options: Partial<StoreOptions> = {}): Promise<RedisStore> {
  const store = await openStore({ url, replicas: 0, clock: systemClock(), ...options });
  opened.push(store);
  return store;
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** A library with one function, named by a digest of its text. */
function script(body: string): Script {
  const sha = createHash('sha1').update(body).digest('hex');
  const name = `f${sha.slice(0, 8)}`;
  const made = `redis.register_function('${name}', function(KEYS, ARGV) ${body} end)`;
  return { name, sha, text: `#!lua name=${name}\n${made}` };
}

const append = script(`redis.call('RPUSH', KEYS[1] .. ':list', ARGV[1]); return ARGV[1]`);

describe('one server', () => {
  it('answers calls in their order, scripts and commands', async () => {
    const store = await storeOf((await single()).url);
    const calls = Array.from({ length: 2_500 }, (_, n) => ({
      key: '{order}',
      ...(n % 2 === 0 ? { script: append, args: [n] } : { args: ['RPUSH', '{order}:list', n] }),
    }));
    const replies = await store.run(calls);
    expect(replies).toEqual(calls.map((_, n) => (n % 2 === 0 ? String(n) : n + 1)));
    const [list] = await store.run([{ key: '{order}', args: ['LRANGE', '{order}:list', 0, -1] }]);
    expect(list).toEqual(calls.map((_, n) => String(n)));
  });

  it('keeps an error of one call to that call', async () => {
    const store = await storeOf((await single()).url);
    const replies = await store.run([
      { key: '{e}', args: ['SET', '{e}', 'text'] },
      { key: '{e}', args: ['INCR', '{e}'] },
      { key: '{e}', args: ['GET', '{e}'] },
    ]);
    expect(replies).toEqual(['OK', expect.any(ReplyError), 'text']);
  });

  it('loads a script again that the server has forgotten', async () => {
    const { url, nodes } = await single();
    const store = await storeOf(url);
    await store.run([{ key: '{s}', script: append, args: ['a'] }]);
    await nodes[0]?.ask('FUNCTION', 'FLUSH');
    await store.run([{ key: '{s}', script: append, args: ['b'] }]);
    expect(await nodes[0]?.ask('LRANGE', '{s}:list', 0, -1)).toEqual(['a', 'b']);
  });

  it('answers with the error of a script that is not valid', async () => {
    const store = await storeOf((await single()).url);
    const [reply] = await store.run([{ key: '{s}', script: script('this is not Lua'), args: [] }]);
    expect((reply as ReplyError).text).toContain('compiling');
  });

  it('gives up at the deadline while the server stands still, and goes on afterwards', async () => {
    const { url, nodes } = await single();
    const store = await storeOf(url);
    await store.run([{ key: '{d}', args: ['SET', '{d}', 1] }]);
    await nodes[0]?.kill('SIGSTOP');
    const started = performance.now();
    const stopped = store.run([{ key: '{d}', args: ['SET', '{d}', 2] }], { deadlineMs: 200 });
    await expect(stopped).rejects.toMatchObject({ code: 'store-silent', next: expect.any(String) });
    expect(performance.now() - started).toBeLessThan(20_000);
    await nodes[0]?.kill('SIGCONT');
    expect(await store.run([{ key: '{d}', args: ['SET', '{d}', 3] }])).toEqual(['OK']);
  });

  it('makes the stamp of a call anew whenever it is sent, and can lose answers on purpose', async () => {
    const { url, nodes } = await single();
    const store = await storeOf(url, { loseAnswers: () => true });
    let stamp = 0;
    const calls = [{ key: '{l}', script: append, args: ['x'], stamp: () => ++stamp }];
    expect(await store.run(calls)).toEqual(['2']);
    expect(await nodes[0]?.ask('LRANGE', '{l}:list', 0, -1)).toEqual(['1', '2']);
  });

  it('throws what a fault throws, before anything is sent', async () => {
    const { url, nodes } = await single();
    const store = await storeOf(url, {
      fault() {
        throw new Error('made up');
      },
    });
    await expect(store.run([{ key: '{f}', args: ['SET', '{f}', 1] }])).rejects.toThrow('made up');
    expect(await nodes[0]?.ask('GET', '{f}')).toBeNull();
  });
});
