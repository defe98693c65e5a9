import type { Mutant } from './mutant.ts';

const turnstile = 'packages/worker/src/turnstile/fair-turnstile.ts';
const killedBy = (name: string) =>
  ({ test: 'packages/worker/src/turnstile/fair-turnstile.test.ts', case: name }) as const;

const fairQueue = 'packages/worker/src/shares/fair-queue.ts';
const loopShares = 'packages/worker/src/shares/loop-shares.ts';
const blockWatch = 'packages/worker/src/shares/block-watch.ts';
const blockRule = 'packages/worker/src/shares/block-rule.ts';
const blockingCrawls = 'packages/worker/src/crawls/blocking-crawls.ts';
const besides = (file: string, name: string) =>
  ({ test: file.replace('.ts', '.test.ts'), case: name }) as const;

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
  {
    name: 'share-loop-first-come',
    why: 'A crawl whose pages take long to read would use most of the main thread, and keep all others waiting.',
    file: fairQueue,
    from: 'if (!least || share.chargedMs < least.chargedMs) least = share;',
    to: 'if (!least) least = share;',
    killer: besides(fairQueue, 'go to the team that was charged the least, then to the crawl'),
  },
  {
    name: 'share-loop-saved-up',
    why: 'A crawl that begins late, or pauses, would then have the main thread for itself for as long as others used it before.',
    file: fairQueue,
    from: 'if (!teams.has(team)) team.chargedMs = Math.max(team.chargedMs, turnMs);',
    to: '',
    killer: { ...besides(fairQueue, 'are not saved up'), says: 'Property failed' },
  },
  {
    name: 'share-loop-uncharged',
    why: 'A crawl that computes 20 times as much for a page would be served as often as the others.',
    file: loopShares,
    from: 'queue.charge(handling.account.loop, ms);',
    to: '',
    killer: besides(loopShares, 'lets a crawl wait that computes more than another'),
  },
  {
    name: 'share-loop-charged-to-another',
    why: 'A crawl with large pages would pay for what is computed for others after them.',
    file: loopShares,
    from: 'later(end);',
    to: '',
    killer: besides(loopShares, 'charges what is computed after others had their turn'),
  },
  {
    name: 'share-loop-alone-waits',
    why: 'The pages of a crawl that has a worker to itself would wait although nobody else has any.',
    file: loopShares,
    from: 'if (members.size < 2) return;',
    to: '',
    killer: besides(loopShares, 'makes a crawl that is alone wait for nothing'),
  },
  {
    name: 'share-loop-no-turns',
    why: 'Pages would be handled in the order in which they come, whatever they cost.',
    file: 'packages/worker/src/page/pipeline.ts',
    from: 'if (turn) await turn;',
    to: '',
    killer: {
      test: 'packages/worker/src/session/shared-loop.test.ts',
      case: 'a crawl that computes 20 times as much for a page gets no more of the main thread than the other',
    },
  },
  {
    name: 'share-block-of-another',
    why: 'A crawl would be paused for what the handler of another one did.',
    file: blockWatch,
    from: 'if (last && last.account !== handling.account) return undefined;',
    to: '',
    killer: besides(loopShares, 'blames no crawl for user code that can be of several'),
  },
  {
    name: 'share-block-while-stopped',
    why: 'A crawl would be paused because its worker was suspended, or because the machine was busy.',
    file: blockWatch,
    from: 'const ms = Math.min(tookMs, cpuMs() - cpuThenMs);',
    to: 'const ms = tookMs;',
    killer: besides(loopShares, 'blames no page for a process that was stopped or had no processor'),
  },
  {
    name: 'share-block-never-pauses',
    why: 'A crawl whose every page blocks the event loop for a second would take all others with it.',
    file: blockRule,
    from: 'if (recent.length < most) return undefined;',
    to: 'if (recent.length > 0) return undefined;',
    killer: besides(blockRule, 'pauses a crawl that does it three times, for at least five minutes'),
  },
  {
    name: 'share-block-one-page',
    why: 'One slow page would pause its crawl.',
    file: blockRule,
    from: 'const most = 3;',
    to: 'const most = 1;',
    killer: besides(blockRule, 'leaves a crawl alone that blocks the loop once or twice in five minutes'),
  },
  {
    name: 'share-block-pauses-own',
    why: 'The crawl that a person runs on their own machine would stop because its handler takes a second.',
    file: blockingCrawls,
    from: 'if (pauses && open() > 1)',
    to: 'if (open() > 1)',
    killer: besides(blockingCrawls, 'says once of a crawl of a person alone'),
  },
  {
    name: 'share-block-pauses-alone',
    why: 'A crawl would be paused for the sake of others where there are none.',
    file: blockingCrawls,
    from: 'if (pauses && open() > 1)',
    to: 'if (pauses)',
    killer: besides(blockingCrawls, 'says once of a crawl that has the worker to itself'),
  },
  {
    name: 'share-block-after-waiting',
    why: 'A handler that waits for something before it computes for seconds would never be named.',
    file: blockWatch,
    from: 'if (begunMs > thenMs || doneMs < thenMs) continue;',
    to: 'if (begunMs > thenMs || doneMs < Number.POSITIVE_INFINITY) continue;',
    killer: besides(loopShares, 'sees user code that blocks after it waited, also if it is done with it'),
  },
  {
    name: 'share-guard-never-ends',
    why: 'A page with an endless loop would leave a worker that does nothing any more, and then the next worker.',
    file: 'packages/worker/src/shares/guard-thread.ts',
    from: 'stillMs >= afterMs && ',
    to: 'stillMs > 5_000 + afterMs * 1_000 && ',
    killer: besides(
      'packages/worker/src/shares/loop-guard.ts',
      'ends a process whose loop a page blocks for ever',
    ),
  },
  {
    name: 'share-guard-ends-waiting',
    why: 'A worker whose disk does not answer for a while would be ended.',
    file: 'packages/worker/src/shares/guard-thread.ts',
    from: ' && cpuMs() - cpuThenMs >= stillMs * leastShare',
    to: '',
    killer: besides('packages/worker/src/shares/loop-guard.ts', 'ends no process that only waits'),
  },
  {
    name: 'share-shown-without-a-control',
    why: 'A machine that has no more to give than the share would prove that shares hold.',
    file: 'test/dependency/judge-share.ts',
    from: 'isEasy: unbound.used < 1.5 * share',
    to: 'isEasy: unbound.used < 0',
    killer: {
      test: 'test/dependency/judge-share.test.ts',
      case: 'says nothing where the machine leaves the control no more than the share',
    },
  },
];
