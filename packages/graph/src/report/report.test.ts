import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import fc from 'fast-check';
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse, serializeOuter } from 'parse5';
import { describe, expect, it } from 'vitest';
import { each, linksOf, recordOf, snapshotOf, unanswered } from '../records.fixture.ts';
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

/** Pages and where they link to. */
type Links = [from: string, ...to: string[]][];

const edgesOf = (links: Links) =>
  links.map(([from, ...to]) =>
    linksOf(
      from,
      to.map((url) => ({ to: url as Url, rel: 'a' })),
    ),
  );

const render = (records: PageRecord[], links: Links = [], maxRows = 2_000) =>
  renderReport({
    snapshot: snapshotOf(),
    records: () => each(records),
    edges: () => each(edgesOf(links)),
    limits: { pages: 5_000, durationMs: 3_600_000 },
    maxRows,
  });

const page = 'https://example.org/page' as Url;

/** Every picture that a report of several hosts has. */
const pictureIds =
  'rate bytes trouble status depth answer-times latency sizes redirect-lengths types type-bytes share-charset share-languages '
    .concat(
      'share-tlds share-servers share-tls host-pages host-bytes host-errors paths found host-graph degrees linked-hosts exclusions left-out',
    )
    .split(' ');

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
      [
        [page, 'https://dead.test/x', 'https://dead.test/x'],
        ['https://other.test/p', 'https://dead.test/x'],
      ],
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
    expect(rowsOf(text, 'hosts')[0]).toEqual(['example.org', '2', '2', '1', '920 kB', '122 ms']);
    expect(text).toContain('2 broken links on 2 pages');
    expect(text).toContain('✓ adds up');
  });

  it('says so when the sheet does not add up', async () => {
    const snapshot = snapshotOf({
      balance: { known: 9, queued: 0, leased: 0, done: 1, failed: 1, refused: 1 },
    });
    const text = await renderReport({ snapshot, records: () => each([]), edges: () => each([]) });
    expect(text).toContain('✗ does not add up');
    expect(text).not.toContain('✓ adds up');
  });

  it('caps the rows, and counts the rest', async () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      recordOf(`https://example.org/${i}`, { status: 404, reason: 'http-4xx', durationMs: i }),
    );
    const text = await render(many, [], 10);
    expect(rowsOf(text, 'broken')).toHaveLength(10);
    expect(text).toContain('10 of 50 shown; the rest is in results.jsonl.');
    expect(rowsOf(text, 'slow')[0]?.[0]).toBe('49 ms');
  });

  it('lets nothing a site wrote act: no tag, attribute or handler comes out of text', async () => {
    // Tags, and what may stand in them, as pages of harmless sites have them.
    const shape = (all: Element[]) =>
      new Set(all.flatMap((e) => e.attrs.map((a) => `${e.tagName} ${a.name}`)));
    const urls = Array.from({ length: 90 }, (_, i) => `https://h${i}.test/a/b/c/${i}`);
    const home = 'https://example.org/';
    const plainRecords = [
      recordOf(`${home}x/y?z`, { status: 404, title: 't', detail: 'd', server: 's', referrer: home as Url }),
      recordOf(home, { depth: 0, redirectTo: `${home}x` as Url }),
      unanswered(`${home}r`, { verdict: 'refused', reason: 'robots', detail: 'd' }),
    ];
    const many = urls.map((url) => recordOf(url, { depth: 0 }));
    const allowed = new Set([
      ...shape(elements(await render(plainRecords, [[home, `${home}x`, ...urls]]))),
      ...shape(elements(await render([...plainRecords, ...many], [[home, ...urls]]))),
    ]);
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        '<!--',
        ']]>',
        '</style><svg/onload=alert(1)>',
        '</title></textPath></text></svg><script>alert(1)</script>',
        '</td></table></details><iframe src=//x>',
        '\u202egpj.exe',
        '${alert(1)}',
        '&lt;script&gt;',
        '\0<b>',
        '\ud800',
        '',
      ),
    );
    const site = ([path, title, detail]: [string, string, string], i: number) => {
      const texts = { title: `t${title}`, detail, mime: `m${title}`, mimeDetected: detail, digest: title };
      const dirty = { ...texts, charset: title, language: detail, server: title, tls: detail };
      const url = `${home}${i}/${path}`;
      const records = [
        recordOf(url, { ...dirty, status: 404, referrer: `${home}${detail}` as Url }),
        recordOf(`${home}${i}`, { ...dirty, depth: 0, redirectTo: url as Url }),
        unanswered(`${home}r${i}`, { verdict: 'refused', reason: 'robots', detail }),
        recordOf(`https://${title.replace(/[/\s]/g, '')}.test/`, dirty),
      ];
      const to = [url, `https://other.test/${title}`, `https://${detail.replace(/[/\s]/g, '')}.test/`];
      return { records, links: [[home, ...to]] as Links };
    };
    // Several at once, because a page takes long to parse.
    const sites = fc.array(fc.tuple(hostile, hostile, hostile), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sites, async (chosen) => {
        const all = chosen.map(site);
        const text = await render(
          all.flatMap(({ records }) => records),
          all.flatMap(({ links }) => links),
        );
        const seen = elements(text.replaceAll('\r', ' '));
        expect([...shape(seen)].filter((pair) => !allowed.has(pair))).toEqual([]);
        expect(seen.filter((e) => e.tagName === 'script')).toHaveLength(1);
        const hrefs = seen.map((element) => attribute(element, 'href') ?? '#');
        expect(hrefs.filter((href) => !/^(?:https:\/\/|#)/.test(href))).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });

  it('stays below 5 MB, however many and however long the texts', async () => {
    const long = (i: number) => `https://h${i % 750}.test/${'<"&>'.repeat(400)}/${i}`;
    const records = Array.from({ length: 3_000 }, (_, i) => {
      const parts = {
        title: `${'&'.repeat(300)}${i}`,
        referrer: long(i + 1) as Url,
        depth: i % 50,
        looksEmpty: true,
      };
      const more = {
        mime: `a/${i}`,
        mimeDetected: `b/${i}${'<'.repeat(200)}`,
        charset: `c${i}`,
        server: `s${i}`,
        language: `l${i}`,
      };
      const url = long(i);
      if (i % 4 === 1)
        return unanswered(url, {
          verdict: 'refused',
          reason: 'robots',
          detail: `${'"'.repeat(200)}${i}`,
          ...parts,
        });
      if (i % 4 === 2)
        return unanswered(url, { verdict: 'failed', reason: 'timeout', detail: `<${i}>`, ...parts });
      return recordOf(url, {
        ...parts,
        ...more,
        status: i % 4 === 3 ? 404 : 200,
        redirectTo: long(i + 4) as Url,
        digest: `d${i % 750}`,
      });
    });
    const links: Links = records
      .slice(0, 3_000)
      .map(({ url }, i) => [url, long(i + 1), long(i + 7), long(i * 13)]);
    const text = await render(records, links);
    expect(Buffer.byteLength(text)).toBeLessThan(5_000_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(2_000_000);
    expect(text.match(/<tr>/g)?.length).toBeGreaterThan(1_000);
    for (const id of [
      'broken',
      'failed',
      'refused',

      'hosts',
      'copies',
      'slow',
      'largest',
      'empty',
    ])
      expect(
        text
          .slice(text.indexOf(`<section id="${id}"`))
          .split('</section>', 1)[0]
          ?.match(/<tr>/g)?.length,
        id,
      ).toBeGreaterThan(2);
    expect(text).toMatch(/of [\d,]+ shown; the rest is in results\.jsonl/);
  });

  it('has the data of every picture beside it', async () => {
    const links: Links = [[page, 'https://example.org/', 'https://other.test/']];
    const text = await render(
      [recordOf('https://example.org/', { depth: 0 }), recordOf('https://a.test/')],
      links,
    );
    const figures = elements(text).filter((e) => e.tagName === 'figure');
    expect(figures.map((f) => attribute(f, 'id'))).toEqual(expect.arrayContaining(pictureIds));
    for (const one of figures) {
      const inner = elements(`<!doctype html><title>x</title>${serializeOuter(one)}`);
      expect(inner.filter((e) => e.tagName === 'table')).toHaveLength(1);
      expect(inner.some((e) => e.tagName === 'button' && attribute(e, 'class') === 'csv')).toBe(true);
    }
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
    const options = { file, snapshot: snapshotOf(), edges: () => each([]) };
    await expect(writeReport({ ...options, records: broken })).rejects.toThrow('gone');
    expect(await readFile(file, 'utf8')).toBe('before');
    await writeReport({ ...options, records: () => each([]) });
    expect(await readFile(file, 'utf8')).toContain('Nothing was fetched.');
    expect(await readdir(folder)).toEqual(['report.html']);
    await rm(folder, { recursive: true });
  });
});
