import { expect, it } from 'vitest';
import { completionsAt } from './complete.ts';

/** `|` is the cursor. */
function at(marked: string, options = {}) {
  const { items, from } = completionsAt(marked.replace('|', ''), marked.indexOf('|'), options);
  return { labels: items.map(({ label }) => label), from, items };
}

it('offers the fields that may stand at the cursor, with what they mean', () => {
  expect(at('li|').labels).toEqual(['limits']);
  const { items, labels } = at('limits:\n  depth: 3\n  p|');
  expect(labels).toEqual(['pages', 'perHost', 'perSite']);
  expect(items[0]).toMatchObject({ insert: 'pages: ', usual: '5000' });
  expect(items[0]?.description).toContain('Pages done');
  expect(items[1]?.insert).toBe('perHost:\n    ');
  expect(at('se|').items[0]?.insert).toBe('seeds:\n  - ');
});

it('leaves out what is there already, above and below', () => {
  expect(at('limits:\n  pages: 1\n  p|\n  perSite:\n    pages: 3\nname: x').labels).toEqual(['perHost']);
  expect(at('seeds: [a]\nn|\nname: x').labels).toEqual(['normalise']);
});

it('finds its place in lists, and below a list', () => {
  expect(at('politeness:\n  hosts:\n    - match: a.example\n      |').labels).toEqual([
    'gap',
    'connections',
    'block',
  ]);
  expect(at('politeness:\n  hosts:\n  - match: a.example\n    gap: 3s\n  - b|').labels).toEqual(['block']);
  expect(at('politeness:\n  hosts:\n    - match: a.example\n  per|').labels).toEqual([
    'perHost',
    'perAddress',
  ]);
});

it('offers the values of a field', () => {
  expect(at('scope:\n  stay: |').labels).toEqual(['path', 'host', 'site', 'web']);
  expect(at('scope:\n  stay: h|').labels).toEqual(['host']);
  expect(at('scope:\n  stay: host|').labels).toEqual([]);
  expect(at('robots:\n  obey: |').labels).toEqual(['true', 'false']);
  expect(at('policy: m|', { known: { policy: ['museums', 'a b'] } }).labels).toEqual(['museums']);
  expect(at('save:\n  - m|').labels).toEqual(['markdown']);
});

it('offers nothing in comments, in texts and where nothing is known', () => {
  for (const marked of ['# li|', 'name: "li|', 'nothing:\n  li|', 'limits: { p|', 'scope:\n  stay: [h|'])
    expect(at(marked).labels).toEqual([]);
});

it('offers only the fields of a policy in a policy', () => {
  expect(at('s|', { fields: ['scope', 'limits'] }).labels).toEqual(['scope']);
});
