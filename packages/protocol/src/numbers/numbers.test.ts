import { describe, expect, it } from 'vitest';
import type { FailedReason, RefusedReason } from '../base/reasons.ts';
import { failedReasons } from '../base/reasons.ts';
import type { StallCause } from '../crawl/stall-causes.ts';
import { stallCauses } from '../crawl/stall-causes.ts';
import { numberOf, numberTable, shownBalance } from './number-table.ts';
import { isBroken, toneOfStatus } from './outcomes.ts';
import { isCalm, shownState, stateTable } from './states.ts';

const balance = { known: 20, queued: 5, leased: 3, done: 8, failed: 2, refused: 2 };

describe('the table of numbers', () => {
  it('says that a 404 is an answer and a broken link', () => {
    const byStatus = { '200': 5, '301': 1, '404': 2 };
    expect(numberOf('done', { balance })).toBe(8);
    expect(numberOf('errorAnswers', { balance, byStatus })).toBe(2);
    expect(isBroken({ verdict: 'done', reason: 'http-4xx', status: 404 })).toBe(true);
  });

  it('tells nothing of what is not known, and never 0 in its place', () => {
    for (const name of Object.keys(numberTable) as (keyof typeof numberTable)[])
      expect(numberOf(name, {}), name).toBeUndefined();
  });

  it('counts what is settled, and its shares', () => {
    expect(numberOf('settled', { balance })).toBe(12);
    expect(numberOf('progress', { balance })).toBe(12 / 20);
    expect(numberOf('failedShare', { balance })).toBe(2 / 12);
  });

  it('adds up links by what left them out', () => {
    const dropped = { scope: 4, excluded: 3, 'not-included': 2, scheme: 1, depth: 9 };
    expect(numberOf('outOfScope', { dropped })).toBe(10);
    expect(numberOf('notQueued', { dropped })).toBe(19);
  });

  it('has no speed and no end for a crawl that does not run', () => {
    for (const state of ['paused', 'stopped', 'finished', 'limited'] as const) {
      expect(numberOf('pagesPerSecond', { state, pagesPerSecond: 3 })).toBe(0);
      expect(numberOf('left', { state, leftMs: 3 })).toBeUndefined();
    }
    expect(numberOf('left', { state: 'running', leftMs: 3 })).toBe(3);
  });

  it('has words in both languages, each once among the parts of the balance', () => {
    const parts = (['known', 'queued', 'leased', 'done', 'failed', 'refused', 'inFlight'] as const).map(
      (name) => numberTable[name].words,
    );
    for (const language of ['en', 'de'] as const)
      expect(new Set(parts.map((words) => words[language])).size).toBe(parts.length);
  });

  it('leases nothing to a crawl that nobody works on', () => {
    expect(shownBalance(balance, true)).toEqual(balance);
    expect(shownBalance(balance, false)).toEqual({ ...balance, leased: 0, queued: 8 });
  });
});

describe('broken links', () => {
  const failed = (reason: FailedReason) => isBroken({ verdict: 'failed', reason });
  it('are the fault of the link, not of our side', () => {
    const ours = (Object.keys(failedReasons) as FailedReason[]).filter((reason) => !failed(reason));
    expect(ours.toSorted()).toEqual([
      'dns-failed',
      'handler',
      'handler-timeout',
      'http-429',
      'item-invalid',
      'login',
      'no-ipv6',
      'poison',
      'proxy-failed',
      'render-crash',
      'render-timeout',
      'step-failed',
    ]);
  });

  it('are not what a rule refused, but for redirects without end', () => {
    const refused = (reason: RefusedReason) => isBroken({ verdict: 'refused', reason });
    expect([refused('robots'), refused('private-address'), refused('redirect-limit')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('have the colour of their status', () => {
    expect([200, 304, 404, 503, 999].map(toneOfStatus)).toEqual([
      'done',
      'accent',
      'client',
      'failed',
      'failed',
    ]);
  });
});

describe('the state that a person is shown', () => {
  const running = (cause: StallCause) => shownState({ state: 'running', stall: { cause } });

  it('tells who has to act', () => {
    expect(shownState({})).toBe('loading');
    expect(shownState({ state: 'running' })).toBe('running');
    expect(running('crawl-delay')).toBe('running');
    expect(running('login')).toBe('logged-out');
    expect(running('no-worker')).toBe('waiting');
    expect(running('server-errors')).toBe('held');
    expect(shownState({ state: 'running', pause: { cause: 'store' }, stall: { cause: 'login' } })).toBe(
      'held',
    );
    expect(shownState({ state: 'running', stall: { cause: 'of-a-later-version' } })).toBe('held');
    for (const state of ['paused', 'stopped', 'limited', 'finished', 'failed'] as const)
      expect(shownState({ state })).toBe(state);
  });

  it('calls a crawl blocked that is over and was allowed nothing', () => {
    const refused = { known: 1, queued: 0, leased: 0, done: 0, failed: 0, refused: 1 };
    expect(shownState({ state: 'finished', balance: refused })).toBe('blocked');
    expect(shownState({ state: 'finished', balance: { ...refused, known: 2, done: 1 } })).toBe('finished');
    expect(shownState({ state: 'finished', balance: { ...refused, known: 0, refused: 0 } })).toBe('finished');
  });

  it('knows every cause, and polite waiting is no trouble', () => {
    for (const cause of Object.keys(stallCauses) as StallCause[])
      expect(stateTable[running(cause)]).toBeDefined();
    expect([isCalm('gap'), isCalm('operator'), isCalm('login'), isCalm('store')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
