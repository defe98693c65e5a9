// watches: packages/worker/src/save, packages/worker/src/markdown, packages/worker/src/fields
// watches: packages/worker/src/documents, packages/worker/src/session, packages/worker/src/worker.ts
// watches: packages/coordinator/src/crawl/job
// misses: Markdown, items or downloads that are missing, doubled or torn after kills
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { copyWith } from '../faults/changed-source.ts';
import { type Random, randomFrom } from '../fuzz/random.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';
import { startTextSite, type TextSite } from './text-site.ts';

const sizes = { quick: { pages: 24, kills: 1 }, full: { pages: 150, kills: 20 } } as const;

/** What a copy of the product does when its environment says so. */
const spoilt = [
  // It ends itself when its savers are on disk and the outcomes are not yet reported.
  {
    file: 'packages/worker/src/worker.ts',
    from: 'async function secureAll(',
    to: 'let synced = 0;\nasync function secureAll(',
  },
  {
    file: 'packages/worker/src/worker.ts',
    from: 'await Promise.all(savers.map((saver) => saver.sync()));',
    to: `await Promise.all(savers.map((saver) => saver.sync()));
  const wrote = savers.some((saver) => saver.written().bytes > 0);
  if (wrote && ++synced === Number(process.env['DIE_AT'])) process.kill(process.pid, 'SIGKILL');`,
  },
  // Without the memory of what was written, a page that is fetched again has two lines.
  {
    file: 'packages/worker/src/save/markdown/jsonl-saver.ts',
    from: 'if (written.has(key)) return undefined;',
    to: "if (written.has(key) && process.env['FORGET'] === undefined) return undefined;",
  },
  // It gives a file its name when half of it is written, and dies.
  {
    file: 'packages/worker/src/save/savers/files-saver.ts',
    from: 'await handle.writeFile(body);',
    to: `if (process.env['HALVE'] === undefined) await handle.writeFile(body);
        else {
          await handle.writeFile(body.subarray(0, body.length / 2));
          await moveFile(partial, path);
          process.kill(process.pid, 'SIGKILL');
        }`,
  },
];

type Form = 'files' | 'jsonl';
const forms: readonly Form[] = ['files', 'jsonl'];

/**
 * `save: markdown` in both forms, `extract:` and `files:`, killed again and again: at a random request, or when the savers
 * are on disk and nothing is reported. In the end every page has exactly one file or line, one item and its downloads, equal
 * to those of a crawl that was left alone; after each kill no file is visible that is not whole. Controls: a product that
 * forgets which lines it wrote, and one that shows half a file. `--kills N`, `--seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const kills = Number(argument(args, '--kills') ?? size.kills);
  const seed = Number(argument(args, '--seed') ?? 1);
  const work = workFolder('texts');
  const sites = await Promise.all(forms.map(() => startTextSite(size.pages)));
  const command = copyWith(spoilt, join(work.path, 'copy'));
  try {
    const results = await Promise.all(
      forms.map(async (form, i) => {
        const site = sites[i] as TextSite;
        const at = (name: string) => join(work.path, `${form}-${name}.crawl`);
        const calm = await crawled({ site, form, folder: at('calm') });
        const whole = textsIn(calm, form);
        const struck = { site, form, folder: at('killed'), command, kills, random: randomFrom(seed + i) };
        const { folder, killed, halves } = await crawlKilled(struck, whole.texts);
        const inControl = await crawlControl({ site, form, folder: at('control'), command }, whole.texts);
        const found = judge(site, form, folder, calm);
        return { form, ...judgeTruth(site, whole.texts), ...found, killed, halves, inControl };
      }),
    );
    const faults = (one: (typeof results)[number]) =>
      one.untrue + one.missing + one.doubled + one.different + one.halves + one.items + one.files + one.open;
    return {
      ok: results.every((one) => faults(one) === 0),
      tooEasy: results.some((one) => one.killed !== kills || one.inControl === 0),
      result: { forms: results, sizes: { ...size, kills, seed } },
    };
  } finally {
    await Promise.all(sites.map((site) => site.stop()));
    work.remove();
  }
}

interface Crawl {
  site: TextSite;
  form: Form;
  folder: string;
}

function jobOf({ site, form }: Crawl): JobInput {
  return {
    name: `texts-${form}`,
    seeds: [`${site.origin}/`],
    contact: 'https://lab.test/crawler',
    limits: { minFree: '50MB' },
    politeness: { gap: '2ms', slowFactor: 0 },
    // The kills are ours: no page is to blame for them.
    fetch: { allowPrivate: [site.origin], retries: { poisonAfter: 35 } },
    extract: [{ pages: '/p/*', fields: { sku: { css: '.sku', required: true } } }],
    save: form === 'files' ? ['warc', { markdown: {} }] : [{ markdown: { as: 'jsonl' } }],
    ...(form === 'files' ? { files: { types: ['text/csv'], from: '**/p/*' } } : {}),
  };
}

interface Spoilt extends Crawl {
  /** The copy that obeys its environment. */
  command: string;
}

