import { join } from 'node:path';
import { openAccount } from '../shares/account.ts';
import { runAside } from './run-aside.ts';

/** A program that has work done in a thread, and says whether its process went on for long after that. */
const entry = join(import.meta.dirname, 'thread.fixture.ts');
const limits = { timeoutMs: 60_000, maxBytes: 512 * 1024 * 1024 };
const payer = { account: openAccount(), host: 'a.test' };
const { ok } = await runAside(payer, () => ({ entry, data: 'tell', limits }));
const answeredMs = performance.now();
process.on('exit', () => {
  console.log(JSON.stringify({ ok, hasWaited: performance.now() - answeredMs > 5_000 }));
});
