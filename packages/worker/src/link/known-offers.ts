import {
  type CrawlId,
  type LeaseReport,
  type Offer,
  type ReportAnswer,
  type Settlement,
  WebfarerError,
} from '@webfarer/protocol';

/** In each of two halves of a crawl's cache; about 10 MB in all. A forgotten URL is offered again, which changes nothing. */
const MOST = 50_000;
/** Crawls that have a cache. */
const MOST_CRAWLS = 8;

/**
 * Leaves out of reports what the store has said it knows: most links of most pages. That spares the coordinator half
 * of its work. A URL stays known only as long as the epoch of the store does, so a trimmed report says in which epoch
 * it was trimmed. A store in another epoch rejects it; then the cache is dropped and the report is sent whole.
 */
export interface KnownOffers {
  report(reports: LeaseReport[], send: SendReports): Promise<ReportAnswer[]>;
}

type SendReports = (reports: LeaseReport[]) => Promise<ReportAnswer[]>;

/** What the store knew of one crawl in one epoch. */
interface Cache {
  epoch: string;
  young: Set<string>;
  old: Set<string>;
}

export function createKnownOffers(most = MOST): KnownOffers {
  const caches = new Map<CrawlId, Cache>();

  function trimmed(report: LeaseReport): LeaseReport {
    const cache = caches.get(report.crawl);
    if (!cache) return report;
    const { epoch, young, old } = cache;
    let left = 0;
    const isNew = (offer: Offer) => {
      const key = keyOf(offer);
      const isKnown = young.has(key) || old.has(key);
      if (isKnown) left++;
      return !isKnown;
    };
    const without = (one: Settlement): Settlement =>
      one.kind === 'outcome' ? { ...one, offers: one.offers.filter(isNew) } : one;
    const settled = report.settled.map(without);
    const offers = report.offers?.filter(isNew);
    if (left === 0) return report;
    return { ...report, settled, ...(offers ? { offers } : {}), trimmedIn: epoch };
  }

  function cacheIn(crawl: CrawlId, epoch: string): Cache {
    const there = caches.get(crawl);
    const cache =
      there?.epoch === epoch ? there : { epoch, young: new Set<string>(), old: new Set<string>() };
    caches.delete(crawl);
    caches.set(crawl, cache);
    if (caches.size > MOST_CRAWLS) caches.delete([...caches.keys()][0] as CrawlId);
    return cache;
  }

  function add(cache: Cache, key: string): void {
    if (cache.young.has(key)) return;
    // A copy: a part of a page's text would keep the whole page.
    cache.young.add(Buffer.from(key).toString());
    if (cache.young.size < most) return;
    cache.old = cache.young;
    cache.young = new Set();
  }

  function learn(report: LeaseReport, answer: ReportAnswer | undefined): void {
    if (!answer?.ok || answer.epoch === undefined) return;
    const offers = offersOf(report);
    // Fewer would mean that some were over a budget: those are counted each time they are offered.
    if (answer.accepted + answer.known !== offers.length) return;
    const cache = cacheIn(report.crawl, answer.epoch);
    for (const offer of offers) {
      add(cache, offer.url);
      if (offer.label !== undefined || offer.request !== undefined) add(cache, keyOf(offer));
    }
  }

  async function sendWhole(reports: LeaseReport[], send: SendReports, error: unknown) {
    if (!(error instanceof WebfarerError) || error.code !== 'epoch-changed') throw error;
    for (const { crawl } of reports) caches.delete(crawl);
    return await send(reports);
  }

  return {
    async report(reports, send) {
      const sent = reports.map(trimmed);
      try {
        const answers = await send(sent);
        for (const [i, report] of sent.entries()) learn(report, answers[i]);
        return answers;
      } catch (error) {
        return await sendWhole(reports, send, error);
      }
    },
  };
}

/** A label or data, or being followed as a page, may still change what is queued for a URL that is known without. */
function keyOf({ url, kind, label, request }: Offer): string {
  if (kind === 'page' && label === undefined && request === undefined) return url;
  return `${url}\n${kind}\n${label ?? ''}${request === undefined ? '' : '\nrequest'}`;
}

function offersOf({ settled, offers = [] }: LeaseReport): Offer[] {
  return settled.flatMap((one) => (one.kind === 'outcome' ? one.offers : [])).concat(offers);
}
