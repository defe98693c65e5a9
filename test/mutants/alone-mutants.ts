import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const coordinator = 'packages/coordinator/src';
const damaged = (name: string, says?: string) => ({
  test: `${coordinator}/damaged-documents.test.ts`,
  case: name,
  ...(says === undefined ? {} : { says }),
});

/** Trouble of one crawl, schedule or document that reaches the others. */
export const aloneMutants: readonly Mutant[] = [
  {
    name: 'alone-gap-for-nothing',
    why: 'A host that a worker gave back because it had not opened the crawl yet would wait for its whole pause, perhaps an hour.',
    file: 'packages/worker/src/worker.ts',
    from: "const news = { endedAtMs: null, gapMs: 0, why: 'alone', health: 'none' } as const;",
    to: "const news = { endedAtMs: clock.now(), gapMs: 0, why: 'alone', health: 'none' } as const;",
    killer: {
      test: 'packages/worker/src/session/give-back.test.ts',
      case: 'begins a URL on its last chance when nothing else is in hand, and gives the hosts of others a rest',
    },
  },
  {
    name: 'one-gate-for-all-crawls',
    why: 'Object storage that fails for one crawl would stop every crawl of the worker.',
    file: `${worker}/worker.ts`,
    from: '!quarantine.closed && (await storage.hasRoom())',
    to: '!quarantine.closed && gates.held().size === 0 && (await storage.hasRoom())',
    killer: {
      proof: 'alone',
      args: ['--quick', '--only', 'object-storage-denies-later'],
      field: 'stood',
    },
  },
  {
    name: 'damaged-entry-ends-the-list',
    why: 'A coordinator with one damaged entry in its catalog would take up none of its crawls.',
    file: `${coordinator}/catalog/catalog.ts`,
    from: '  } catch {\n    const nothing',
    to: '  } catch (error) {\n    if (text) throw error;\n    const nothing',
    killer: damaged(
      'takes up the other crawls, says what is wrong with the damaged one, and deletes it',
      'SyntaxError',
    ),
  },
  {
    name: 'damaged-schedule-ends-the-list',
    why: 'No schedule would run while one of them cannot be read.',
    file: `${coordinator}/registry/registry.ts`,
    from: "    if (kind === 'schedule') return {};\n",
    to: '',
    killer: damaged('keeps the other schedules, says what is wrong with the damaged one, and deletes it'),
  },
  {
    name: 'figures-are-news',
    why: 'A crawl that asks for more disk space than there is would write an event every three seconds.',
    file: `${worker}/crawls/left-out.ts`,
    from: 'withoutFigures(before) !== withoutFigures(message)',
    to: 'before !== message',
    killer: {
      test: `${worker}/crawls/left-out.test.ts`,
      case: 'tells a reason once, however its figures change, and another one again',
    },
  },
  {
    name: 'unopened-crawls-asked-for',
    why: 'Hosts of a crawl that takes long to open would be leased and given back in a circle.',
    file: `${worker}/crawls/worker-crawls.ts`,
    from: 'isWorkable(about) && !open.has(about.id) ? [about.id] : []',
    to: 'isWorkable(about) && open.size === 0 ? [about.id] : []',
    killer: {
      test: `${worker}/crawls/worker-crawls.test.ts`,
      case: 'waits a moment for a crawl that takes long to open, and says when it is open',
    },
  },
  {
    name: 'hanging-saver-not-named',
    why: 'A crawl whose saver never answers would stand still, and nothing would say why.',
    file: `${worker}/disk/crawl-gates.ts`,
    from: '      ...silent(),\n',
    to: '',
    killer: {
      test: `${worker}/disk/crawl-gates.test.ts`,
      case: 'names a crawl whose write never ends, and lets the others save',
    },
  },
  {
    name: 'listener-for-each-crawl',
    why: 'A worker would keep a part of each crawl that it ever worked on.',
    file: `${worker}/egress/bounds.ts`,
    from: '    listeners.set(signal, made);\n',
    to: '',
    killer: {
      test: `${worker}/egress/bounds.test.ts`,
      case: 'listens once to a signal that outlives many bounds, and tells all of them',
    },
  },
  {
    name: 'alone-waits-for-the-stuck',
    why: 'A page that ended workers would stop all crawls of a worker while the captures of another one cannot be saved.',
    file: `${worker}/session/quarantine.ts`,
    from: 'while (!areOver && !gates().isStuck())',
    to: 'while (!areOver)',
    killer: {
      test: `${worker}/session/quarantine.test.ts`,
      case: 'gives up waiting for others that turn out to be stuck',
      says: 'it waits without end',
    },
  },
  {
    name: 'alone-however-stuck-others-are',
    why: 'The same, where the others were stuck before.',
    file: `${worker}/session/quarantine.ts`,
    from: "        if (gates().isStuck()) return 'no';\n",
    to: '',
    killer: {
      test: `${worker}/session/quarantine.test.ts`,
      case: 'does not stop a worker for it while pages of another crawl cannot be saved',
    },
  },
  {
    name: 'alone-saves-patiently',
    why: 'A page that must be alone, in a crawl whose saver fails, would stop all crawls of a worker for ten seconds, again and again.',
    file: `${worker}/worker.ts`,
    from: 'patienceMs !== undefined && isAlone ? ALONE_SAVE_MS : patienceMs;',
    to: 'isAlone ? patienceMs : patienceMs;',
    killer: {
      proof: 'alone',
      args: ['--quick', '--only', 'saver-syncs-nothing,deadly-page'],
      field: 'stood',
    },
  },
  {
    name: 'folder-of-another-crawl-taken',
    why: 'Two crawls whose names share a folder would write into the same database.',
    file: 'packages/coordinator/src/crawl/open-crawl.ts',
    from: 'found.id !== given.holds) throw holdsAnother',
    to: "found.id === '') throw holdsAnother",
    killer: {
      test: 'packages/coordinator/src/crawl/open-crawl.test.ts',
      case: 'leaves the folder of another crawl as it is, whatever its name',
      says: 'instead of rejecting',
    },
  },
  {
    name: 'full-disk-blamed-on-crawls',
    why: 'A worker whose disk is full would give up its crawls one by one, in place of pausing.',
    file: `${worker}/disk/disk-floor.ts`,
    from: 'if (free >= minFreeBytes || free < own) return;',
    to: 'if (free >= minFreeBytes) return;',
    killer: {
      test: `${worker}/disk/disk-floor.test.ts`,
      case: 'blames no crawl below the floor of the worker, where there is room, and where the disk cannot be asked',
    },
  },
  {
    name: 'greedy-crawl-kept',
    why: 'A crawl that asks for more free space than there is would go on, or stop the others.',
    file: `${worker}/disk/disk-floor.ts`,
    from: 'await check(about).catch((error: WebfarerError) => options.giveUp(about.id, error));',
    to: 'await check(about).catch(() => undefined);',
    killer: {
      test: `${worker}/disk/disk-floor.test.ts`,
      case: 'lets go of the crawl alone that asks for more space than there is',
    },
  },
];
