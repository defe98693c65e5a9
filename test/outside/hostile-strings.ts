import { existsSync, readFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { normaliser } from '@webfarer/protocol/url';
import { type Capture, openSavers, type Saver, sha1Digest } from '@webfarer/worker';
import { readWarc, validateWarc } from '@webfarer/worker/archive';
import { extract } from 'tar-stream';
import { blockOf, warcPaths } from './compare.ts';

export interface Hostile {
  strings: number;
  captures: number;
  /** Captures that the WARC writer refused to write, because a field would have broken a line. */
  refused: number;
  escapes: string[];
}

/** What people and archives have used to leave the folder they were given, or the line they stood in. */
const ways = [
  '../../escaped',
  '..\\..\\escaped',
  '/etc/passwd',
  '//host/share',
  'C:\\escaped',
  'C:escaped',
  '\\\\?\\C:\\x',

  '%2e%2e/%2e%2e/escaped',
  '..%2f..%2fescaped',
  '%2e%2e%5cescaped',
  '..%c0%af..%c0%afescaped',
  '....//....//x',

  './',
  '.',
  '..',
  '...',
  '',
  ' ',
  '~',
  '~root',
  '-rf',
  '--help',
  '$(touch escaped)',
  '`touch escaped`',
  '|x',
  'CON',
  'nul.txt',
  'com1',
  'LPT9.html',
  'aux.',
  'trailing.',
  'trailing ',
  'a:b',
  'a::$DATA',
  'A',
  'a',

  'a/b',
  'a',
  'a/b/c',
  'x/../../../escaped',
  'link/../../escaped',
  '.git/config',
  '.htaccess',
  'index.html/',

  '\0',
  'a\0b',
  'a\r\nX-Evil: yes',
  'a\nWARC-Type: response',
  '\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n',
  '\u010d\u010a',
  '\u2028',
  '\u202e',
  '\u001b[2J',
  'é',
  'e\u0301',
  'x'.repeat(5_000),
  'é'.repeat(300),
];

function hostileStrings(step: number): string[] {
  const file = join(process.env.WEBFARER_CORPORA ?? '', 'strings', 'blns.json');
  if (process.env.WEBFARER_CORPORA !== undefined && existsSync(file))
    return [
      ...ways,
      ...(JSON.parse(readFileSync(file, 'utf8')) as string[]).filter((_, n) => n % step === 0),
    ];
  console.error('  without the corpus of strings: WEBFARER_CORPORA is not set');
  return ways;
}

const kinds = ['warc', 'files', 'tar'] as const;

/** Hands captures made of hostile strings (of the corpus each `step`th) to all savers, and looks for what came out anywhere else. */
export async function tryStrings(root: string, step: number): Promise<Hostile> {
  const folder = join(root, 'crawl');
  const sentinel = join(root, 'escaped');
  await mkdir(folder, { recursive: true });
  await writeFile(sentinel, 'untouched');
  const strings = hostileStrings(step);
  const tried: Hostile = { strings: strings.length, captures: 0, refused: 0, escapes: [] };
  const savers = await openSavers(
    [
      { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
      { kind: 'files', name: '{host}/{label}/{path}' },
      { kind: 'tar', name: '{label}/{host}/{path}', compress: 'none' },
    ],
    {
      folder,
      name: '../../escaped\r\nX: y',
      clock: systemClock(),
      software: 'webfarer/proof',
      baseFolder: folder,
    },
  );
  const bodies = new Map<string, Buffer>();
  for (const capture of capturesOf(strings)) await saveAll(savers, capture, { tried, bodies });
  for (const saver of savers) await saver.stop();

  if ((await readdir(root)).toSorted().join() !== 'crawl,escaped')
    tried.escapes.push('something stands beside the folder');
  if ((await readFile(sentinel, 'utf8')) !== 'untouched') tried.escapes.push('a file outside was written');
  await checkTree(folder, bodies, tried);
  await checkWarcs(folder, tried);
  return tried;
}

function* capturesOf(strings: string[]): Generator<Capture> {
  const normalise = normaliser(resolveJob({ seeds: ['http://evil.test/'] }).normalise);
  let n = 0;
  for (const text of strings) {
    for (const form of [
      `http://evil.test/${text}`,
      `http://evil.test/?q=${text}`,
      `http://evil.test/a/${n}/../${text}`,
    ]) {
      const url = normalise(form);
      if (url !== undefined) yield captureOf(url, text, `body ${n++}`);
    }
    // As if a URL had not been through our rules at all.
    yield captureOf(`http://evil.test/${text}` as Url, text, `body ${n++}`);
  }
}

function captureOf(url: Url, text: string, content: string): Capture {
  const body = Buffer.from(content);
  return {
    entry: { url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0, label: text },
    mime: 'text/html',
    decoded: body,
    digest: sha1Digest(body),
    facts: { links: 1, signals: [text] },
    page: {
      url,
      status: 200,
      statusText: text,
      headers: [
        ['X-Text', text],
        [`X-${text}`, 'value'],
      ],
      requestHead: 'GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n',
      body,
      unread: false,
      startedAtMs: Date.UTC(2025, 0, 1),
      durationMs: 1,
    },
  };
}

interface Notes {
  tried: Hostile;
  bodies: Map<string, Buffer>;
}

async function saveAll(savers: Saver[], capture: Capture, { tried, bodies }: Notes): Promise<void> {
  for (const [n, saver] of savers.entries()) {
    try {
      const at = await saver.save(capture);
      if (kinds[n] === 'warc') tried.captures++;
      if (kinds[n] === 'files' && at) bodies.set(at.file, capture.page.body);
    } catch (error) {
      const refused = error instanceof WebfarerError && error.code === 'internal';
      if (kinds[n] === 'warc' && refused) tried.refused++;
      else tried.escapes.push(`${kinds[n]}: ${String(error)}`);
    }
  }
}

/** Only plain files and folders with harmless names, and each body under its own. */
async function checkTree(folder: string, bodies: Map<string, Buffer>, tried: Hostile): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const kind = await lstat(path);
    if (!kind.isFile() && !kind.isDirectory()) tried.escapes.push(`neither file nor folder: ${path}`);
    if (!isHarmless(entry.name)) tried.escapes.push(`a name that some system cannot bear: ${entry.name}`);
  }
  for (const name of await readdir(join(folder, 'archive')))
    if (/^[^.].*\.tar$/.test(name)) await checkTar(join(folder, 'archive', name), tried);
  for (const [file, body] of bodies) {
    const found = await readFile(join(folder, file)).catch(() => undefined);
    if (!found?.equals(body)) tried.escapes.push(`${file} does not hold its body`);
  }
}

