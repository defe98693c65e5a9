import type { CrawlSnapshot } from '@webfarer/protocol';
import { describe, expect, test } from 'vitest';
import type { Tally } from '../crawl/tally.ts';
import { findings } from './findings.ts';
import { sampleSnapshot } from './snapshot.fixture.ts';
import { balanceLines, type SummaryFacts, summaryLines } from './summary.ts';
import { painter } from '../terminal/text.ts';

const size = { columns: 110, colour: false };

const finished: CrawlSnapshot = sampleSnapshot({
  state: 'finished',
  elapsedMs: 3_200_000,
  balance: { known: 1310, queued: 0, leased: 0, done: 1274, failed: 9, refused: 27 },
  byStatus: { '200': 1196, '301': 50, '302': 11, '404': 17 },
  byReason: {
    ok: 1196,
    redirect: 61,
    'http-4xx': 17,
    'http-5xx': 6,
    timeout: 3,
    robots: 21,
    type: 4,
    trap: 2,
  },
  dropped: { scope: 6000, excluded: 120, nofollow: 8 },
});

const counts: Tally = {
  records: 1310,
  pagesRead: 1274,
  byStatus: {},
  broken: 17,
  robotsRules: [{ rule: 'robots.txt line 14 "Disallow: /search"', count: 21 }],
  looksEmpty: 38,
  truncated: 0,
  triesFor5xx: 4,
};

function facts(change: Partial<SummaryFacts> = {}): SummaryFacts {
  return {
    summary: { state: 'finished', snapshot: finished, balance: finished.balance },
    ending: 'finished',
    tally: counts,
    thresholds: [],
    findings: findings(finished, counts, (words) => `webfarer ${words}`),
    saved: ['archive/ 2 files 148 MB', 'results.jsonl 1,310', 'report.html', 'crawl.json'],
    folder: 'example.org.crawl',
    goOn: 'npx webfarer crawl example.org',
    next: ['open example.org.crawl/report.html', 'webfarer export --csv'],
    ...change,
  };
}

describe('summary', () => {
  test('a crawl whose hosts were ruled away is not simply finished', () => {
    const all = facts();
    const snapshot = { ...finished, byReason: { ...finished.byReason, blocked: 200, 'opt-out': 30 } };
    const [head] = summaryLines({ ...all, summary: { ...all.summary, snapshot } }, size);
    expect(head).toContain('blocks and opt-outs refused 230 of 1310 URLs');
    expect(summaryLines(all, size)[0]).not.toContain('refused');
  });
  test('links beyond a limit are not called out of scope', () => {
    const all = facts();
    const snapshot = { ...all.summary.snapshot, dropped: { scope: 3, depth: 11, cost: 2 } };
    const lines = summaryLines({ ...all, summary: { ...all.summary, snapshot } }, size);
    expect(lines.find((line) => line.includes('links'))).toBe(
      '    links    out of scope 3   beyond limits.depth 11   beyond limits.cost 2   (counted, not queued)',
    );
  });

  test('a finished crawl: balance, groups, what to look at, what was saved', () => {
    expect(summaryLines(facts(), size)).toMatchInlineSnapshot(`
      [
        "  finished in 53:20",
        "  known 1,310 = queued 0 + leased 0 + done 1,274 + failed 9 + refused 27   ✓ adds up",
        "    done     200 1,196   redirect 61   404 17",
        "    failed   5xx after 4 tries 6   timeout 3",
        "    refused  robots 21   type 4   trap 2",
        "    links    out of scope 6,120   nofollow 8   (counted, not queued)",
        "  look at",
        "    17 broken links                                         webfarer report --broken",
        "     6 URLs ended in 5xx                                    webfarer retry --status 5xx",
        "    21 refused: robots.txt line 14 "Disallow: /search"",
        "     2 look like an endless space (calendar, session ids)   webfarer report --skipped",
        "    38 pages look empty without JavaScript                  listed in report.html",
        "  saved    example.org.crawl/  archive/ 2 files 148 MB · results.jsonl 1,310 · report.html · crawl.json",
        "  next     open example.org.crawl/report.html · webfarer export --csv",
      ]
    `);
  });

  test('an interrupted crawl says that nothing is lost and how to go on', () => {
    const balance = { known: 1273, queued: 1207, leased: 0, done: 54, failed: 0, refused: 12 };
    const snapshot = sampleSnapshot({ state: 'stopped', elapsedMs: 130_000, balance });
    const lines = summaryLines(
      facts({ summary: { state: 'stopped', snapshot, balance }, ending: 'interrupted' }),
      size,
    );
    expect(lines).toEqual([
      '  stopped after 02:10',
      '  known 1,273 = queued 1,207 + leased 0 + done 54 + failed 0 + refused 12   ✓ adds up',
      '  Nothing is lost. Resume with:  npx webfarer crawl example.org',
    ]);
  });

  test('a limit names itself and the way on', () => {
    const balance = { ...finished.balance, known: 1320, queued: 10 };
    const summary = { state: 'limited' as const, limitedBy: 'pages' as const, snapshot: finished, balance };
    const lines = summaryLines(
      facts({ summary, ending: 'limited', goFurther: 'webfarer crawl example.org --limit 10000' }),
      size,
    );
    expect(lines[0]).toBe('  page limit reached after 53:20; 10 URLs stay queued');
    expect(lines).toContain('  go on    webfarer crawl example.org --limit 10000');
  });

  test('a limit of hosts says how many URLs it refused, though nothing stays queued', () => {
    const balance = { ...finished.balance, queued: 0 };
    const snapshot = { ...finished, state: 'limited' as const, byReason: { 'host-budget': 71_964 } };
    const summary = { state: 'limited' as const, limitedBy: 'perHost' as const, snapshot, balance };
    const [head] = summaryLines(facts({ summary, ending: 'limited' }), size);
    expect(head).toContain('limit of hosts reached after 53:20; limits.perHost refused 71964 URLs');
  });

  test('thresholds are marked one by one', () => {
    const thresholds = [
      { of: 'failed', sign: '<' as const, value: 1, percent: true, actual: 0.687, met: true },
      { of: '404', sign: '<=' as const, value: 10, percent: false, actual: 17, met: false },
    ];
    const lines = summaryLines(facts({ thresholds, ending: 'threshold-missed' }), size);
    expect(lines).toContain('  ✓ failed < 1%: 0.69%');
    expect(lines).toContain('  ✗ 404 <= 10: 17');
  });

  test('a balance that does not add up is never called right', () => {
    const wrong = { known: 10, queued: 1, leased: 0, done: 5, failed: 0, refused: 0 };
    expect(balanceLines(wrong, 110, painter(false))[0]).toContain('✗ does not add up');
  });

  test('a narrow terminal gets more lines, not longer ones', () => {
    for (const line of summaryLines(facts(), { columns: 60, colour: false }))
      expect(line.length).toBeLessThan(75);
  });

  test('what comes from the web cannot move the cursor', () => {
    const evil = { ...counts, robotsRules: [{ rule: 'line 1 "\x1b[2J\r"', count: 1 }] };
    const lines = summaryLines(facts({ findings: findings(finished, evil, (w) => w) }), size);
    expect(lines.join('')).not.toMatch(/[\x00-\x1f]/);
  });
});
