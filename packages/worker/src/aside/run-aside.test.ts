import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openAccount } from '../shares/account.ts';
import { runAside } from './run-aside.ts';

const entry = join(import.meta.dirname, 'thread.fixture.ts');
const limits = { timeoutMs: 10_000, maxBytes: 512 * 1024 * 1024 };
const payerOf = (name: string) => ({ account: openAccount('aside', name), host: 'a.test' });

const run = (payer: ReturnType<typeof payerOf>, data: string, more = {}) =>
  runAside<number>(payer, () => ({ entry, data, limits: { ...limits, ...more } }));

it('a thread that has answered works for its crawl again, and for no other', async () => {
  const [one, other] = [payerOf('one'), payerOf('other')];
  const first = await run(one, 'tell');
  expect(await run(one, 'tell')).toEqual(first);
  expect(await run(other, 'tell')).not.toEqual(first);
  expect(await run(one, 'tell')).toEqual(first);
});

it('a thread that failed, took too long or too much is not used again', async () => {
  const payer = payerOf('three');
  const first = await run(payer, 'tell');
  expect(await run(payer, 'fail')).toEqual({ ok: false, reason: 'as told' });
  const second = await run(payer, 'tell');
  expect(second).not.toEqual(first);
  expect(await run(payer, 'hang', { timeoutMs: 200 })).toMatchObject({ ok: false });
  const third = await run(payer, 'tell');
  expect(third).not.toEqual(second);
  expect(await run(payer, 'remember')).toEqual(third);
  expect(await run(payer, 'tell')).not.toEqual(third);
});

it('a thread that waits for more work keeps no process from ending', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'ending.fixture.ts'),
  ]);
  expect(JSON.parse(stdout)).toEqual({ ok: true, hasWaited: false });
});
