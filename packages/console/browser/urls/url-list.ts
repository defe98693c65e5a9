import type { ShownUrl } from '@webfarer/protocol/api';

export interface ListAnswer<Row = ShownUrl> {
  items: Row[];
  next?: string | undefined;
  searched: number;
}

export interface UrlListState {
  /** Rows that were found so far. */
  count: number;
  /** URLs that were looked at for them. */
  searched: number;
  /** All was searched: there are no more rows. */
  isWhole: boolean;
  isAsking: boolean;
  /** It stopped by itself: nothing was found for long, or there are more rows than a screen can show. */
  halt: 'nothing' | 'full' | undefined;
  error: unknown;
}

/** The rows that match, read page by page as a person scrolls, of which only those around the view are kept. */
export interface UrlList<Row = ShownUrl> {
  state(): UrlListState;
  subscribe(changed: () => void): () => void;
  /** Undefined: it is read again. */
  row(index: number): Row | undefined;
  /** These rows are in sight. */
  show(first: number, last: number): void;
  /** After an error or a halt. */
  goOn(): void;
  /** Nothing more is asked, until it is shown again. */
  close(): void;
}

export interface UrlListOptions<Row = ShownUrl> {
  fetchPage(after: string, signal: AbortSignal): Promise<ListAnswer<Row>>;
  /** Rows that are kept around the view, at least. */
  mostKept?: number;
  /** Answers without a row until it asks whether to go on. */
  mostEmpty?: number;
  mostRows?: number;
}

interface Page<Row> {
  after: string;
  next: string | undefined;
  /** Index of its first row. */
  from: number;
  count: number;
  /** Undefined: out of sight, and forgotten. */
  rows: Row[] | undefined;
}

/** Rows before and behind the view that are read ahead. */
const ahead = 100;

export function openUrlList<Row = ShownUrl>(options: UrlListOptions<Row>): UrlList<Row> {
  const { fetchPage, mostKept = 4_000, mostEmpty = 50, mostRows = 500_000 } = options;
  let abort = new AbortController();
  const watchers = new Set<() => void>();
  let pages: Page<Row>[] = [];
  let view = { first: 0, last: 0 };
  let next: string | undefined = '';
  let emptyInRow = 0;
  let state: UrlListState = {
    count: 0,
    searched: 0,
    isWhole: false,
    isAsking: false,
    halt: undefined,
    error: undefined,
  };

  function tell(change: Partial<UrlListState>): void {
    state = { ...state, ...change };
    for (const watcher of watchers) watcher();
  }

  function pageAt(index: number): Page<Row> | undefined {
    let [low, high] = [0, pages.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const page = pages[middle];
      if (!page) return undefined;
      if (index < page.from) high = middle - 1;
      else if (index >= page.from + page.count) low = middle + 1;
      else return page;
    }
    return undefined;
  }

  const distance = ({ from, count }: Page<Row>): number =>
    Math.max(0, from - view.last, view.first - (from + count - 1));

  function forgetFar(): void {
    let kept = 0;
    const held = pages.filter(({ rows }) => rows !== undefined);
    for (const page of held.toSorted((a, b) => distance(a) - distance(b))) {
      if (kept >= mostKept && distance(page) > ahead) page.rows = undefined;
      else kept += page.count;
    }
  }

  /** The page that is in sight and was forgotten, else where the list ends and is looked at. */
  function wanted(): { page: Page<Row> } | { more: string } | undefined {
    const page = pages.find((each) => each.rows === undefined && distance(each) <= ahead);
    if (page) return { page };
    if (next === undefined || state.halt !== undefined || view.last + ahead < state.count) return undefined;
    return { more: next };
  }

  function append(after: string, answer: ListAnswer<Row>): void {
    const { items, searched } = answer;
    next = answer.next;
    emptyInRow = items.length > 0 ? 0 : emptyInRow + 1;
    if (items.length > 0) pages.push({ after, next, from: state.count, count: items.length, rows: items });
    const count = state.count + items.length;
    const halt = emptyInRow >= mostEmpty ? 'nothing' : count >= mostRows ? 'full' : undefined;
    const isWhole = next === undefined;
    tell({ count, searched: state.searched + searched, isWhole, halt: isWhole ? undefined : halt });
  }

  /** A page that is read again may have changed: then what was behind it is read again too, so that no row is missed. */
  function replace(page: Page<Row>, answer: ListAnswer<Row>): void {
    page.rows = answer.items;
    const isSame = answer.next === page.next && answer.items.length === page.count;
    page.count = answer.items.length;
    page.next = answer.next;
    if (!isSame) {
      pages = pages.slice(0, pages.indexOf(page) + 1);
      next = answer.next;
    }
    const last = pages.at(-1);
    tell({ count: last ? last.from + last.count : 0, isWhole: next === undefined });
  }

  async function pump(): Promise<void> {
    if (state.isAsking || state.error !== undefined || !wanted()) return;
    const { signal } = abort;
    tell({ isAsking: true });
    try {
      for (let want = wanted(); want && !signal.aborted; want = wanted()) {
        const after = 'page' in want ? want.page.after : want.more;
        const answer = await fetchPage(after, signal);
        if (signal.aborted) return;
        if ('page' in want) replace(want.page, answer);
        else append(after, answer);
        forgetFar();
      }
      tell({ isAsking: false });
    } catch (error) {
      if (!signal.aborted) tell({ isAsking: false, error });
    }
  }

  return {
    state: () => state,
    subscribe(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    row(index) {
      const page = pageAt(index);
      return page?.rows?.[index - page.from];
    },
    show(first, last) {
      if (abort.signal.aborted) abort = new AbortController();
      view = { first, last };
      forgetFar();
      void pump();
    },
    goOn() {
      emptyInRow = 0;
      tell({ error: undefined, halt: state.halt === 'full' ? 'full' : undefined });
      void pump();
    },
    close() {
      abort.abort();
      state = { ...state, isAsking: false };
    },
  };
}
