import type { ShownUrl } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { takeSteps } from './all-steps.ts';
import { type ExportFormat, exportUrls } from './export-urls.ts';
import type { ListAnswer } from './url-list.ts';

const failed = (n: number, more: Partial<ShownUrl> = {}): ShownUrl => ({
  url: `https://a.test/${n}`,
  state: 'failed',
  kind: 'page',
  depth: 2,
  attempts: 3,
  reason: 'http-5xx',
  status: 503,
  startedAtMs: 0,
  ...more,
});

const pages: Record<string, ListAnswer> = {
  '': { items: [failed(1, { detail: '=HYPERLINK("http://x","y")' }), failed(2)], searched: 10, next: 'b' },
  b: { items: [], searched: 500, next: 'c' },
  c: { items: [failed(3, { label: 'a, b' })], searched: 1 },
};

async function exported(
  format: ExportFormat,
  more: { mostRows?: number; stopAt?: string; failAt?: string } = {},
) {
  const abort = new AbortController();
  let text = '';
  const result = await exportUrls({
    format,
    signal: abort.signal,
    write: (piece) => void (text += piece),
    tell: () => undefined,
    fetchPage(after) {
      if (after === more.stopAt) abort.abort();
      return after === more.failAt ? Promise.reject(new Error('gone')) : Promise.resolve(pages[after]!);
    },
    ...(more.mostRows === undefined ? {} : { mostRows: more.mostRows }),
  });
  return { result, lines: text.trimEnd().split(/\r?\n/) };
}

it('writes every page, empty ones included, as CSV that no spreadsheet runs', async () => {
  const { result, lines } = await exported('csv');
  expect(result).toEqual({ rows: 3, searched: 511, cut: undefined });
  expect(lines).toHaveLength(4);
  expect(lines[1]).toBe(
    `https://a.test/1,,failed,http-5xx,"'=HYPERLINK(""http://x"",""y"")",503,,2,3,page,,,1970-01-01T00:00:00.000Z`,
  );
  expect(lines[3]).toContain(',"a, b",');
});

it('writes one JSON value a line', async () => {
  const { lines } = await exported('jsonl');
  expect(lines.map((line) => (JSON.parse(line) as ShownUrl).url)).toEqual([
    'https://a.test/1',
    'https://a.test/2',
    'https://a.test/3',
  ]);
});

it('says in the file itself that it was cut, and why', async () => {
  const canceled = await exported('jsonl', { stopAt: 'c' });
  expect(canceled.result).toMatchObject({ rows: 2, cut: 'canceled' });
  expect(JSON.parse(canceled.lines.at(-1)!)).toMatchObject({ incomplete: true });
  const broken = await exported('csv', { failAt: 'b' });
  expect(broken.result.cut).toBe('error');
  expect(broken.lines.at(-1)).toBe('# incomplete (error): ends after 2 rows');
  expect((await exported('csv', { mostRows: 1 })).result).toMatchObject({ rows: 1, cut: 'full' });
  expect((await exported('csv', { mostRows: 3 })).result).toMatchObject({ rows: 3, cut: undefined });
});

it('repeats a step until all was looked at, and stops when it is told to', async () => {
  const answers = [
    { moved: 2, searched: 20, next: 'b' },
    { moved: 0, searched: 20, next: 'c' },
    { moved: 1, searched: 5 },
  ];
  const places = ['', 'b', 'c'];
  const step = (after: string) => Promise.resolve(answers[places.indexOf(after)]!);
  const told: number[] = [];
  const whole = await takeSteps(step, new AbortController().signal, ({ moved }) => told.push(moved));
  expect(whole).toEqual({ moved: 3, searched: 45, isWhole: true });
  expect(told).toEqual([2, 2, 3]);
  const abort = new AbortController();
  const cut = await takeSteps(step, abort.signal, () => abort.abort());
  expect(cut).toEqual({ moved: 2, searched: 20, isWhole: false });
});
