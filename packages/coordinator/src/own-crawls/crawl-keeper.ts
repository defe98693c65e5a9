import { type Clock, errorCodes, WebfarerError } from '@webfarer/protocol';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { isOpen } from '../catalog/crawl-entry.ts';
import { createDuty, type Duty } from '../maintenance/duty.ts';

export interface CrawlKeeperOptions {
  clock: Clock;
  /** All entries whose crawl should be open. Costs nothing for the others. */
  wanted: () => Promise<CatalogEntry[]>;
  /** The entry of this name as it is now; undefined where the crawl was deleted. */
  entry: (name: string) => Promise<CatalogEntry | undefined>;
  /** Names of the crawls that are open here. */
  open: () => string[];
  /** Resolves when a crawl of this name that is being opened is open, or is not opened after all. */
  opened: (name: string) => Promise<unknown>;
  /** Does to a crawl that is open here what its entry says. False: it is not open here. */
  follow: (entry: CatalogEntry) => Promise<boolean>;
  takeUp: (entry: CatalogEntry) => Promise<unknown>;
  /** One that is open here was told what its entry says: no trouble before that lasts. */
  recovered: (entry: CatalogEntry) => void;
  /** One crawl could not be opened, or not told. The others are not affected. */
  failed: (entry: CatalogEntry, error: unknown) => void;
  /** A fault of ours in looking after all of them. */
  faulty: (error: unknown) => void;
}

/** Keeps the crawls of a coordinator as the catalog wants them: takes them up, pauses, resumes, edits and stops them. */
export interface CrawlKeeper extends Duty {
  /** Entries of the catalog that were created or changed. */
  changed(entries: readonly CatalogEntry[]): void;
  /** What has changed is not known. */
  missed(): Promise<void>;
  /** Something may have to be done about the crawl of this name. */
  look(name: string): Promise<void>;
  /** Resolves when nothing is left to be done about any crawl. */
  settled(): Promise<void>;
}

/** Crawls that are opened at the same time: each reads a database or asks the store a dozen questions. */
const MOST_AT_ONCE = 8;
/** What could not be opened is tried again after this time, which doubles with each try. */
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 300_000;

export function createCrawlKeeper(options: CrawlKeeperOptions): CrawlKeeper {
  const { clock } = options;
  let isStarted = false;
  /** By name: what the catalog said last, and nothing was done about yet. */
  const due = new Map<string, CatalogEntry>();
  const atWork = new Map<string, { entry: CatalogEntry; work: Promise<void> }>();
  /** Could not be opened because of trouble that may pass: how often, and when to try again. */
  const again = new Map<string, { tries: number; atMs: number }>();

  async function settle(entry: CatalogEntry): Promise<void> {
    try {
      await options.opened(entry.name);
      if (await options.follow(entry)) options.recovered(entry);
      else if (isStarted && isOpen(entry.wanted) && !entry.ownCode) await options.takeUp(entry);
      again.delete(entry.name);
    } catch (error) {
      failed(entry, error);
    }
  }

  function failed(entry: CatalogEntry, error: unknown): void {
    options.failed(entry, error);
    // The others need a change of the job or of this machine, which is seen.
    if (!mayPass(error)) return void again.delete(entry.name);
    const tries = (again.get(entry.name)?.tries ?? 0) + 1;
    const atMs = clock.now() + Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (tries - 1));
    again.set(entry.name, { tries, atMs });
  }

  function pump(): void {
    for (const [name, entry] of due) {
      if (atWork.size >= MOST_AT_ONCE) return;
      if (atWork.has(name)) continue;
      due.delete(name);
      const work = settle(entry).finally(() => {
        atWork.delete(name);
        pump();
      });
      atWork.set(name, { entry, work });
    }
  }

  function changed(entries: readonly CatalogEntry[]): void {
    if (!isStarted) return;
    for (const entry of entries) {
      const { name, wanted } = entry;
      // One entry is read here and there, and the answer that comes last may be the older one.
      if (wanted !== 'deleted' && !isOlder(entry, due.get(name) ?? atWork.get(name)?.entry))
        due.set(name, entry);
    }
    pump();
  }

  async function look(name: string): Promise<void> {
    const entry = isStarted ? await options.entry(name) : undefined;
    if (entry) changed([entry]);
  }

  async function missed(): Promise<void> {
    if (!isStarted) return;
    const wanted = await options.wanted();
    changed(wanted);
    const names = new Set(wanted.map(({ name }) => name));
    for (const name of options.open()) if (!names.has(name)) await look(name);
  }

  async function retry(): Promise<number> {
    for (const [name, one] of again) {
      if (one.atMs > clock.now()) continue;
      // One that fails again is left to the next time.
      one.atMs = clock.now() + RETRY_MS;
      if ((await options.entry(name)) === undefined) again.delete(name);
      else await look(name);
    }
    return RETRY_MS;
  }

  const duty = createDuty({ clock, step: retry, afterTroubleMs: RETRY_MS, failed: options.faulty });
  const settled = async () => {
    while (atWork.size > 0) await Promise.all(Array.from(atWork.values(), ({ work }) => work));
  };

  return {
    changed,
    missed,
    look,
    settled,
    start() {
      isStarted = true;
      duty.start();
    },
    async stop() {
      isStarted = false;
      due.clear();
      await duty.stop();
      await settled();
    },
  };
}

function isOlder({ nonce, version }: CatalogEntry, than: CatalogEntry | undefined): boolean {
  return than !== undefined && than.nonce === nonce && version < than.version;
}

/** Trouble with the store or a disk, and defects, which may be of a moment. */
function mayPass(error: unknown): boolean {
  return !(error instanceof WebfarerError) || errorCodes[error.code].retryable;
}
