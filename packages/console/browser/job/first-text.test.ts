import { parseValue } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { hasMasks, textForSeed, textOfJob } from './first-text.ts';

it('begins with an address and how far to go', () => {
  expect(textForSeed({ seed: 'example.org', stay: 'host' })).toBe(
    'seeds:\n  - example.org\nscope:\n  stay: host\n',
  );
  expect(textForSeed({})).toBe('');
});

it('takes a job over under another name, without what is hidden and whose it was', () => {
  const job = {
    name: 'museum',
    team: 'red',
    seeds: ['https://museum.example/'],
    policy: { name: 'gentle', version: 2 },
    fetch: {
      headers: { 'X-Key': '***' },
      proxy: [{ use: 'http://***@proxy.example:8080' }, { use: 'direct' }],
    },
  };
  expect(hasMasks(job)).toBe(true);
  expect(parseValue(textOfJob(job, 'museum'))).toEqual({
    name: 'museum-2',
    seeds: ['https://museum.example/'],
    fetch: { proxy: [{ use: 'direct' }] },
  });
  expect(hasMasks({ seeds: ['https://a.example/'] })).toBe(false);
});
