import { expect, it } from 'vitest';
import { isTry, tryOf } from './try-job.ts';

it('tries a job for twenty pages under another name, and changes nothing else', () => {
  expect(tryOf('# mine\nseeds: [a.example]\nlimits:\n  pages: 9000 # all\n', 'a-try-00ff')).toBe(
    '# mine\nname: a-try-00ff\nseeds: [a.example]\nlimits:\n  pages: 20 # all\n',
  );
});

it('knows a try by its tag and its name, so that no other crawl is deleted without a question', () => {
  expect(isTry({ name: 'a-try-00ff', tags: ['x', 'try'] })).toBe(true);
  expect(isTry({ name: 'a-try-00ff', tags: [] })).toBe(false);
  expect(isTry({ name: 'museum', tags: ['try'] })).toBe(false);
});
