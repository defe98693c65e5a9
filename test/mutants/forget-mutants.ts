import type { Mutant } from './mutant.ts';

const erase = 'packages/worker/src/erase';
const frontier = 'packages/coordinator/src/frontier';
const proof = (field: string) => ({ proof: 'forget', args: ['--quick'], field });
const rule = (name: string) => ({
  test: `${frontier}/sqlite/sqlite-frontier.test.ts`,
  case: `frontier: SQLite in memory > forgetting > ${name}`,
});
const erasing = (name: string) => ({
  test: `${erase}/erase.test.ts`,
  case: `erasing in WARC files > ${name}`,
});

const command = (name: string) => ({ test: 'packages/cli/src/commands/network/forget.test.ts', case: name });

const inObjects = (name: string) => ({
  test: `${erase}/objects/erase-objects.test.ts`,
  case: `deleting a host from object storage > ${name}`,
});

/** Deletions that look done. */
export const forgetMutants: readonly Mutant[] = [
  {
    name: 'forget-index-left',
    why: 'The index of the archive would still list every URL of the host.',
    file: 'packages/cli/src/forget/erase-folder.ts',
    from: 'const outputs = wasWritten ? await options.writeOutputs(cleaned) : undefined;',
    to: 'const outputs = wasWritten ? manifest.outputs : undefined;',
    killer: proof('found'),
  },
  {
    name: 'forget-free-pages-left',
    why: 'Deleted rows could be read in the free pages of the database.',
    file: `${frontier}/sqlite/compacting.ts`,
    from: "db.exec('VACUUM');",
    to: "db.exec('SELECT 1');",
    killer: proof('found'),
  },
  {
    name: 'forget-not-barred',
    why: 'The next link to the host would bring it back.',
    file: `${frontier}/sqlite/offering.ts`,
    from: 'if (crawl.barred?.host(hostOf(offer.url))) {',
    to: 'if (crawl.barred === null) {',
    killer: rule('drops offers and grants nothing of the host from then on'),
  },
  {
    name: 'forget-looks-like-loss',
    why: 'Whoever follows the results would be told to read all of them again after each deletion.',
    file: 'packages/coordinator/src/redis/lua/forget/replace-records.lua',
    from: "call('XSETID', written, ARGV[5], 'ENTRIESADDED', added, 'MAXDELETEDID', removed)",
    to: "call('XSETID', written, ARGV[5])",
    killer: {
      test: `${frontier}/redis/redis-model.test.ts`,
      case: 'a reader that had read results of a forgotten host goes on where it was',
      says: 'cannot be resumed',
    },
  },
  {
    name: 'forget-in-files-looks-like-loss',
    why: 'The same, where the results had gone to files.',
    file: 'packages/coordinator/src/redis/lua/result-fate.lua',
    from: "local is_listed = in_files and call('SISMEMBER', P .. m.c .. 'd', id) == 1",
    to: 'local is_listed = false',
    killer: {
      test: 'packages/coordinator/src/frontier/redis/draining/rewritten-file.test.ts',
      case: 'one that has begun anew behind a result that is gone reads the rest',
      says: 'cannot be resumed',
    },
  },
  {
    name: 'forget-reader-at-old-lines',
    why: 'A reader in the middle of a file would go on where a line was before hosts were deleted from the file.',
    file: 'packages/coordinator/src/frontier/redis/draining/group-records.ts',
    from: '${file} ${ino} ${size} ${mtimeMs}`',
    to: '${file} ${ino > 0} ${size > 0} ${mtimeMs > 0}`',
    killer: {
      test: 'packages/coordinator/src/frontier/redis/draining/rewritten-file.test.ts',
      case: 'another process in the middle of the file reads the rest',
      says: 'cannot be read',
    },
  },
  {
    name: 'forget-drops-uncounted',
    why: 'Offers of a deleted host would vanish without being counted.',
    file: `${frontier}/redis/reporting.ts`,
    from: "if (said[i]?.kind === 'OK') await countDropped(context",
    to: "if (said[i]?.kind === 'STALE') await countDropped(context",
    killer: {
      test: `${frontier}/redis/redis-model.test.ts`,
      case: 'offers of a forgotten host are counted as dropped, also when they come with a report',
    },
  },
  {
    name: 'forget-last-wait-left',
    why: 'The manifest would say that the crawl waited for the host.',
    file: 'packages/cli/src/forget/folder-traces.ts',
    from: 'session: isStallKept ? { ...about, stall } : about,',
    to: 'session: isStallKept ? { ...about, stall } : session,',
    killer: {
      test: 'packages/cli/src/forget/folder-traces.test.ts',
      case: 'takes what a crawl waited for last out of its manifest where that was the host',
    },
  },
  {
    name: 'forget-shared-bodies-lost',
    why: 'Pages of other hosts would lose bodies that the host had served first.',
    file: `${erase}/keep-shared.ts`,
    from: 'if (!place) continue;',
    to: 'if (place) continue;',
    killer: erasing('keeps bodies that other hosts have served as well'),
  },
  {
    name: 'forget-found-on-left',
    why: 'What was noted of other captures would name the URLs of the host.',
    file: `${erase}/erase-warc.ts`,
    from: 'return kept.length === lines.length ? undefined',
    to: 'return kept.length <= lines.length ? undefined',
    killer: erasing('leaves no byte of the host, and every other record in its place'),
  },
  {
    name: 'forget-links-left',
    why: 'The link graph would still lead to the host.',
    file: `${frontier}/forgetting.ts`,
    from: 'return edges.some(({ to }) => match.url(to)) ? edges.filter(({ to }) => !match.url(to)) : edges;',
    to: 'return edges.every(({ to }) => match.url(to)) ? [] : edges;',
    killer: rule('leaves nothing that names the host, and all of the others'),
  },
  {
    name: 'forget-streams-not-rewritten',
    why: 'Redis marks deleted entries of a stream and keeps their bytes.',
    file: 'packages/coordinator/src/redis/lua/forget/replace-records.lua',
    from: "call('RENAME', written, records)",
    to: "call('DEL', written)",
    killer: {
      test: `${frontier}/redis/forget/forget-hosts.test.ts`,
      case: 'leaves the name in the tombstone alone, and no bytes of records in streams',
    },
  },
  {
    name: 'forget-object-found-on-left',
    why: 'Objects without captures of the host would keep the URLs of it on which their pages were found.',
    file: 'packages/worker/src/archive/index/warc-lines.ts',
    from: "if (record.type !== 'metadata') return;",
    to: "if (record.type === 'metadata') return;",
    killer: inObjects('leaves no byte of it in objects, chunks and indexes, and all else in its place'),
  },
  {
    name: 'forget-old-object-counts',
    why: 'Readers would use the old object until it is removed, and a run that was cut off would begin again for ever.',
    file: 'packages/worker/src/archive/objects/stored-files.ts',
    from: '(a, b) => erasuresOf(b.key) - erasuresOf(a.key) || b.bytes - a.bytes || a.key.length - b.key.length,',
    to: '(a, b) => b.bytes - a.bytes || a.key.length - b.key.length,',
    killer: inObjects(
      'can be cut off before or after any change, and readers find everything else meanwhile',
    ),
  },
  {
    name: 'forget-undone-by-worker',
    why: 'A worker that comes back would upload the file on its disk, with the host in it.',
    file: 'packages/worker/src/save/objects/object-uploads.ts',
    from: 'isErased: (found?.erasures ?? 0) > 0',
    to: 'isErased: (found?.erasures ?? 0) < 0',
    killer: inObjects('is not undone by a worker that comes back with the file on its disk'),
  },
  {
    name: 'forget-halves-for-readers',
    why: 'A copy of an archive would be half of the old file and half of the new one.',
    file: 'packages/worker/src/archive/objects/stored-files.ts',
    from: 'if (now.erasures !== file.erasures && !oneCapture)',
    to: 'if (now.erasures < file.erasures && !oneCapture)',
    killer: {
      ...inObjects('never gives a reader half of the old and half of the new'),
      says: 'instead of rejecting',
    },
  },
  {
    name: 'forget-other-object-left',
    why: 'The old object of a file would stay beside the new one.',
    file: 'packages/worker/src/save/objects/finish-file.ts',
    from: 'for (const object of file.others) for (const key of keysOf(object)) await store.remove(key);',
    to: 'for (const object of file.others) for (const key of keysOf(object).slice(0, 3)) await store.remove(key);',
    killer: inObjects('leaves no byte of it in objects, chunks and indexes, and all else in its place'),
  },
  {
    name: 'forget-outgoing-left',
    why: 'The disk of a worker that was killed would keep captures of the host.',
    file: `${erase}/erase-outgoing.ts`,
    from: 'if (!/\\.warc\\.gz(?:\\.open)?$/.test(name)) continue;',
    to: 'if (!/\\.warc\\.gz$/.test(name)) continue;',
    killer: { proof: 'one-dataset', args: ['--quick'], field: 'found' },
  },
  {
    name: 'retention-counts-from-the-first-end',
    why: 'A crawl that was resumed would be deleted as soon as it is over again.',
    file: 'packages/coordinator/src/catalog/catalog.ts',
    from: '...(isOver && overAtMs !== undefined ? { overAtMs } : {}),',
    to: '...(overAtMs !== undefined ? { overAtMs } : {}),',
    killer: {
      test: 'packages/coordinator/src/maintenance/retirer.test.ts',
      case: 'leaves crawls alone that run or are paused, and begins anew after a crawl was resumed',
    },
  },
  {
    name: 'forget-other-folders-unknown',
    why: 'An answer would say that nothing is left while another coordinator has the host in its results and report.',
    file: 'packages/coordinator/src/crawl/begin-crawl.ts',
    from: 'await joined?.frontier.folders.note(manifest.id, { member, folder, machine: hostname() });',
    to: 'void hostname;',
    killer: {
      test: 'packages/cli/src/commands/remote/forget-in-store.test.ts',
      case: 'is complete only when every coordinator of the store has deleted the host from its folder',
    },
  },
  {
    name: 'forget-old-exports-unseen',
    why: 'A WACZ file or tables beside the crawl would keep the host, and the answer would say that nothing is left.',
    file: 'packages/cli/src/forget/folder-traces.ts',
    from: 'if (mtimeMs >= sinceMs) continue;',
    to: 'if (mtimeMs >= 0) continue;',
    killer: {
      test: 'packages/cli/src/forget/folder-traces.test.ts',
      case: 'names exports in the folder that were made before the host was deleted, and no other file',
    },
  },
  {
    name: 'forget-elsewhere-named-once',
    why: 'Captures in the folders of workers would be named by the first answer only, and the second one would call it complete.',
    file: 'packages/coordinator/src/frontier/barred.ts',
    from: 'const elsewhere = all.length === 0 ? {} : { elsewhere: Object.fromEntries(all) };',
    to: 'const elsewhere = all.length >= 0 ? {} : { elsewhere: Object.fromEntries(all) };',
    killer: {
      test: 'packages/coordinator/src/frontier/barred.test.ts',
      case: 'keeps whose folders have captures until they are known to be gone',
    },
  },
  {
    name: 'forget-refuses-what-is-ending',
    why: 'A crawl that was stopped a moment ago could not be forgotten from, and the command would say to stop it.',
    file: 'packages/coordinator/src/crawl-forgetting.ts',
    from: 'await Promise.race([crawl?.ended.catch(() => undefined), late]);',
    to: '',
    killer: {
      test: 'packages/coordinator/src/crawl-directory.test.ts',
      case: 'counts what a host has in a crawl that runs, and waits for the end of one that is ending before it deletes',
      says: 'the crawl shop is running',
    },
  },
  {
    name: 'forget-opens-paused-as-running',
    why: 'A crawl that an operator had paused would fetch pages after a host was deleted from it.',
    file: 'packages/coordinator/src/catalog/crawl-entry.ts',
    from: "{ wanted: 'paused', wishes: wishes + 1 }",
    to: "{ wanted: 'running', wishes: wishes + 1 }",
    killer: {
      test: 'packages/coordinator/src/crawl-directory.test.ts',
      case: 'opens a crawl that was stopped as paused, and leaves one that is open as it is',
    },
  },
  {
    name: 'forget-stops-to-count',
    why: 'A look at what would be deleted would stop a crawl that runs.',
    file: 'packages/cli/src/commands/network/forget.ts',
    from: 'return dryRun ? await work()',
    to: 'return dryRun && gone.length > 0 ? await work()',
    killer: command('counting stops nothing'),
  },
  {
    name: 'forget-leaves-paused-stopped',
    why: 'A crawl that was paused would run after a host was deleted from it.',
    file: 'packages/cli/src/commands/network/forget.ts',
    from: "const query = { paused: state === 'paused' };",
    to: 'const query = { paused: false };',
    killer: command('a crawl is stopped to delete from it, and then opened as it was'),
  },
  {
    name: 'forget-stop-without-patience',
    why: 'A crawl whose stop takes longer than 30 s would stay stopped, and nothing would be deleted.',
    file: 'packages/cli/src/commands/network/forget.ts',
    from: 'at.streams.stopCrawl(',
    to: 'at.api.stopCrawl(',
    killer: command('a stop may take longer than other answers'),
  },
];
