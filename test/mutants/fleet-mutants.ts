import type { Mutant } from './mutant.ts';

const coordinator = 'packages/coordinator/src';
const probe = 'packages/protocol/src/node/probe/resource-probe.ts';
const probeTest = 'packages/protocol/src/node/probe/resource-probe.test.ts';
const history = 'packages/protocol/src/resources/resource-history.ts';
const historyTest = 'packages/protocol/src/resources/resource-history.test.ts';
const webhooks = `${coordinator}/webhooks`;
const webhooksTest = `${webhooks}/webhooks.test.ts`;
const cordons = `${coordinator}/network/cordons.ts`;
const cordonsTest = `${coordinator}/network/cordons.test.ts`;
const fails = 'a receiver that fails at first gets the message later, under the same id and rightly signed';

/** Resources of machines, cordons and webhooks. */
export const fleetMutants: readonly Mutant[] = [
  {
    name: 'fleet-rate-after-counter-reset',
    why: 'A network interface that came back would show gigabytes a second.',
    file: probe,
    from: 'Math.max(0, Math.round((to - from) / seconds))',
    to: 'Math.round(Math.abs(to - from) / seconds)',
    killer: { test: probeTest, case: 'a counter that begins anew is no rate' },
  },
  {
    name: 'fleet-busy-core-after-reset',
    why: 'A core whose counters began anew would be shown with a negative load.',
    file: probe,
    from: 'rounded(Math.min(1, Math.max(0, (busy - from.busy) / passed)))',
    to: 'rounded(Math.min(1, (busy - from.busy) / passed))',
    killer: { test: probeTest, case: 'a counter that begins anew is no rate' },
  },
  {
    name: 'fleet-history-ring-off-by-one',
    why: 'The history would have a hole every minute.',
    file: history,
    from: 'if (!rows || rows.length === ROWS || !hasShape(rows, shape)) {',
    to: 'if (!rows || rows.length > ROWS || !hasShape(rows, shape)) {',
    killer: {
      test: historyTest,
      case: 'a machine is kept for an hour by seconds and for a day by half minutes',
      says: 'RangeError',
    },
  },
  {
    name: 'fleet-half-minute-at-its-beginning',
    why: 'A peak would be shown half a minute before it was.',
    file: history,
    from: 'atMs: (track.slot + 1) * everyMs',
    to: 'atMs: track.slot * everyMs',
    killer: { test: historyTest, case: 'half a minute is the mean of its seconds' },
  },
  {
    name: 'fleet-half-minute-keeps-the-last',
    why: 'One peak would stay in the averages for ever.',
    file: 'packages/protocol/src/resources/resource-fold.ts',
    from: '[values, cores, disks] = [sums(), sums(), sums()];',
    to: '[cores, disks] = [sums(), sums()];',
    killer: { test: historyTest, case: 'half a minute is the mean of its seconds' },
  },
  {
    name: 'fleet-half-minute-by-all-seconds',
    why: 'A value that was unknown for a while would be averaged as if it had been 0.',
    file: 'packages/protocol/src/resources/resource-fold.ts',
    from: 'if (Number.isNaN(value)) continue;',
    to: 'if (Number.isNaN(value)) count[i] = (count[i] ?? 0) + 1;\n        if (Number.isNaN(value)) continue;',
    killer: { test: historyTest, case: 'half a minute is the mean of its seconds' },
  },
  {
    name: 'webhook-time-not-signed',
    why: 'An old message could be sent again by anyone who saw it, with the time of now.',
    file: `${webhooks}/signature.ts`,
    from: '.update(`${id}.${timestamp}.${body}`)',
    to: '.update(`${id}.${body}`)',
    killer: { test: webhooksTest, case: fails },
  },
  {
    name: 'webhook-not-tried-again',
    why: 'A receiver that was down for a moment would never hear of the end of a crawl.',
    file: `${webhooks}/deliveries.ts`,
    from: 'await put(doc, isDelivered(attempt) ? delivered : afterFailure(value, attempt));',
    to: "await put(doc, isDelivered(attempt) ? delivered : { ...afterFailure(value, attempt), state: 'dead' });",
    killer: { test: webhooksTest, case: fails, says: 'to deeply equal' },
  },
  {
    name: 'webhook-new-id-for-each-attempt',
    why: 'A receiver could not tell a repeated message from another one.',
    file: `${webhooks}/webhook-sender.ts`,
    from: 'signedHeaders({ id: value.message, timestamp',
    to: 'signedHeaders({ id: `${value.message}${value.attempts}`, timestamp',
    killer: { test: webhooksTest, case: fails },
  },
  {
    name: 'webhook-asks-a-full-store-at-once',
    why: 'With a message waiting and a full disk, a coordinator would do nothing but write to that disk.',
    file: `${webhooks}/webhook-sender.ts`,
    from: 'restUntilMs = clock.now() + AGAIN_MS;',
    to: 'restUntilMs = clock.now();',
    killer: {
      test: webhooksTest,
      case: 'a store that takes nothing, such as one on a full disk, is not asked again and again',
    },
  },
  {
    name: 'webhook-one-message-for-each-coordinator',
    why: 'Every coordinator of a network would report the same end.',
    file: `${webhooks}/crawl-news.ts`,
    from: 'id: messageId(type, ...facts), message',
    to: 'id: messageId(type, ...facts, clock.now()), message',
    killer: {
      test: webhooksTest,
      case: 'two coordinators that see the same end send one message for each event',
      says: 'to deeply equal',
    },
  },
  {
    name: 'end-over-a-resume',
    why: 'A crawl that is resumed while it writes its outputs would stay over, though the operator was told that it runs.',
    file: 'packages/coordinator/src/catalog/crawl-entry.ts',
    from: 'isOver = !isOpen(entry.wanted) || runIn(entry) === run;',
    to: 'isOver = true;',
    killer: {
      test: 'packages/coordinator/src/catalog/crawl-entry.test.ts',
      case: 'is not over where an operator has resumed it since, also one that still ran',
    },
  },
  {
    name: 'webhook-resumed-run-mixed-up',
    why: 'The end of a crawl that was retried and came to the same counts would not be reported.',
    file: 'packages/coordinator/src/catalog/crawl-entry.ts',
    from: '{ wanted: state, wishes: wishes + 1 }',
    to: '{ wanted: state, wishes }',
    killer: {
      test: 'packages/coordinator/src/catalog/crawl-entry.test.ts',
      case: 'is another run after it was resumed or edited, and the same one until then',
    },
  },
  {
    name: 'webhook-crawls-of-one-name-mixed-up',
    why: 'The end of a crawl that was deleted and made again would not be reported.',
    file: `${webhooks}/crawl-news.ts`,
    from: 'const facts = [crawl.id, run];',
    to: 'const facts = [crawl.id, run.length];',
    killer: {
      test: webhooksTest,
      case: 'another run that ends with the same counts is told as well',
      says: 'expected 1 to be 3',
    },
  },
  {
    name: 'webhook-told-after-the-catalog',
    why: 'A coordinator that dies at the end of a crawl would never report the end.',
    file: `${coordinator}/crawl/begin-crawl.ts`,
    from: 'await beginning.announce(end, run ?? undefined);',
    to: 'await beginning.announce(end, run ?? undefined).catch(() => undefined);',
    killer: {
      test: 'test/coordinator/ending.test.ts',
      case: 'that a crawl is over is told before its catalog says so',
    },
  },
  {
    name: 'webhook-tells-private-addresses',
    why: 'An operator of a team could read off failed webhooks which names the network of the coordinator has, and their addresses.',
    file: 'packages/cli/src/network/webhook-post.ts',
    from: "new Set(['private-address', 'dns-not-found'])",
    to: "new Set(['dns-not-found'])",
    killer: {
      test: 'packages/cli/src/network/webhook-post.test.ts',
      case: 'tells nobody what a private name resolves to, nor whether there is one',
    },
  },
  {
    name: 'webhook-to-any-private-address',
    why: 'Whoever may create a webhook could send requests into the own network.',
    file: 'packages/cli/src/network/webhook-post.ts',
    from: '        allowPrivate,\n',
    to: "        allowPrivate: allowPrivate.length > 0 ? allowPrivate : ['0.0.0.0/0'],\n",
    killer: {
      test: 'packages/cli/src/network/webhook-post.test.ts',
      case: 'sends to a private address only where that is allowed',
    },
  },
  {
    name: 'cordon-ignored',
    why: 'A worker that an operator took out of use would still get work.',
    file: cordons,
    from: 'isCordoned: (worker) => workers.docs.size > 0 && workers.docs.has(worker),',
    to: 'isCordoned: (worker) => workers.docs.size > 1 && workers.docs.has(worker),',
    killer: { test: cordonsTest, case: 'a cordon holds here at once' },
  },
  {
    name: 'cordoned-coordinator-takes-workers',
    why: 'A coordinator that is to be shut down would get new workers.',
    file: cordons,
    from: "return state === 'active' ? undefined",
    to: "return state !== 'draining' ? undefined",
    killer: {
      test: cordonsTest,
      case: 'a cordoned coordinator takes no workers, and the others do',
      says: 'to be',
    },
  },
  {
    name: 'cordon-lost-in-a-race',
    why: 'Of two operators, one would be told that the cordon holds although it does not.',
    file: cordons,
    from: "if (answer?.kind === 'stale') continue;",
    to: "if (answer?.kind === 'stale') throw new Error('stale');",
    killer: {
      test: cordonsTest,
      case: 'of several decisions at the same moment one holds, and none fails',
      says: 'stale',
    },
  },
];
