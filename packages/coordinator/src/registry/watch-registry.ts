import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { Registry, RegistryDoc, RegistryKind } from './registry.ts';

/** The documents of a kind, as they were last seen. */
export interface WatchedDocs<T> {
  readonly docs: ReadonlyMap<string, RegistryDoc<T>>;
}

export interface RegistryWatch {
  /**
   * Keeps the documents of a kind in memory; resolves once all have been read. `changed` is called after each look that
   * found changes, with the ids of what was written or removed.
   */
  follow<T>(kind: RegistryKind, changed?: (ids: readonly string[]) => void): Promise<WatchedDocs<T>>;
  /** Looks now: what this process has just written is then in force here. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface RegistryWatchOptions {
  registry: Registry;
  clock: Clock;
  /** A fault of ours, or of one that listens. */
  failed: (error: unknown) => void;
}

/** A document is in force everywhere within 5 s: this, the answer, and some patience with a busy store. */
const LOOK_MS = 1_500;
const PAGE = 500;

interface Followed {
  docs: Map<string, RegistryDoc>;
  listeners: ((ids: readonly string[]) => void)[];
  /** Changed in a look that was cut off. */
  untold: Set<string>;
  /** The first reading. */
  read: Promise<void>;
}

/**
 * Follows the registry with one question every 1.5 s, whatever it has. Does nothing before something is followed. While
 * the store cannot be read, what was last seen holds: an unreachable store revokes nothing.
 */
export function watchRegistry({ registry, clock, failed }: RegistryWatchOptions): RegistryWatch {
  const followed = new Map<RegistryKind, Followed>();
  const stopped = new AbortController();
  let generation: string | undefined;
  /** One look after the other. */
  let looking: Promise<void> = Promise.resolve();
  let running: Promise<void> | undefined;

  async function readAll(kind: RegistryKind): Promise<Map<string, RegistryDoc>> {
    const docs = new Map<string, RegistryDoc>();
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await registry.list(kind, { after, limit: PAGE });
      for (const doc of page.docs) docs.set(doc.id, doc);
      after = page.next;
    }
    return docs;
  }

  /** Takes over what there is now; answers the ids of what differs. */
  async function readAgain(kind: RegistryKind, known: Map<string, RegistryDoc>): Promise<string[]> {
    const now = await readAll(kind);
    const gone = [...known.keys()].filter((id) => !now.has(id));
    const written = [...now.values()].filter(({ id, version }) => known.get(id)?.version !== version);
    for (const id of gone) known.delete(id);
    for (const doc of written) known.set(doc.id, doc);
    return [...gone, ...written.map(({ id }) => id)];
  }

  async function readSome(kind: RegistryKind, ids: string[], known: Map<string, RegistryDoc>): Promise<void> {
    for (const id of ids) {
      const doc = await registry.get(kind, id);
      if (doc) known.set(id, doc);
      else known.delete(id);
    }
  }

  async function lookOnce(): Promise<void> {
    if (followed.size === 0) return;
    const news = await registry.changes(generation ?? '');
    for (const [kind, { docs, untold }] of followed) {
      const ids = news.changed.filter((one) => one.kind === kind).map(({ id }) => id);
      if (news.complete) await readSome(kind, ids, docs);
      for (const id of news.complete ? ids : await readAgain(kind, docs)) untold.add(id);
    }
    // Only now: a look that was cut off is done again from where it began.
    generation = news.generation;
    for (const { listeners, untold } of followed.values()) {
      const ids = [...untold];
      untold.clear();
      if (ids.length > 0) for (const listener of listeners) listener(ids);
    }
  }

  async function look(): Promise<void> {
    const next = looking.then(lookOnce);
    looking = next.catch(() => undefined);
    await next;
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
      if (stopped.signal.aborted) return;
      await look().catch((error: unknown) => {
        if (!isStorageTrouble(error) && !stopped.signal.aborted) failed(error);
      });
    }
  }

  /** In turn with the looks, and from a generation before: what changes meanwhile is read again. */
  async function begin(kind: RegistryKind, docs: Map<string, RegistryDoc>): Promise<void> {
    const first = looking.then(async () => {
      generation ??= (await registry.changes('')).generation;
      await readAgain(kind, docs);
    });
    looking = first.catch(() => undefined);
    await first;
  }

  return {
    async follow<T>(kind: RegistryKind, changed?: (ids: readonly string[]) => void) {
      let one = followed.get(kind);
      if (!one) {
        const docs = new Map<string, RegistryDoc>();
        one = { docs, listeners: [], untold: new Set(), read: begin(kind, docs) };
        followed.set(kind, one);
        one.read.catch(() => followed.delete(kind));
      }
      if (changed) one.listeners.push(changed);
      await one.read;
      running ??= run();
      return { docs: one.docs as Map<string, RegistryDoc<T>> };
    },
    look,
    async stop() {
      stopped.abort();
      await running;
      await looking;
    },
  };
}
