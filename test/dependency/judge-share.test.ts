import { expect, it } from 'vitest';
import { judgeShare, type Measured } from './judge-share.ts';

const idle = (used: number): Measured => ({ used, wanted: used });
const judged = (bound: Measured, unbound: Measured) =>
  judgeShare({ share: 0.25, within: 0.05, bound, unbound });

it('judges a share by what was used and wanted, and by a control that wants far more', () => {
  expect(judged(idle(0.24), idle(0.98))).toEqual({ isWrong: false, isEasy: false });
  expect(judged(idle(0.31), idle(0.98))).toEqual({ isWrong: true, isEasy: false });
  expect(judged(idle(0.1), idle(0.98))).toEqual({ isWrong: true, isEasy: false });
  // Others left it less than its share.
  expect(judged({ used: 0.12, wanted: 0.5 }, idle(0.6))).toEqual({ isWrong: false, isEasy: false });
});

it('says nothing where the machine leaves the control no more than the share', () => {
  expect(judged(idle(0.24), { used: 0.202, wanted: 0.95 })).toEqual({ isWrong: false, isEasy: true });
});
