import { resolveJob } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import { judgeUrls } from './judge-urls.ts';

const job = resolveJob({
  seeds: ['https://www.museum.example/', 'https://www.museum.example/map/start'],
  scope: { exclude: ['/map/**'] },
  labels: { work: '/works/*' },
  politeness: { hosts: [{ match: 'shop.museum.example', block: true }] },
  render: [{ match: '/works/*', do: 'always' }],
});

it('judges by the rules of the crawl, and names the rule', () => {
  const typed = [
    'https://www.museum.example/works/3?utm_source=x',
    'museum.example/map/3',
    'https://elsewhere.example/',
    'https://shop.museum.example/',
    'https://www.museum.example:25/',
    'mailto:a@b.example',
  ];
  expect(judgeUrls(job, typed).map(({ typed: _typed, ...rest }) => rest)).toEqual([
    { url: 'https://www.museum.example/works/3', isIn: true, label: 'work', render: 'always' },
    { url: 'https://museum.example/map/3', isIn: false, reason: 'excluded', rule: 'scope.exclude: /map/**' },
    { url: 'https://elsewhere.example/', isIn: false, reason: 'scope', rule: 'scope.stay: site' },
    {
      url: 'https://shop.museum.example/',
      isIn: false,
      reason: 'blocked',
      rule: 'politeness.hosts: shop.museum.example',
    },
    { url: 'https://www.museum.example:25/', isIn: false, reason: 'port', rule: 'fetch.ports: 25' },
    { isIn: false, reason: 'invalid' },
  ]);
});

it('judges at most twenty', () => {
  expect(
    judgeUrls(
      job,
      Array.from({ length: 30 }, () => 'a.example'),
    ),
  ).toHaveLength(20);
});
