import type { PageRecord } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { shownLines } from './explain-shown.ts';

const record = (facts: Partial<PageRecord>): PageRecord => facts as PageRecord;

it('says nothing of a browser where none was asked for, and why a page was not shown', () => {
  expect(shownLines(record({}))).toEqual([]);
  expect(shownLines(record({ renderedWhy: 'no-scripts' }))).toEqual([
    'not shown in a browser: it has no scripts',
  ]);
});

it('says what a page did, what went wrong in it and what is kept of it', () => {
  const errors = [
    'Failed to load resource: the server responded with a status of 404 (Not Found): https://a.example/x.png',
    'Failed to load resource: net::ERR_EMPTY_RESPONSE: https://a.example/y.png',
    ...Array.from({ length: 5 }, (_, n) => `error ${n}`),
  ];
  const lines = shownLines(
    record({
      renderedWhy: 'gains',
      rendered: {
        durationMs: 640,
        loaded: 1,
        errors,
        leftOut: [{ url: 'https://ads.example/x.js', why: 'robots.txt' }],
      },
      saved: [
        {
          saver: 'warc',
          file: 'a.warc.gz',
          offset: 0,
          length: 1,
          renditions: [{ kind: 'dom' }, { kind: 'view' }],
        },
      ] as unknown as NonNullable<PageRecord['saved']>,
    }),
  );
  expect(lines).toEqual([
    'shown in a browser: pages of its kind have more links or text there',
    'made 1 more request in 0.6 s',
    'not loaded: https://a.example/x.png, 404 (Not Found)',
    'not loaded: https://a.example/y.png, net::ERR_EMPTY_RESPONSE',
    ...[0, 1, 2].map((n) => `error in the page: error ${n}`),
    'and 2 more',
    'left out: https://ads.example/x.js (robots.txt)',
    'kept of it: dom, view; webfarer warc cat URL --rendition prints one',
  ]);
});
