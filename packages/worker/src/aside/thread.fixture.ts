import { threadId } from 'node:worker_threads';
import { serveAside } from './serve-aside.ts';

/** A thread that says which one it is, fails, never answers, or keeps much memory and answers after it was looked at. */
const memory: Buffer[] = [];

serveAside(async (task: 'tell' | 'fail' | 'hang' | 'remember') => {
  if (task === 'fail') throw new Error('as told');
  if (task === 'hang') for (;;);
  if (task === 'remember') {
    memory.push(Buffer.alloc(128 * 1024 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return threadId;
});
