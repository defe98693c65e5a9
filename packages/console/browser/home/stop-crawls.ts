/** What happened to one of many. */
export interface EachDone<T> {
  done: T[];
  failed: { item: T; error: unknown }[];
}

/** Browsers have six connections to a server that speaks HTTP/1.1, and the rest of the page needs some. */
const atOnce = 4;

/** Does the same with many, a few at a time; one that fails does not keep the others from it. */
export async function doEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  tell: (so: EachDone<T>) => void = () => undefined,
): Promise<EachDone<T>> {
  const rest = items.values();
  const so: EachDone<T> = { done: [], failed: [] };
  async function hand(): Promise<void> {
    for (const item of rest) {
      try {
        await work(item);
        so.done.push(item);
      } catch (error) {
        so.failed.push({ item, error });
      }
      tell({ ...so });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, hand));
  return so;
}

export interface StoppableCrawl {
  id: string;
  name: string;
  wanted: string;
}

interface CrawlPages {
  listCrawls(asked: {
    query: { state: ('running' | 'paused')[]; after: string; limit: number };
  }): Promise<{ items: { id: string; name: string; state: string }[]; next?: string | undefined }>;
}

const perPage = 1_000;

/** Every crawl that runs or is paused, however many there are; one that should run and cannot is among those that run. */
export async function openCrawls(client: CrawlPages): Promise<StoppableCrawl[]> {
  const open: StoppableCrawl[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    // Asked in one: a crawl that is paused or resumed meanwhile is neither missed nor listed twice.
    const query = { state: ['running' as const, 'paused' as const], after, limit: perPage };
    const page: Awaited<ReturnType<CrawlPages['listCrawls']>> = await client.listCrawls({ query });
    for (const { id, name, state } of page.items)
      open.push({ id, name, wanted: state === 'paused' ? 'paused' : 'running' });
    after = page.next;
  }
  return open;
}

interface Steering {
  pause(id: string): Promise<unknown>;
  stop(id: string): Promise<unknown>;
}

export interface StopProgress {
  phase: 'pausing' | 'stopping';
  done: number;
  failed: number;
}

/**
 * Stops crawls. A stop waits for what is in flight, which takes seconds, so where there are many they are paused first:
 * nothing new is requested long before the last of them has ended.
 */
export async function stopCrawls<T extends StoppableCrawl>(
  crawls: readonly T[],
  { pause, stop }: Steering,
  tell: (so: StopProgress) => void,
): Promise<EachDone<T>> {
  const running = crawls.filter(({ wanted }) => wanted === 'running');
  const told = (phase: StopProgress['phase']) => (so: EachDone<T>) =>
    tell({ phase, done: so.done.length, failed: so.failed.length });
  // What could not be paused is stopped all the same.
  if (running.length > atOnce) await doEach(running, ({ id }) => pause(id), told('pausing'));
  return await doEach(crawls, ({ id }) => stop(id), told('stopping'));
}
