import type { LeaseReport, Offer, ReportAnswer, Settlement } from '@webfarer/protocol';

/** In each of two generations; about 10 MB in all. What is forgotten is offered once more, which changes nothing. */
const MOST = 50_000;

/**
 * What this process has offered and the store has said it knows. A URL that is known stays so as long as the crawl
 * runs, and offering it again changes nothing; most links of most pages are such. Leaving them out spares the one
 * process that all others wait for half of its work.
 */
export interface KnownOffers {
  /** The same reports without what is known. */
  without(reports: LeaseReport[]): LeaseReport[];
  /** Takes note of what was reported so, and how it was answered. */
  learn(reports: LeaseReport[], answers: readonly ReportAnswer[]): void;
}

export function createKnownOffers(most = MOST): KnownOffers {
  let young = new Set<string>();
  let old = new Set<string>();

  const isNew = ({ url }: Offer) => !young.has(url) && !old.has(url);
  const trimmed = (one: Settlement): Settlement =>
    one.kind === 'outcome' ? { ...one, offers: one.offers.filter(isNew) } : one;

  function add({ url }: Offer): void {
    if (young.has(url)) return;
    // A copy: a part of a page's text would keep the whole page.
    young.add(Buffer.from(url).toString());
    if (young.size < most) return;
    old = young;
    young = new Set();
  }

  return {
    without: (reports) =>
      reports.map((report) => ({
        ...report,
        settled: report.settled.map(trimmed),
        ...(report.offers ? { offers: report.offers.filter(isNew) } : {}),
      })),
    learn(reports, answers) {
      for (const [i, report] of reports.entries()) {
        const offers = offersOf(report);
        const answer = answers[i];
        // Were it fewer, some were over a budget: those are counted each time they are offered.
        if (answer?.ok && answer.accepted + answer.known === offers.length) offers.forEach(add);
      }
    },
  };
}

function offersOf({ settled, offers = [] }: LeaseReport): Offer[] {
  return settled.flatMap((one) => (one.kind === 'outcome' ? one.offers : [])).concat(offers);
}
