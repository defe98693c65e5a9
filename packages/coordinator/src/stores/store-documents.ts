import type { Clock } from '@webfarer/protocol';
import { type Forecast, forecastEmpty } from '@webfarer/protocol/resources';
import type { NodeInfo } from '../redis/client/node-info.ts';
import { explainHealth } from '../redis/health.ts';
import { explainSettings } from '../redis/settings.ts';
import { askOnce } from '../stream/ask-once.ts';
import type { FolderUse } from './folder-use.ts';

export interface StoreDocumentsOptions {
  clock: Clock;
  /** The nodes of a shared store, asked now; absent: crawls are kept in the data folder alone. */
  nodes: (() => Promise<NodeInfo[]>) | undefined;
  /** The data folder of this coordinator. */
  folder: () => Promise<FolderUse>;
  /** What was free on its disk lately. */
  freeLately: () => { atMs: readonly number[]; freeBytes: readonly (number | null)[] };
}

/** What crawls are kept in, as this coordinator sees it, for all who look. */
export interface StoreDocuments {
  /** Looks now and then by itself, because a trend needs a past. */
  start(): void;
  stop(): Promise<void>;
  read(): Promise<ReadonlyMap<string, unknown>>;
}

/** INFO costs a server little, and a person reads no faster. */
const freshMs = 5_000;
/** Between two looks while nobody watches. */
const calmMs = 30_000;
/** A folder of a million files takes seconds to walk. */
const folderFreshMs = 60_000;
/** A day. */
const keptPoints = 2_880;

interface Seen {
  node: NodeInfo;
  /** When it last answered. */
  atMs: number;
  /** Used memory by time. */
  points: { atMs: number; bytes: number }[];
}

export function createStoreDocuments(options: StoreDocumentsOptions): StoreDocuments {
  const { clock, nodes, folder, freeLately } = options;
  const stopped = new AbortController();
  const seen = new Map<string, Seen>();
  let running: Promise<void> | undefined;
  /** The latest that was counted. */
  let counted: FolderUse | undefined;

  const look = askOnce(clock, freshMs, async () => {
    const now = nodes ? await nodes() : [];
    for (const node of now) remember(node);
    return now;
  });
  const useOfFolder = askOnce(clock, folderFreshMs, folder);

  function remember(node: NodeInfo): void {
    if (!node.reachable) return;
    const atMs = clock.now();
    const points = seen.get(node.address)?.points ?? [];
    if (atMs - (points.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= calmMs)
      points.push({ atMs, bytes: node.usedMemoryBytes });
    seen.set(node.address, { node, atMs, points: points.slice(-keptPoints) });
  }

  async function run(): Promise<void> {
    for (;;) {
      await look().catch(() => undefined);
      await clock.sleep(calmMs, stopped.signal).catch(() => undefined);
      if (stopped.signal.aborted) return;
    }
  }

  function shown(node: NodeInfo): unknown {
    const { settings, movingSlots, reachable, ...rest } = node;
    const known = seen.get(node.address);
    const moving = movingSlots.length;
    if (!reachable) {
      // What it was, as far as it was ever seen.
      const { role, of, version } = known?.node ?? node;
      const lately = known ? { seenAtMs: known.atMs } : {};
      return { kind: 'node', address: node.address, reachable, role, of, version, ...lately };
    }
    const full = fullWhen(known?.points ?? [], node.maxMemoryBytes);
    const policy = settings['maxmemory-policy'];
    return {
      kind: 'node',
      reachable,
      ...rest,
      moving,
      ...(policy ? { policy } : {}),
      ...(full ? { full } : {}),
    };
  }

  function shownFolder(use: FolderUse): unknown {
    const { atMs, freeBytes } = freeLately();
    const full = forecastEmpty(atMs, freeBytes, use.totalBytes);
    return { kind: 'folder', ...use, ...(full ? { full } : {}) };
  }

  return {
    start() {
      if (nodes) running ??= run();
    },
    async stop() {
      stopped.abort();
      await running;
    },
    async read() {
      const now = await look();
      // Counting files may take long, and what is wrong with a server must not wait for it.
      const counting = useOfFolder().then(
        (use) => {
          counted = use;
        },
        () => undefined,
      );
      if (nodes === undefined) await counting;
      const findings = [
        ...explainHealth(now),
        // That nodes do not respond is said above.
        ...explainSettings(
          now.filter(({ reachable }) => reachable),
          0,
        ).filter(({ level }) => level !== 'good'),
      ];
      return new Map<string, unknown>([
        ...now.map((node) => [`node ${node.address}`, shown(node)] as const),
        ...(now.length > 0 ? findings : []).map(
          (finding, n) => [`finding ${n}`, { kind: 'finding', ...finding }] as const,
        ),
        ...(counted ? [['folder', shownFolder(counted)] as const] : []),
      ]);
    },
  };
}

function fullWhen(points: Seen['points'], maxBytes: number): Forecast | undefined {
  if (maxBytes === 0) return undefined;
  return forecastEmpty(
    points.map(({ atMs }) => atMs),
    points.map(({ bytes }) => maxBytes - bytes),
    maxBytes,
  );
}
