import type { Mutant } from './mutant.ts';

const test = 'packages/worker/src/save/objects/object-saver.test.ts';

/** What makes an archive in object storage one that can be relied on. */
export const objectMutants: readonly Mutant[] = [
  {
    name: 'storage-past-the-guard',
    file: 'packages/worker/src/egress/public-agents.ts',
    from: 'if (host && parseAddress(host) && !isPublic(host)) {',
    to: "if (host === '') {",
    why: 'A job could have requests signed with the keys of the machine sent to the private network.',
    killer: {
      test: 'packages/worker/src/egress/public-agents.test.ts',
      case: 'makes no connection to',
    },
  },
  {
    name: 'sync-without-chunk',
    file: 'packages/worker/src/save/segments.ts',
    from: 'if (current) await this.#options.uploads?.extend(localFile(current));',
    to: 'if (current) void this.#options.uploads?.extend(localFile(current)).catch(() => undefined);',
    why: 'A page is recorded whose capture is only on the disk of a worker: with the worker it is lost.',
    killer: { test, case: 'does not sync before the store has the bytes', says: 'instead of rejecting' },
  },
  {
    name: 'chunks-removed-unverified',
    file: 'packages/worker/src/save/objects/finish-file.ts',
    from: 'const covered = file.chunks.filter((chunk) => chunk.end <= bytes);',
    to: 'const covered = file.chunks;',
    why: 'Chunks are removed whose bytes no verified object has.',
    killer: { test, case: 'never joins over a gap, and leaves what is behind it' },
  },
  {
    name: 'objects-counted-unverified',
    file: 'packages/worker/src/archive/objects/stored-files.ts',
    from: 'if (verified.has(object.key.slice(objectDir.length))) objects.push(object);',
    to: 'objects.push(object);',
    why: 'An upload that was never verified counts as the file, and its chunks are removed.',
    killer: { test, case: 'keeps every chunk until the object of the file was verified' },
  },
  {
    name: 'upkeep-joins-gap',
    file: 'packages/worker/src/archive/objects/stored-files.ts',
    from: 'if (chunk.start <= at && chunk.end > at && chunk.end > (best?.end ?? 0)) best = chunk;',
    to: 'if (chunk.end > at && chunk.end > (best?.end ?? 0)) best = { ...chunk, start: at };',
    why: 'A file is joined over a missing chunk: every capture behind it is at another place than its record says.',
    killer: {
      test,
      case: 'never joins over a gap, and leaves what is behind it',
      says: 'is shorter than',
    },
  },
  {
    name: 'append-behind-store',
    file: 'packages/worker/src/save/segments.ts',
    from: 'if (end === 0 || there?.isErased || (there?.bytes ?? 0) > end) return rm(path);',
    to: 'if (end === 0) return rm(path);',
    why: 'After a disk lost what it had acknowledged, two captures have the same place in a file.',
    killer: { test, case: 'does not append to a file of which the store has more than the disk' },
  },
  {
    name: 'completed-after-deletion',
    file: 'packages/worker/src/save/objects/finish-file.ts',
    from: 'if (await store.head(deletedKey)) return;',
    to: 'if (!(await store.head(deletedKey)) && name === deletedKey) return;',
    why: 'A worker that was away would bring back objects of a crawl that was deleted.',
    killer: {
      test: 'packages/worker/src/save/objects/delete-objects.test.ts',
      case: 'leaves nothing of a deleted crawl but the mark, also where a worker completes a file later',
    },
  },
  {
    name: 'archive-moved-away',
    file: 'packages/coordinator/src/crawl/job/compare-jobs.ts',
    from: 'if (before === undefined || before === now) return;',
    to: 'if (before === undefined || now !== before) return;',
    why: 'A job could name another bucket for a crawl that has begun, and its captures would not be found.',
    killer: {
      test: 'packages/coordinator/src/crawl/job/compare-jobs.test.ts',
      case: 'refuses another place for captures that are in object storage',
    },
  },
  {
    name: 'slash-kept-only',
    file: 'packages/worker/src/archive/index/replay-keys.ts',
    from: 'if (other !== undefined) yield other;',
    to: 'if (other === line) yield other;',
    why: 'pywb would find no page of a WACZ file whose path ends in a slash.',
    killer: {
      test: 'packages/cli/src/export/wacz.test.ts',
      case: 'wacz > files pages under both keys that readers look for',
    },
  },
  {
    name: 'storage-without-consent',
    file: 'packages/worker/src/crawls/consent.ts',
    from: 'place === ok || place.startsWith(`${ok}/`)',
    to: 'place.startsWith(ok)',
    why: 'A coordinator has captures sent to a bucket that the owner of a worker did not allow.',
    killer: {
      test: 'packages/worker/src/crawls/consent.test.ts',
      case: 'a coordinator elsewhere may have captures sent only to places that the owner named',
    },
  },
  {
    name: 'delete-past-the-guard',
    why: 'A team could send the requests by which its crawl is deleted, signed by the coordinator, to a private address.',
    file: 'packages/cli/src/local/local-crawl.ts',
    from: "const job = asGiven(readableJob(crawl.job, ['save']));",
    to: "const job = readableJob(crawl.job, ['save']);",
    killer: {
      test: 'packages/cli/src/local/crawl-host.test.ts',
      case: 'is out of the reach of a coordinator that is to delete',
      says: 's3.allowPrivate',
    },
  },
  {
    name: 'forget-past-the-guard',
    why: 'A team could have a host forgotten in object storage at a private address.',
    file: 'packages/cli/src/local/local-crawl.ts',
    from: 'return await eraseHost(parts, asGiven);',
    to: 'return await eraseHost(parts);',
    killer: {
      test: 'packages/cli/src/local/crawl-host.test.ts',
      case: 'is out of the reach of a coordinator that is to forget',
      says: 's3.allowPrivate',
    },
  },
];
