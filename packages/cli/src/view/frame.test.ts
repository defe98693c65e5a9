import type { Url } from '@webfarer/protocol';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { frame, frameLines } from './frame.ts';
import { sampleRecord, sampleSnapshot, sampleWait } from './snapshot.fixture.ts';
import { displayWidth } from '../terminal/text.ts';

const wide = { columns: 110, colour: false };

describe('frame', () => {
  test('shows progress, outcomes, the queue with what it waits for, traffic and the last URL', () => {
    expect(frame(sampleSnapshot(), [], wide)).toMatchInlineSnapshot(`
      [
        "  01:32  █░░░░░░░░░░░░░░░░░░░      38 done of 1,262 known     0.4 pages/s   left about 49 min",
        "  200 36   3xx 2   4xx 0   5xx 0   failed 0   refused 12 (robots 12)   out of scope 310",
        "  queued 1,211 in 1 host   leased 1   in flight 1   waiting: www.example.org, next in 1.2 s (crawl-delay)",
        "  4.1 MB in   archive 1 file 3.0 MB   p50 240 ms  p95 910 ms",
        "  https://www.example.org/docs/install                                              200  html    48 kB  0.31 s",
      ]
    `);
  });

  test('a pause for the disk takes two lines and says that nothing is lost', () => {
    const snapshot = sampleSnapshot({
      state: 'running',
      pause: { cause: 'disk', text: '180 MB left on this disk, 500 MB needed.', retryInMs: 5000 },
    });
    expect(frame(snapshot, [], wide).slice(5)).toMatchInlineSnapshot(`
      [
        "  ‖ paused: 180 MB left on this disk, 500 MB needed. It resumes by itself when there is space;",
        "    or Ctrl-C and resume later. 38 done and safe.",
      ]
    `);
  });

  test('a lost network is told with its next try, in the waiting line too', () => {
    const text = 'No network: 3 hosts and DNS do not answer. Paused; no URL is charged.';
    const lines = frame(
      sampleSnapshot({ pause: { cause: 'no-network', text, retryInMs: 15_000 } }),
      [],
      wide,
    );
    expect(lines[5]).toBe(`  ! ${text} Next try in 15 s`);
    expect(lines[2]).toContain('waiting: the network, next try in 15.0 s');
  });

  test('a host without an IPv6 route is named by that in the waiting line', () => {
    const waiting = [sampleWait({ why: 'backoff', reason: 'no-ipv6', dueInMs: 9000 })];
    const [, , queue] = frame(sampleSnapshot({ waiting, inFlight: 0 }), [], wide);
    expect(queue).toContain('waiting: www.example.org, next in 9.0 s (no IPv6 route)');
  });

  test('never more than eight lines, never wider than the terminal', () => {
    const notes = Array.from({ length: 10 }, (_, i) => `note ${i} ${'x'.repeat(200)}`);
    for (const columns of [20, 40, 60, 79, 80, 100, 160]) {
      const lines = frame(sampleSnapshot(), notes, { columns, colour: false });
      expect(lines).toHaveLength(frameLines);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  test('a narrow terminal keeps what matters most', () => {
    const lines = frame(sampleSnapshot(), [], { columns: 60, colour: false });
    expect(lines[1]).toContain('200 36');
    expect(lines[2]).toContain('waiting: www.example.org');
  });

  test('figures that rise and fall keep their width', () => {
    const at = (latency: { p50Ms: number; p95Ms: number }, pagesPerSecond: number, queued: number) =>
      frame(
        sampleSnapshot({
          latency,
          pagesPerSecond,
          balance: { known: 1262, queued, leased: 0, done: 1262 - queued, failed: 0, refused: 0 },
        }),
        [],
        wide,
      );
    const one = at({ p50Ms: 40, p95Ms: 910 }, 0.4, 1211);
    const two = at({ p50Ms: 1400, p95Ms: 12_000 }, 14.2, 7);
    expect(one[0]?.indexOf('pages/s')).toBe(two[0]?.indexOf('pages/s'));
    expect(one[2]?.indexOf('in 1 host')).toBe(two[2]?.indexOf('in 1 host'));
    expect(one[3]?.indexOf('p95')).toBe(two[3]?.indexOf('p95'));
  });

  test('colour adds no width and takes nothing away', () => {
    const plain = frame(sampleSnapshot(), ['stopping'], wide);
    const coloured = frame(sampleSnapshot(), ['stopping'], { ...wide, colour: true });
    expect(coloured.join('')).toContain('\x1b[');
    expect(coloured.map(stripVTControlCharacters)).toEqual(plain);
  });

  test('nothing from the web reaches the terminal as a control sequence', () => {
    const evil = '\x1b[2J\x1b]0;owned\x07\x9b31m\rHTTP\n\u202eevil';
    const snapshot = sampleSnapshot({
      last: sampleRecord({ url: `https://a.example/${evil}` as Url, mime: `text/${evil}` }),
      waiting: [sampleWait({ host: evil as never })],
      pause: { cause: 'no-network', text: evil },
    });
    const text = frame(snapshot, [evil], wide).join('');
    expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  });

  test('the waiting line names the rule that holds a host, and who set it', () => {
    const detail = 'the host rule www.example.org asks for 30s between requests, set by ada';
    const waiting = [sampleWait({ why: 'rule', detail, dueInMs: 9000 })];
    const [, , queue] = frame(sampleSnapshot({ waiting, inFlight: 0 }), [], { ...wide, columns: 200 });
    expect(queue).toContain(`waiting: www.example.org, next in 9.0 s (${detail})`);
  });

  test('the waiting line says what is true', () => {
    const line = (change: Parameters<typeof sampleSnapshot>[0]) => frame(sampleSnapshot(change), [], wide)[2];
    expect(line({ waiting: [sampleWait({ why: 'gap', dueInMs: 400 })], inFlight: 0 })).toContain(
      'waiting: www.example.org, next in 0.4 s (pause between requests)',
    );
    expect(line({ waiting: [], inFlight: 3 })).toContain('waiting: 3 responses');
    expect(line({ waiting: [sampleWait({ dueInMs: 0 })], inFlight: 5 })).toContain('waiting: 5 responses');
    expect(line({ waiting: [sampleWait({ dead: true })], inFlight: 1 })).toContain('1 response');
    expect(line({ waiting: [], inFlight: 0, abandoned: 2 })).toContain(
      'waiting: disconnected workers, or the end of their leases: 2 URLs',
    );
    // The end of a lease of our own is far away and means nothing to the person watching.
    const held = sampleWait({ why: 'held', dueInMs: 120_000 });
    expect(line({ waiting: [held], inFlight: 0 })).toContain(
      'waiting: www.example.org, a pause between its requests',
    );
    expect(line({ waiting: [held], inFlight: 1 })).toContain('waiting: 1 response');
    expect(line({ waiting: [held, sampleWait({ host: 'b.example' as never })] })).toContain(
      'waiting: b.example, next in 1.2 s',
    );
    expect(line({ waiting: [sampleWait({ dueInMs: 0 })], inFlight: 0 })).toContain(
      'starting the next request',
    );
  });
});
