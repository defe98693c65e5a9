import type { Mutant } from './mutant.ts';

const turnstile = 'packages/worker/src/turnstile/fair-turnstile.ts';
const killedBy = (name: string) =>
  ({ test: 'packages/worker/src/turnstile/fair-turnstile.test.ts', case: name }) as const;

/** How crawls and teams share the computing of one process. */
export const shareMutants: readonly Mutant[] = [
  {
    name: 'share-turns-first-come',
    why: 'A team with many slow PDFs would be served in the order in which it asked, before all others.',
    file: turnstile,
    from: 'for (const task of tasks) if (!best || compare(task, best, nowMs) < 0) best = task;',
    to: 'for (const task of tasks) if (!best) best = task;',
    killer: killedBy('go to the team that used the least, then to the crawl, then to the host'),
  },
  {
    name: 'share-turns-kept',
    why: 'Two PDFs that take a minute would keep those of all other teams waiting for that minute.',
    file: turnstile,
    from: 'if (leftMs <= 0 && compare(next, task, nowMs) < 0) return task.end.abort();',
    to: '',
    killer: killedBy('of one team are never all taken while another waits'),
  },
  {
    name: 'share-turns-uncharged',
    why: 'A host with slow PDFs would have its turn as often as all others, and use most of the time.',
    file: turnstile,
    from: 'for (const use of task.uses) use.add(nowMs - task.startedMs, nowMs);',
    to: '',
    killer: killedBy('go to the team that used the least, then to the crawl, then to the host'),
  },
  {
    name: 'share-turns-nothing-done',
    why: 'A document that takes long would be begun again and again, and never be read.',
    file: turnstile,
    from: 'for (const task of running.slice(1)) {',
    to: 'for (const task of running) {',
    killer: killedBy('are given back by none that nobody else wants, and the oldest is always done'),
  },
];