function isHarmless(name: string): boolean {
  return (
    Buffer.byteLength(name) <= 255 &&
    !/[\u0000-\u001f\u007f<>:"|?*\\/]/.test(name) &&
    !/[. ]$/.test(name) &&
    !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)
  );
}

async function checkTar(path: string, tried: Hostile): Promise<void> {
  const tar = extract();
  createReadStream(path).pipe(tar);
  for await (const entry of tar) {
    const { name, type } = entry.header;
    const parts = name.split('/');
    if (type !== 'file' || parts.includes('..') || !parts.every(isHarmless) || name.startsWith('/'))
      tried.escapes.push(`in the tar: ${type} ${name}`);
    entry.resume();
  }
}

/** As many records as were written, and in each as many header lines. */
async function checkWarcs(folder: string, tried: Hostile): Promise<void> {
  let records = 0;
  for (const file of await warcPaths(folder)) {
    const check = await validateWarc(file);
    for (const { text } of check.problems) tried.escapes.push(`in the WARC: ${text}`);
    for await (const record of readWarc(file)) {
      records++;
      if (record.type !== 'response') continue;
      const block = (await blockOf(record)).toString('latin1');
      const lines = block.slice(0, block.indexOf('\r\n\r\n')).split('\r\n');
      if (lines.length !== 3 || /[\r\n\0]/.test(lines.join('')))
        tried.escapes.push(`header lines: ${lines.join(' | ')}`);
    }
  }
  if (records !== 1 + 3 * tried.captures)
    tried.escapes.push(`${records} records of ${tried.captures} captures`);
}
