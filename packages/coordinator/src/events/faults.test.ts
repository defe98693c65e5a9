import { type WebfarerEvent, WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createFaults } from './faults.ts';

it('publishes each fault once an hour, with its place where it is a defect, and none while it publishes one', () => {
  const published: WebfarerEvent[] = [];
  let nowMs = 0;
  const faults = createFaults({ now: () => nowMs }, (event) => {
    published.push(event);
    faults.report(new Error('a listener broke'));
  });
  const fault = new TypeError('x is undefined');
  faults.report(fault);
  faults.report(fault);
  faults.report(new WebfarerError('job-invalid', 'no such field'));
  expect(published).toMatchObject([
    {
      type: 'failed',
      code: 'internal',
      message: expect.stringMatching(/^x is undefined \(at .*faults\.test\.ts/),
    },
    { type: 'failed', code: 'job-invalid', message: 'no such field' },
  ]);
  nowMs += 3_600_000;
  faults.report(fault);
  expect(published).toHaveLength(3);
});
