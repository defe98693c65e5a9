import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { PageRecord } from '@webfarer/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, exportCsv } from './export-csv.ts';
import { exportJsonl } from './export-jsonl.ts';
import { each, recordOf } from '../records.fixture.ts';

async function written(run: (out: PassThrough) => Promise<number>): Promise<{ rows: number; text: string }> {
  const out = new PassThrough();
  const all = text(out);
  const rows = await run(out);
  out.end();
  return { rows, text: await all };
}

/** RFC 4180, written for this test only. */
function parseCsv(line: string): string[] {
  const cells: string[] = [];
  for (let rest = line.slice(0, -2); ; ) {
    const [whole = '', quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^,"]*))/.exec(rest) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(whole.length);
    if (rest === '') return cells;
    expect(rest[0]).toBe(',');
    rest = rest.slice(1);
  }
}

describe('exports', () => {
  it('writes one line a record, at the pace of the reader', async () => {
    const records = Array.from({ length: 3_000 }, (_, i) =>
      recordOf(`https://example.org/${i}`, { title: `a "b", ${i}` }),
    );
    const csv = await written((out) => exportCsv(each(records), out));
    expect(csv.rows).toBe(3_000);
    const lines = csv.text.split('\r\n');
    expect(lines).toHaveLength(3_002);
    expect(lines[0]).toMatch(/^url,verdict,reason,status,/);
    expect(lines[3_000]).toContain(
      'https://example.org/2999,done,ok,200,,text/html,,,,"a ""b"", 2999",10000,',
    );
    const jsonl = await written((out) => exportJsonl(each(records), out));
    expect(jsonl.rows).toBe(3_000);
    expect(
      jsonl.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as PageRecord),
    ).toEqual(records);
  });

  it('never lets a cell begin like a formula, and loses nothing else', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '＝1', '=HYPERLINK("x";"y")'),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const back = parseCsv(csvLine(cells));
        expect(back.map((text) => text.replace(/^'/, ''))).toEqual(
          cells.map((text) => text.replaceAll('\0', '').replace(/^'/, '')),
        );
        for (const text of back) expect(text).not.toMatch(/^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/);
      }),
    );
    expect(csvLine([-5, true, undefined])).toBe('-5,true,\r\n');
  });

  it('ends when the reader goes away', async () => {
    const out = new PassThrough();
    out.destroy(new Error('closed'));
    out.on('error', () => {});
    await expect(exportJsonl(each([recordOf('https://example.org/')]), out)).rejects.toThrow('closed');
  });
});