/** Left alone. */
async function crawled(crawl: Crawl): Promise<string> {
  const { folder } = crawl;
  await writeJob(`${folder}.json`, jobOf(crawl));
  const crawler = startCrawler(`${folder}.json`, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawler ended with ${code}:\n${crawler.output()}`);
  return folder;
}

interface Struck extends Spoilt {
  kills: number;
  random: Random;
}

/** Killed in turns from outside and by itself; a kill that comes too late for the crawl is repeated in a new folder. */
async function crawlKilled({ command, kills, random, ...crawl }: Struck, whole: Texts) {
  const { site } = crawl;
  let killed = 0;
  let halves = 0;
  let folder = crawl.folder;
  for (let runs = 0; runs < kills * 3; runs++) {
    await writeJob(`${folder}.json`, jobOf(crawl));
    const inside = (killed + forms.indexOf(crawl.form)) % 2 === 1 && killed < kills;
    const env = { DIE_AT: String(inside ? 1 + random.below(3) : 0) };
    const crawler = startCrawler(`${folder}.json`, folder, { command, env });
    if (killed < kills && !inside) {
      const strike = site.after(2 + random.below(Math.ceil((site.pages.size * 2) / kills)));
      await Promise.race([strike, crawler.ended]);
      crawler.child.kill('SIGKILL');
    }
    const code = await crawler.ended;
    if (code !== 0 && code !== 'SIGKILL')
      throw new Error(`the crawler ended with ${code}:\n${crawler.output()}`);
    if (code === 'SIGKILL') killed++;
    halves += halvesIn(folder, crawl.form, whole);
    if (code === 0 && killed >= kills) return { folder, killed, halves };
    // It was done before it was killed often enough.
    if (code === 0) folder = `${crawl.folder}-${runs}`;
  }
  return { folder, killed, halves };
}

/** What the judge counts against a product that is spoilt on purpose. */
async function crawlControl({ command, ...crawl }: Spoilt, whole: Texts): Promise<number> {
  const { folder, form } = crawl;
  await writeJob(`${folder}.json`, jobOf(crawl));
  const env: Record<string, string> = form === 'files' ? { HALVE: 'yes' } : { FORGET: 'yes', DIE_AT: '1' };
  const code = await startCrawler(`${folder}.json`, folder, { command, env }).ended;
  if (code !== 'SIGKILL') throw new Error(`the control ended with ${code}`);
  if (form === 'files') return halvesIn(folder, form, whole);
  await startCrawler(`${folder}.json`, folder, { command, env: { FORGET: 'yes' } }).ended;
  return textsIn(folder, form).doubled;
}

/** What is said of each URL, without the time. */
type Texts = ReadonlyMap<string, string>;

function textsIn(folder: string, form: Form): { texts: Texts; doubled: number } {
  const texts = new Map<string, string>();
  let doubled = 0;
  for (const { url, text } of form === 'files' ? filesIn(folder) : linesIn(folder)) {
    if (texts.has(url)) doubled++;
    texts.set(url, text);
  }
  return { texts, doubled };
}

interface Text {
  url: string;
  text: string;
}

function namesIn(folder: string): string[] {
  const root = join(folder, 'markdown');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.') && /\.\w+$/.test(name),
  );
}

/** A file without a whole head goes by its own name, which no URL has. */
function filesIn(folder: string): Text[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => {
      const content = readFileSync(join(folder, 'markdown', name), 'utf8');
      const [, head = '', text = ''] = /^---\n([^]*?\n)---\n([^]*)$/.exec(content) ?? [];
      const {
        url,
        fetched: _fetched,
        ...facts
      } = Object.fromEntries(
        [...head.matchAll(/^(\w+): (.*)$/gm)].map(([, key = '', value = '']) => [
          key,
          JSON.parse(value) as string,
        ]),
      );
      return { url: url ?? name, text: JSON.stringify([facts, text]) };
    });
}

function linesIn(folder: string): Text[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) =>
      readFileSync(join(folder, 'markdown', name), 'utf8')
        .split('\n')
        .filter(Boolean),
    )
    .map((line) => {
      const { url = '', fetched: _fetched, ...rest } = JSON.parse(line) as Record<string, string>;
      return { url, text: JSON.stringify(rest) };
    });
}

/** Files that can be seen and are not what a crawl that was left alone wrote. */
function halvesIn(folder: string, form: Form, whole: Texts): number {
  if (form === 'jsonl') return 0;
  return filesIn(folder).filter(({ url, text }) => whole.get(url) !== text).length;
}

/** By what the site says: pages without their words. */
function judgeTruth(site: TextSite, texts: Texts): { pages: number; untrue: number } {
  const without = [...site.pages].filter(([url, { words }]) => !texts.get(url)?.includes(words));
  return { pages: site.pages.size, untrue: without.length };
}

function judge(site: TextSite, form: Form, folder: string, calm: string) {
  const whole = textsIn(calm, form).texts;
  const { texts, doubled } = textsIn(folder, form);
  return {
    missing: [...whole.keys()].filter((url) => !texts.has(url)).length,
    doubled,
    different: [...texts].filter(([url, text]) => whole.get(url) !== text).length,
    /** What a finished crawl may not leave. */
    open: namesIn(folder).filter((name) => name.endsWith('.open')).length,
    items: wrongItems(site, folder),
    files: form === 'files' ? wrongFiles(site, folder) : 0,
  };
}

/** By what the site has: pages without exactly one item. */
function wrongItems(site: TextSite, folder: string): number {
  const items = jsonLines(join(folder, 'items.jsonl'));
  const right = [...site.pages].filter(
    ([page, { sku }]) => items.filter(({ url, sku: found }) => url === page && found === sku).length === 1,
  );
  return site.pages.size - right.length + Math.abs(items.length - site.pages.size);
}

/** By what the site has: downloads that are not there exactly once, as served. */
function wrongFiles(site: TextSite, folder: string): number {
  const rows = jsonLines(join(folder, 'files.jsonl'));
  const right = [...site.files].filter(([file, body]) => {
    const mine = rows.filter(({ url }) => url === file);
    return mine.length === 1 && readFileSync(join(folder, mine[0]?.['path'] ?? ''), 'utf8') === body;
  });
  return site.files.size - right.length + Math.abs(rows.length - site.files.size);
}

function jsonLines(file: string): Record<string, string>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, string>);
}
