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
  {
    name: 'share-host-called-slow',
    why: 'A host would be asked less often because a page of another one took long to read.',
    file: 'packages/worker/src/session/fetch-entry.ts',
    from: '(durationMs - ownMs) * slowFactor',
    to: '(durationMs - 0 * ownMs) * slowFactor',
    killer: {
      test: 'packages/worker/src/session/times.test.ts',
      case: 'takes a host for as slow as it was, without the time for which this process was busy',
    },
  },
  {
    name: 'share-host-called-late',
    why: 'Hosts would be left alone, and their pages fail, because this process did not look at their answers.',
    file: 'packages/worker/src/egress/egress.ts',
    from: 'ownMs > 0 && ownMs * 2 >= durationMs',
    to: 'ownMs > durationMs',
    killer: {
      test: 'packages/worker/src/egress/late.test.ts',
      case: 'does not say that a host was late which it did not look at',
    },
  },
  {
    name: 'share-deadline-while-busy',
    why: 'An answer that came in time would be dropped because it was read late.',
    file: 'packages/worker/src/egress/deadline.ts',
    from: 'Math.ceil(waited + delayed)',
    to: 'Math.ceil(waited)',
    killer: {
      test: 'packages/worker/src/egress/deadline.test.ts',
      case: 'is put off by the time for which this process was too busy to look',
    },
  },
  {
    name: 'share-delay-unseen',
    why: 'A delay that is not over yet would be taken for the time of the host that it kept waiting.',
    file: 'packages/worker/src/egress/own-delay.ts',
    from: '{ totalMs: () => totalMs + lateMs() }',
    to: '{ totalMs: () => totalMs }',
    killer: {
      test: 'packages/worker/src/egress/own-delay.test.ts',
      case: 'is what timers come late, also before they have come',
    },
  },
];
