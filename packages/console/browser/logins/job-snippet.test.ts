import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { jobSnippet } from './job-snippet.ts';

it.each([
  ['example.org', 'alice', undefined],
  ['93.184.215.14', '007', 'a.log-out'],
  ['xn--bcher-kva.example', 'null', '[data-who="alice"]'],
  ['example.org', 'y', "a[title='log out']"],
])('is read as it is meant: %s %s %s', (site, as, showing) => {
  expect(parse(jobSnippet({ site, as, showing }))).toEqual({
    login: [{ site, as, check: { selector: showing ?? 'a.log-out' } }],
  });
});
