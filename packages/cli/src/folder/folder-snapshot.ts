import type { CrawlSnapshot } from '@webfarer/protocol';
import type { FolderReader } from '../crawl/local-port.ts';

/** The snapshot of a crawl at rest, from its folder. */
export async function folderSnapshot(reader: FolderReader): Promise<CrawlSnapshot> {
  const [balance, totals] = await Promise.all([reader.balance(), reader.totals()]);
  const settled = balance.done + balance.failed + balance.refused;
  return {
    crawl: reader.crawl,
    name: reader.job.name,
    state: totals.state,
    elapsedMs: reader.elapsedMs,
    balance,
    byStatus: totals.byStatus,
    byReason: totals.byReason,
    dropped: totals.dropped,
    bytes: totals.bytes,
    items: totals.items,
    pagesPerSecond: reader.elapsedMs > 0 ? settled / (reader.elapsedMs / 1000) : 0,
    hostsQueued: 0,
    inFlight: 0,
    waiting: [],
    archive: { files: 0, bytes: 0 },
  };
}
