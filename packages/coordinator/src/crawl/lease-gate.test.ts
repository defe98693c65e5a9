import { expect, it } from 'vitest';
import { createLeaseGate } from './lease-gate.ts';

it('lets leases be granted while nothing speaks against it', () => {
  const told: string[] = [];
  const gate = createLeaseGate(
    { start: () => void told.push('start'), rest: () => void told.push('rest') },
    'outside',
  );
  expect(gate.close('disk')).toBe(true);
  expect(gate.close('disk')).toBe(false);
  expect(gate.open('outside')).toBe(true);
  expect(told).toEqual(['rest']);
  expect(gate.open('disk')).toBe(true);
  expect(gate.open('disk')).toBe(false);
  expect(told).toEqual(['rest', 'start']);
  gate.close('quota');
  gate.open('disk');
  expect(told).toEqual(['rest', 'start', 'rest']);
});
