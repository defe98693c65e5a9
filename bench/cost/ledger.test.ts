import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { figureNames } from './figures.ts';
import { improved, type Ledger, reasonless, readLedger } from './ledger.ts';

const decisions = readdirSync(join(import.meta.dirname, '../../docs/decisions'));

function ledgerOf(least: number, because?: string): Ledger {
  const entry = { value: 10, least, ...(because === undefined ? {} : { because }) };
  return {
    commit: 'old',
    figures: Object.fromEntries(figureNames.map((name) => [name, entry])) as Ledger['figures'],
  };
}

type Measured = Parameters<typeof improved>[2];

function measuredOf(ratio: number, other?: { value: number; ratio: number }): Measured {
  const error = 0.01;
  const measured = new Map(figureNames.map((name) => [name, { value: 10 / ratio, ratio, error }]));
  return other ? measured.set('peak memory', { ...other, error }) : measured;
}

describe('the ledger', () => {
  test('has every figure, and a decision that exists for each loss that is more than usual', () => {
    const ledger = readLedger();
    expect(Object.keys(ledger.figures)).toEqual(figureNames);
    expect(reasonless(ledger, decisions)).toEqual([]);
  });

  test.each([
    ['none', undefined],
    ['of a decision that does not exist', 'decision 9999'],
    ['in other words', 'it was worth it'],
  ])('finds a larger loss with a reason: %s', (_, because) => {
    expect(reasonless(ledgerOf(0.8, because), decisions)).toEqual(figureNames);
  });

  test('takes a larger loss with its decision', () => {
    expect(reasonless(ledgerOf(0.8, 'decision 0097'), decisions)).toEqual([]);
  });
});

describe('improved', () => {
  test('has the new values and the new commit', () => {
    const after = improved(ledgerOf(0.95), 'new', measuredOf(1.25));
    expect(after).toMatchObject({ ledger: { commit: 'new' } });
    expect('ledger' in after && after.ledger.figures['ten pages']).toEqual({ value: 8, least: 0.95 });
  });

  test('names what is worse, also where CI would pass it', () => {
    const measured = measuredOf(1.25, { value: 11, ratio: 0.96 });
    expect(improved(ledgerOf(0.95), 'new', measured)).toEqual({ worse: ['peak memory'] });
  });

  test('does not take an error of measurement for a loss', () => {
    const measured = measuredOf(1.25, { value: 10.1, ratio: 0.985 });
    expect(improved(ledgerOf(0.95), 'new', measured)).toMatchObject({ ledger: { commit: 'new' } });
  });

  test('takes a loss that a decision allows, once', () => {
    const before = ledgerOf(0.95);
    before.figures['peak memory'] = { value: 10, least: 0.8, because: 'decision 0097' };
    const measured = measuredOf(1, { value: 12, ratio: 0.83 });
    const after = improved(before, 'new', measured);
    // From then on no more than usual may be lost.
    expect('ledger' in after && after.ledger.figures['peak memory']).toEqual({ value: 12, least: 0.95 });
  });

  test('does not take a figure that was not measured', () => {
    const measured = new Map([...measuredOf(1)].filter(([name]) => name !== 'ten pages'));
    expect(improved(ledgerOf(0.95), 'new', measured)).toEqual({ worse: ['ten pages'] });
  });
});
