import { expect, it } from 'vitest';
import { differences } from './differences.ts';

it('tells what changed, came and went, by path', () => {
  const before = {
    name: 'a',
    seeds: ['a.example'],
    limits: { pages: 5000, depth: 3 },
    contact: 'a@b.example',
  };
  const after = {
    name: 'a-2',
    seeds: ['a.example', 'b.example'],
    limits: { pages: 10_000, depth: 3 },
    labels: { product: '/p/*' },
  };
  expect(differences(before, after)).toEqual([
    { path: 'seeds', to: 'b.example' },
    { path: 'limits.pages', from: 5000, to: 10_000 },
    { path: 'contact', from: 'a@b.example' },
    { path: 'labels.product', to: '/p/*' },
  ]);
});

it('knows what holds where nothing was written', () => {
  const [short, long] = [
    { seeds: ['a'] },
    { seeds: ['a'], limits: { pages: 5000 }, scope: { stay: 'site' } },
  ];
  expect(differences(short, long)).toEqual([]);
  expect(differences(short, { seeds: ['a'], limits: { pages: 7 } })).toEqual([
    { path: 'limits.pages', from: 5000, to: 7 },
  ]);
  expect(differences({ seeds: ['a'], render: 'auto' }, short)).toEqual([
    { path: 'render', from: 'auto', to: 'never' },
  ]);
});

it('tells another order, and other kinds of values', () => {
  expect(differences({ save: ['warc', 'tar'] }, { save: ['tar', 'warc'] })).toEqual([
    { path: 'save', from: ['warc', 'tar'], to: ['tar', 'warc'] },
  ]);
  expect(differences({ render: 'auto' }, { render: [{ do: 'always' }] })).toEqual([
    { path: 'render', from: 'auto', to: [{ do: 'always' }] },
  ]);
  expect(differences(null, 'x')).toEqual([]);
});
