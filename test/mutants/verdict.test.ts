import { describe, expect, it } from 'vitest';
import type { CaseResult, TestRun } from './run-tests.ts';
import { judgeProof, judgeTest } from './verdict.ts';

const killer = { test: 'gap.test.ts', case: 'keeps the gap' };

function ran(cases: CaseResult[], code: number | undefined = 1): TestRun {
  return { code, stdout: '', tail: 'the end of the output', cases: new Map([['gap.test.ts', cases]]) };
}

describe('a mutant and its test', () => {
  const failed = (message: string) => ran([{ name: 'pace > keeps the gap', passed: false, message }]);

  it('is killed when the named case fails in an assertion', () => {
    const verdict = judgeTest(killer, failed('AssertionError: expected 1 to be 2\n  at gap.test.ts'));
    expect(verdict).toEqual({ outcome: 'killed', because: 'AssertionError: expected 1 to be 2' });
  });

  it('is killed by another error only where the killer expects it', () => {
    const waited = failed('Error: waited 5000 ms in vain for: the end');
    expect(judgeTest(killer, waited).outcome).toBe('invalid');
    expect(judgeTest({ ...killer, says: 'in vain for: the end' }, waited).outcome).toBe('killed');
  });

  it('survives when the named case passes, whatever the others do', () => {
    const cases = [
      { name: 'pace > keeps the gap', passed: true, message: '' },
      { name: 'pace > another', passed: false, message: 'AssertionError' },
    ];
    expect(judgeTest(killer, ran(cases)).outcome).toBe('survived');
  });

  it('is not killed by a file that cannot be loaded, nor by the deadline', () => {
    expect(judgeTest(killer, ran([]))).toMatchObject({ outcome: 'invalid' });
    expect(judgeTest(killer, { ...failed('AssertionError'), code: undefined }).outcome).toBe('invalid');
  });
});

describe('a mutant and its proof', () => {
  const proof = { proof: 'kill', args: ['--quick'], field: 'lost' };
  const judged = (line: object, killer = proof, unchanged = { ok: true, lost: 0, part: { lost: 0 } }) =>
    judgeProof(killer, { code: 1, stdout: `noise\n${JSON.stringify(line)}\n`, tail: '' }, unchanged);

  it('is killed when the proof does not hold and its field differs', () => {
    expect(judged({ ok: false, lost: 3 })).toEqual({ outcome: 'killed', because: 'lost: 3' });
  });

  it('is killed in the part of a proof that its field names', () => {
    const killer = { ...proof, field: 'part.lost' };
    expect(judged({ ok: false, part: { lost: 3 } }, killer).because).toBe('part.lost: 3');
    expect(judged({ ok: false, lost: 3, part: { lost: 0 } }, killer).outcome).toBe('invalid');
    expect(judged({ ok: false }, killer).outcome).toBe('invalid');
  });

  it('survives a proof that holds', () => {
    expect(judged({ ok: true, lost: 0 }).outcome).toBe('survived');
  });

  it('is not killed by a proof that stumbles, or fails for another reason', () => {
    expect(judged({ ok: false, error: 'SyntaxError' }).outcome).toBe('invalid');
    expect(judged({ ok: false, lost: 0, restartMs: 9_000 }).outcome).toBe('invalid');
  });
});
