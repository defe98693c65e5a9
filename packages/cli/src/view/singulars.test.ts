import { failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { expect, test } from 'vitest';
import type { Tally } from '../crawl/tally.ts';
import { findings } from './findings.ts';
import { frame } from './frame.ts';
import { sampleSnapshot } from './snapshot.fixture.ts';
import { plainLine } from './plain-view.ts';
import { summaryLines } from './summary.ts';

const balance = { known: 6, queued: 1, leased: 1, done: 1, failed: 1, refused: 2 };
const reasons = [...Object.keys(failedReasons), ...Object.keys(refusedReasons)];
const tally = (n: number): Tally => ({
  records: n,
  pagesRead: n,
  byStatus: { '200': n },
  broken: n,
  robotsRules: [{ rule: 'Disallow: /private', count: n }],
  looksEmpty: n,
  truncated: n,
  triesFor5xx: n,
});
/** A figure of one before a plural, or before a verb that wants one. */
const wrong =
  /(?<![\d.,])1 (?:URLs|hosts|pages(?!\/s)|items|links|errors|bodies|files|seconds|workers|lead|look|stay|tries|broken links)\b/;
const words = (text: string) => text;

/** Each reason by itself: at most six findings are shown at once. */
const alone = (n: number) => [
  ...reasons.map((reason) =>
    findings(sampleSnapshot({ byReason: { [reason]: n } }), { ...tally(0), robotsRules: [] }, words),
  ),
  findings(sampleSnapshot({ byReason: {} }), tally(n), words),
];
const asLines = (n: number) =>
  alone(n)
    .flat()
    .map((finding) => `${finding.count} ${finding.text}`);

test('one of each finding reads as one, several as several', () => {
  const ones = asLines(1);
  expect(ones.length).toBeGreaterThan(9);
  expect(ones.filter((line) => wrong.test(line))).toEqual([]);
  expect(ones).toContain('1 URL ended in 5xx');
  expect(ones).toContain('1 page looks empty without JavaScript');
  expect(asLines(2)).toContain('2 URLs ended in 5xx');
  // The pattern finds what it is to find.
  expect(asLines(2).filter((line) => wrong.test(line.replace(/^2/, '1'))).length).toBeGreaterThan(6);
});

test('one of everything reads as one in the live view, in a log and at the end', () => {
  const snapshot = sampleSnapshot({
    balance,
    hostsQueued: 1,
    inFlight: 1,
    items: 1,
    byStatus: { '200': 1 },
    byReason: { 'http-5xx': 1 },
    archive: { files: 1, bytes: 1000 },
  });
  const size = { columns: 200, colour: false };
  const summary = summaryLines(
    {
      summary: { state: 'limited', snapshot, balance, limitedBy: 'pages' },
      ending: 'finished',
      tally: tally(1),
      thresholds: [],
      findings: findings(snapshot, tally(1), words),
      saved: [],
      folder: './x.crawl',
      goOn: 'webfarer',
      next: [],
    },
    size,
  );
  const lines = [...frame(snapshot, [], size), plainLine(snapshot), ...summary];
  expect(lines.filter((line) => wrong.test(line.replaceAll(/ +/g, ' ')))).toEqual([]);
  expect(summary[0]).toContain('1 URL stays queued');
});
