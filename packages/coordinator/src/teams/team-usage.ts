/** What a team may use. An absent quota means none, where there is no default. */
export interface TeamQuotas {
  /** Crawls that are not over. */
  crawls?: number | undefined;
  /** Text of the seeds of those crawls, which their coordinators hold in memory. */
  seedBytes?: number | undefined;
  /** Pages that its crawls fetch in a day or a month of UTC. */
  pagesPerDay?: number | undefined;
  pagesPerMonth?: number | undefined;
  /** Bytes of bodies that its crawls receive. */
  bytesPerDay?: number | undefined;
  bytesPerMonth?: number | undefined;
}

/** `team-usage` in the registry, by team. Days and months are those of UTC. */
export interface TeamUsage {
  crawls: CountedCrawl[];
  day: Spent;
  month: Spent;
}

/** What was fetched in a day or a month, by crawls that may be deleted since. */
export interface Spent {
  /** `2026-11-16` or `2026-11`. */
  of: string;
  pages: number;
  bytes: number;
}

/** A crawl that was not over when its team last created one. */
export interface CountedCrawl {
  /** By its name, which it has before anything else. */
  crawl: string;
  atMs: number;
  /** Undefined until it is first seen. */
  id?: string;
  /** Of its totals, what is counted. Undefined: it was there before its team had quotas, and begins with what it has. */
  pages?: number;
  bytes?: number;
}

/** The totals of a crawl, over all coordinators of its store. */
export interface SeenCrawl {
  crawl: string;
  id: string;
  pages: number;
  bytes: number;
}

/** So long after a crawl was created, another one of its name may still be seen. */
const HANDOVER_MS = 60_000;
const dayChars = 10;
const monthChars = 7;

function spentIn(of: string, before: Spent | undefined): Spent {
  return before?.of === of ? before : { of, pages: 0, bytes: 0 };
}

/** The usage as of now: another day or month begins with nothing. */
export function usageAt(usage: TeamUsage | undefined, nowMs: number): TeamUsage {
  const date = new Date(nowMs).toISOString();
  const day = spentIn(date.slice(0, dayChars), usage?.day);
  const month = spentIn(date.slice(0, monthChars), usage?.month);
  return { crawls: usage?.crawls ?? [], day, month };
}

/**
 * Adds what crawls have fetched since they were last counted; the same usage where that is nothing. Totals only grow, so
 * coordinators that see the same crawl, one of them a little late, count each page once. URLs that are retried make them
 * smaller: they are counted once they are more than before.
 */
export function withSeen(usage: TeamUsage, seen: readonly SeenCrawl[], nowMs: number): TeamUsage {
  const crawls = new Map(usage.crawls.map((one) => [one.crawl, one]));
  let [pages, bytes, isChanged] = [0, 0, false];
  for (const one of seen) {
    const known = crawls.get(one.crawl);
    // One of the same name was deleted, and a coordinator has not let go of it yet.
    if (known?.id !== undefined && known.id !== one.id && nowMs - known.atMs < HANDOVER_MS) continue;
    const same = known && (known.id === undefined || known.id === one.id) ? known : undefined;
    const before = { pages: same?.pages ?? one.pages, bytes: same?.bytes ?? one.bytes };
    const now = { pages: Math.max(before.pages, one.pages), bytes: Math.max(before.bytes, one.bytes) };
    pages += now.pages - before.pages;
    bytes += now.bytes - before.bytes;
    if (same?.id === one.id && same.pages === now.pages && same.bytes === now.bytes) continue;
    crawls.set(one.crawl, { crawl: one.crawl, id: one.id, atMs: same?.atMs ?? nowMs, ...now });
    isChanged = true;
  }
  if (!isChanged) return usage;
  const more = (spent: Spent): Spent => ({
    ...spent,
    pages: spent.pages + pages,
    bytes: spent.bytes + bytes,
  });
  return { crawls: [...crawls.values()], day: more(usage.day), month: more(usage.month) };
}

/** A quota that is used up. */
export interface SpentQuota {
  quota: keyof TeamQuotas;
  /** What a person reads: `1,000 of 1,000 pages today`. */
  text: string;
  /** When it begins anew. */
  renewsAtMs: number;
}

const counted = [
  { quota: 'pagesPerDay', of: 'pages', in: 'day' },
  { quota: 'pagesPerMonth', of: 'pages', in: 'month' },
  { quota: 'bytesPerDay', of: 'bytes', in: 'day' },
  { quota: 'bytesPerMonth', of: 'bytes', in: 'month' },
] as const;

/** The quota that is used up for longest; undefined: none is. */
export function spentQuota(quotas: TeamQuotas, usage: TeamUsage, nowMs: number): SpentQuota | undefined {
  const spent = counted.flatMap(({ quota, of, in: span }): SpentQuota[] => {
    const [most, used] = [quotas[quota], usage[span][of]];
    if (most === undefined || used < most) return [];
    const when = span === 'day' ? 'today' : 'this month';
    const text = `${used.toLocaleString('en')} of ${most.toLocaleString('en')} ${of} ${when}`;
    return [{ quota, text, renewsAtMs: nextMs(span, nowMs) }];
  });
  return spent.toSorted((a, b) => b.renewsAtMs - a.renewsAtMs)[0];
}

/**
 * Until the first of the quotas is used up, at the pace since an earlier look. 0 where that is not known, endless where nothing
 * was fetched meanwhile, or there is no such quota.
 */
export function msLeft(
  quotas: TeamQuotas,
  usage: TeamUsage,
  earlier: { usage: TeamUsage; agoMs: number } | undefined,
): number {
  const each = counted.flatMap(({ quota, of, in: span }) => {
    const most = quotas[quota];
    if (most === undefined) return [];
    const [now, then] = [usage[span], earlier?.usage[span]];
    if (!earlier || then?.of !== now.of) return [0];
    const more = now[of] - then[of];
    return [more <= 0 ? Number.POSITIVE_INFINITY : ((most - now[of]) / more) * earlier.agoMs];
  });
  return Math.min(...each, Number.POSITIVE_INFINITY);
}

function nextMs(span: 'day' | 'month', nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return span === 'day' ? Date.UTC(year, month, now.getUTCDate() + 1) : Date.UTC(year, month + 1);
}

/** When a quota begins anew, as people read it. */
export function renewalText({ renewsAtMs }: SpentQuota): string {
  return `${new Date(renewsAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
