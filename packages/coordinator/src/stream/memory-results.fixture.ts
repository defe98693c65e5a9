import type { CrawlId, PageRecord, Url } from '@webfarer/protocol';
import { cursorsWithin, decodeCursor, encodeCursor, noMark, staleCursor } from '../results/cursor.ts';
import { settledListeners } from '../results/follow.ts';
import type {
  ResultEntry,
  ResultsCursor,
  ResultsPage,
  ResultsQuery,
  ResultsSource,
} from '../results/results.ts';

/** Results in memory, in several groups, read as slowly and as unevenly as a test wants. */
export interface MemoryResults extends ResultsSource {
  /** Answers its URL. */
  settle(group: number): string;
  /** By another process: nobody here is told. */
  settleSilently(group: number): string;
  settleMany(group: number, count: number): void;
  /** Everything of the crawl was lost, and another one has its name. */
  replace(): void;
  readonly asked: number;
  readonly askedForNewest: number;
  /** The groups of each question. */
  readonly lookedAt: readonly (number[] | 'all')[];
  readonly urls: ReadonlyMap<number, string[]>;
}

export const memoryCrawl = 'c' as CrawlId;

export function memoryResults(pause: () => Promise<void> = () => Promise.resolve()): MemoryResults {
  const listeners = settledListeners();
  let groups = new Map<number, string[]>();
  let [history, settled, asked, askedForNewest] = ['h0', 0, 0, 0];
  const lookedAt: (number[] | 'all')[] = [];

  async function after(
    _crawl: CrawlId,
    cursor: ResultsCursor | undefined,
    { kinds, limit }: ResultsQuery,
    wanted?: ReadonlySet<number>,
  ): Promise<ResultsPage> {
    asked++;
    lookedAt.push(wanted ? [...wanted] : 'all');
    await pause();
    const places =
      cursor === undefined
        ? { history, mark: noMark, next: 0, groups: new Map<number, { major: number; minor: number }>() }
        : decodeCursor(cursor, history);
    const entries: ResultEntry[] = [];
    const reached = new Map(places.groups);
    let more = false;
    // Group after group, with a pause between them: what is settled meanwhile is seen in some and not in others.
    for (const group of [...groups.keys()].filter((one) => wanted?.has(one) ?? true).sort((a, b) => a - b)) {
      const urls = groups.get(group) ?? [];
      for (let n = (reached.get(group)?.major ?? 0) + 1; n <= urls.length; n++) {
        if (entries.length >= limit) {
          more = true;
          break;
        }
        const place = { major: n, minor: 0 };
        const url = urls[n - 1] as Url;
        entries.push({ kind: 'record', group, place, url, record: { url } as PageRecord });
        reached.set(group, place);
      }
      await pause();
    }
    if (places.history !== history) throw staleCursor('replaced');
    const shown = kinds.includes('record') ? entries : [];
    return {
      entries: shown,
      cursor: encodeCursor({ ...places, groups: reached }),
      cursorAt: cursorsWithin(places, shown, () => noMark),
      more,
      absent: [],
    };
  }

  function add(group: number): string {
    const url = `http://${group}.test/${settled++}`;
    const urls = groups.get(group) ?? [];
    groups.set(group, urls);
    urls.push(url);
    return url;
  }

  return {
    after: (crawl, cursor, query) => after(crawl, cursor, query),
    afterIn: after,
    async newest() {
      askedForNewest++;
      await pause();
      const places = Array.from(
        groups,
        ([group, urls]) => [group, { major: urls.length, minor: 0 }] as const,
      );
      return encodeCursor({ history, mark: noMark, next: 0, groups: new Map(places) });
    },
    edgesOf: () => Promise.resolve([]),
    itemsOf: () => Promise.resolve([]),
    onSettled: (listener) => listeners.add(listener),
    settle(group) {
      const url = add(group);
      listeners.tell({ crawl: memoryCrawl, group });
      return url;
    },
    settleSilently: add,
    settleMany(group, count) {
      for (let n = 0; n < count; n++) add(group);
      listeners.tell({ crawl: memoryCrawl, group });
    },
    replace() {
      groups = new Map();
      history = `h${Number(history.slice(1)) + 1}`;
    },
    get asked() {
      return asked;
    },
    get askedForNewest() {
      return askedForNewest;
    },
    lookedAt,
    get urls() {
      return groups;
    },
  };
}
