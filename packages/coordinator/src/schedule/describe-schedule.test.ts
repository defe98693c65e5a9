import type { ScheduleInput } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { describeSchedule } from './describe-schedule.ts';
import { someSchedule } from './schedule.fixture.ts';

const words = (change: Partial<ScheduleInput>) =>
  describeSchedule(someSchedule({ timeZone: 'Europe/Paris', ...change }));

it.each([
  [{ every: 1, unit: 'hours' }, 'every hour'],
  [{ every: 90, unit: 'minutes' }, 'every 90 minutes'],
  [{ every: 3, unit: 'days' }, 'every 3 days (Europe/Paris)'],
  [{ cron: '30 4 * * MON' }, 'at 04:30 on Monday (Europe/Paris)'],
  [{ cron: '0 30 4,16 * * 1-5' }, 'at 04:30, 16:30 from Monday to Friday (Europe/Paris)'],
  [{ cron: '0 0 1,15 * *' }, 'at 00:00 on day 1, 15 of the month (Europe/Paris)'],
  [{ cron: '*/10 * * * *' }, 'every 10 minutes every day (Europe/Paris)'],
  [{ cron: '5 * * * 0,6' }, 'every hour at minute 5 on Sunday, Saturday (Europe/Paris)'],
  [{ cron: '0 0 L * *' }, 'by the cron expression 0 0 L * * (Europe/Paris)'],
] as const)('%o is %s', (when, expected) => {
  expect(words({ when })).toBe(expected);
});

it('says from where it counts', () => {
  const timing = 'after-previous';
  expect(words({ when: { every: 1, unit: 'hours' }, timing })).toBe(
    'an hour after the end of the run before',
  );
  expect(words({ when: { every: 2, unit: 'weeks' }, timing })).toBe(
    '2 weeks after the end of the run before',
  );
  expect(words({ when: { cron: '0 4 * * *' }, timing })).toBe(
    'at 04:00 every day (Europe/Paris), the first time after the end of the run before',
  );
});
