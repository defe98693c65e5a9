import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import fc from 'fast-check';
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { each, recordOf, snapshotOf, unanswered } from '../records.fixture.ts';
import { renderReport, writeReport } from './report.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** All elements of a page, in order, as a browser's parser sees them. */
function elements(text: string): Element[] {
  const errors: string[] = [];
  const document = parse(text, { onParseError: (error) => errors.push(error.code) });
  expect(errors).toEqual([]);
  const found: Element[] = [];
  const walk = (node: Node) => {
    if (defaultTreeAdapter.isElementNode(node)) found.push(node);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(document);
  return found;
}

const attribute = (element: Element, name: string) => element.attrs.find((a) => a.name === name)?.value;

function textOf(node: Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** Rows of the table in a section, cell by cell. */
function rowsOf(text: string, id: string): string[][] {
  const section = elements(text).find((e) => e.tagName === 'section' && attribute(e, 'id') === id);
  if (!section) throw new Error(`no section ${id}`);
  const rows: string[][] = [];
  const walk = (node: Node) => {
    if (!('childNodes' in node)) return;
    if ('tagName' in node && node.tagName === 'tr')
      rows.push(node.childNodes.map((cell) => textOf(cell).trim()));
    else for (const child of node.childNodes) walk(child);
  };
  walk(section);
  return rows.slice(1);
}

const render = (records: PageRecord[], linksTo: (url: Url) => Url[] = () => [], maxRows = 2_000) =>
  renderReport({
    snapshot: snapshotOf(),
    records: () => each(records),
    linksTo: async (urls) => new Map([...urls].map((url) => [url, linksTo(url)])),
    limits: { pages: 5_000, durationMs: 3_600_000 },
    maxRows,
  });

const page = 'https://example.org/page' as Url;

describe('report', () => {
  it('puts every record into the tables it belongs to', async () => {
    const text = await render(
      [
        recordOf('https://example.org/', { durationMs: 5_000, title: 'Home' }),
        recordOf('https://example.org/gone', { status: 404, reason: 'http-4xx', referrer: page }),
        unanswered('https://dead.test/x', {
          verdict: 'failed',
          reason: 'timeout',
          detail: 'after 30 s',
          attempts: 3,
        }),
        unanswered('https://example.org/search', {
          verdict: 'refused',
          reason: 'robots',
          detail: 'line 14 "Disallow: /search"',
        }),
        unanswered('https://example.org/mine', { verdict: 'failed', reason: 'handler', detail: 'TypeError' }),
        recordOf('https://example.org/app', { looksEmpty: true, bytes: 900_000 }),
      ],
      (url) => (url.includes('dead') ? [page, 'https://other.test/p' as Url] : []),
    );
    expect(rowsOf(text, 'broken')).toEqual([
      ['404', 'https://example.org/gone', '/page'],
      ['timeout', 'https://dead.test/x', 'https://example.org/pagehttps://other.test/p'],
    ]);
    expect(rowsOf(text, 'failed').map((row) => row[0])).toEqual(['timeout', 'handler']);
    expect(rowsOf(text, 'refused')).toEqual([
      ['robots', 'https://example.org/search', 'line 14 "Disallow: /search"', '(a seed)'],
    ]);
    expect(rowsOf(text, 'slow')[0]?.[0]).toBe('5.00 s');
    expect(rowsOf(text, 'largest')[0]?.[0]).toBe('900 kB');
    expect(rowsOf(text, 'empty')).toHaveLength(1);
    expect(rowsOf(text, 'dropped')[0]).toEqual(['scope', 'outside the stay setting', '12', '100 %']);
    expect(rowsOf(text, 'hosts')[0]).toEqual(['example.org', '3', '2', '1', '920 kB', '122 ms']);
    expect(text).toContain('2 broken links on 2 pages');
    expect(text).toContain('✓ adds up');
  });

  it('says so when the sheet does not add up', async () => {
    const snapshot = snapshotOf({
      balance: { known: 9, queued: 0, leased: 0, done: 1, failed: 1, refused: 1 },
    });
    const text = await renderReport({ snapshot, records: () => each([]), linksTo: async () => new Map() });
    expect(text).toContain('✗ does not add up');
    expect(text).not.toContain('✓ adds up');
  });

  it('caps the rows, and counts the rest', async () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      recordOf(`https://example.org/${i}`, { status: 404, reason: 'http-4xx', durationMs: i }),
    );
    const text = await render(many, () => [], 10);
    expect(rowsOf(text, 'broken')).toHaveLength(10);
    expect(text).toContain('40 more are not shown here: see results.jsonl');
    expect(rowsOf(text, 'slow')[0]?.[0]).toBe('49 ms');
  });

  it('lets nothing a site wrote act: no tag, attribute or handler comes out of text', async () => {
    const plain = elements(
      await render([recordOf('https://example.org/x', { status: 404, title: 't', detail: 'd' })]),
    );
    const shape = (all: Element[]) => all.map((e) => `${e.tagName} ${e.attrs.map((a) => a.name).join(' ')}`);
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        '<!--',
        ']]>',
        '</style><svg/onload=alert(1)>',
        '\u202egpj.exe',
        '${alert(1)}',
        '&lt;script&gt;',
        '\0<b>',
        '\ud800',
      ),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (path, title, detail) => {
        const text = await render([
          recordOf(`https://example.org/x${path}`, {
            status: 404,
            title: `t${title}`,
            detail,
            mime: `m${title}`,
          }),
        ]);
        const seen = elements(text.replaceAll('\r', ' '));
        expect(shape(seen)).toEqual(shape(plain));
        for (const element of seen) {
          const href = attribute(element, 'href');
          if (href !== undefined) expect(href).toMatch(/^(?:https:\/\/example\.org\/|#)/);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('links only to http and https', async () => {
    const text = await render([
      recordOf('javascript:alert(1)//https://example.org/' as Url, { status: 404 }),
      recordOf('data:text/html,<script>alert(1)</script>', { status: 404 }),
    ]);
    const hrefs = elements(text).map((element) => attribute(element, 'href') ?? '#');
    expect(hrefs.every((href) => href.startsWith('#'))).toBe(true);
  });

  it('is complete without a server: nothing is loaded, only its own script runs', async () => {
    const text = await render([recordOf('https://example.org/')]);
    const seen = elements(text);
    expect(seen.filter((e) => ['link', 'img', 'iframe', 'object'].includes(e.tagName))).toEqual([]);
    expect(
      seen.filter((e) => attribute(e, 'src') !== undefined || attribute(e, 'style') !== undefined),
    ).toEqual([]);
    expect(seen.filter((e) => e.tagName === 'script')).toHaveLength(1);
    const policy = seen.map((e) => attribute(e, 'content') ?? '').find((c) => c.includes('default-src'));
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; base-uri 'none'/,
    );
  });

  it('appears whole, or the report before it stays', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webfarer-report-'));
    const file = join(folder, 'report.html');
    await writeFile(file, 'before');
    async function* broken() {
      yield recordOf('https://example.org/');
      throw new Error('gone');
    }
    const options = { file, snapshot: snapshotOf(), linksTo: async () => new Map<Url, Url[]>() };
    await expect(writeReport({ ...options, records: broken })).rejects.toThrow('gone');
    expect(await readFile(file, 'utf8')).toBe('before');
    await writeReport({ ...options, records: () => each([]) });
    expect(await readFile(file, 'utf8')).toContain('Nothing was fetched.');
    expect(await readdir(folder)).toEqual(['report.html']);
    await rm(folder, { recursive: true });
  });
});
