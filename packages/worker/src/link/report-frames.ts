import type { LeaseReport, ReportAnswer, Settlement } from '@webfarer/protocol';
import { frameBounds, packReport, type SentReports } from '@webfarer/protocol/link';

/** What one frame carries of some reports: all of them, or a part where one frame would be too large. */
export interface ReportFrame {
  reports: LeaseReport[];
  /** Which report each one of the frame is, or is a part of. */
  of: number[];
}

/** The frame as it is sent. */
export function packFrame(reports: readonly LeaseReport[]): SentReports {
  const edges: Uint8Array[] = [];
  const sent = reports.map((report) => packReport(report, edges));
  return { reports: sent, edges: Buffer.concat(edges).toString('base64') };
}

/** Of one page with all it yielded; the rest of a frame is for what surrounds it. */
const mostPage = frameBounds.bytes * 0.75;

/** Longer ones are cut between two pages; the parts go one after the other, and the last one closes the lease. */
export function reportFrames(
  reports: readonly LeaseReport[],
  most: { bytes: number; reports: number; settled: number } = {
    bytes: frameBounds.reportBytes,
    reports: frameBounds.reports,
    settled: frameBounds.settled,
  },
): ReportFrame[] {
  const frames: ReportFrame[] = [];
  let frame: ReportFrame & { bytes: number } = empty();

  function flush(): void {
    const { reports: gathered, of } = frame;
    if (gathered.length > 0) frames.push({ reports: gathered, of });
    frame = empty();
  }

  for (const [i, report] of reports.entries()) {
    for (const part of parts(fitting(report), most)) {
      const bytes = sizeOf(part);
      if (frame.bytes + bytes > most.bytes || frame.reports.length >= most.reports) flush();
      frame.reports.push(part);
      frame.of.push(i);
      frame.bytes += bytes;
    }
  }
  flush();
  return frames;
}

/** One answer for each report, whatever it was cut into. */
export function joinAnswers(
  count: number,
  frames: readonly ReportFrame[],
  answers: readonly ReportAnswer[][],
): ReportAnswer[] {
  const joined: ReportAnswer[] = Array.from({ length: count }, () => ({ ok: true, accepted: 0, known: 0 }));
  for (const [f, { of }] of frames.entries()) {
    for (const [k, i] of of.entries()) {
      const before = joined[i];
      const answer = answers[f]?.[k] ?? { ok: false };
      if (!before?.ok) continue;
      joined[i] = answer.ok
        ? { ok: true, accepted: before.accepted + answer.accepted, known: before.known + answer.known }
        : answer;
    }
  }
  return joined;
}

function empty() {
  return { reports: [], of: [], bytes: 0 };
}

function* parts(report: LeaseReport, most: { bytes: number; settled: number }): Generator<LeaseReport> {
  const {
    settled,
    robots: _robots,
    offers: _offers,
    cookies: _cookies,
    cookiesLeftOut: _left,
    ...rest
  } = report;
  let begin = 0;
  let bytes = 0;
  let first = true;
  for (const [i, one] of settled.entries()) {
    const size = settlementSize(one);
    if (i > begin && (bytes + size > most.bytes || i - begin >= most.settled)) {
      const piece = settled.slice(begin, i);
      yield first ? { ...report, settled: piece, close: false } : { ...rest, settled: piece, close: false };
      first = false;
      begin = i;
      bytes = 0;
    }
    bytes += size;
  }
  yield first ? report : { ...rest, settled: settled.slice(begin) };
}

/**
 * One page must fit into one frame. What is beyond that is no page a person would miss all of: its links are left out
 * of the graph first, and one with more data than that has failed, with the figure.
 */
function fitting(report: LeaseReport): LeaseReport {
  if (report.settled.every((one) => settlementSize(one) <= mostPage)) return report;
  return { ...report, settled: report.settled.map(cut) };
}

function cut(one: Settlement): Settlement {
  if (one.kind === 'retry' || settlementSize(one) <= mostPage) return one;
  const withoutEdges = { ...one, edges: [] };
  if (settlementSize(withoutEdges) <= mostPage) return withoutEdges;
  const detail = `its data takes ${Math.round(settlementSize(one) / 1_048_576)} MB, more than the link can carry`;
  const record = { ...one.record, verdict: 'failed', reason: 'handler', detail, items: 0 } as const;
  const offers = one.offers.filter(({ request }) => request === undefined).slice(0, 1_000);
  return { ...one, record, items: [], edges: [], offers };
}

/** About what it takes as text; the bounds leave room for what this leaves out. */
function sizeOf({ settled, offers = [], robots = [] }: LeaseReport): number {
  let bytes = 400;
  for (const one of settled) bytes += settlementSize(one);
  for (const { url } of offers) bytes += url.length + 1;
  for (const { body } of robots) bytes += body.length + 200;
  return bytes;
}

function settlementSize(one: Settlement): number {
  if (one.kind === 'retry') return 200 + one.url.length;
  let bytes = 1_000 + one.url.length;
  for (const { url, request } of one.offers)
    bytes += url.length + 1 + (request === undefined ? 0 : JSON.stringify(request).length);
  bytes += 'packed' in one.edges ? one.edges.packed.length * 1.4 : one.edges.length * 100;
  // Items are whatever a scraper made of the page.
  for (const item of one.items) bytes += JSON.stringify(item)?.length ?? 4;
  return bytes;
}
