// watches: packages/graph/src/report, packages/graph/src/stats, packages/graph/src/hostgraph, packages/cli/src/local
// watches: packages/cli/src/view
// misses: reports that break, are unreadable, or run what a site wrote
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeReport } from '../../packages/graph/src/report/report.ts';
import { each, linksOf, recordOf, snapshotOf } from '../../packages/graph/src/records.fixture.ts';
import type { PageRecord, Url } from '@webfarer/protocol';
import type { Browser } from 'playwright-core';
import { startFakeWeb } from '../fake-web/server.ts';
import { openBrowser } from '../outside/browser.ts';
import { type ExplorerLook, lookAtExplorer } from '../outside/look-at-explorer.ts';
import { bothSchemes, lookAtReport, type ReportLook, type Troubles } from '../outside/look-at-report.ts';
import { run } from '../outside/tools.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { briskJob, commandPath, labJob, startCrawler, workFolder, writeJob } from './lab.ts';

const maxBytes = 5_000_000;

/**
 * The reports of a crawl of many hosts, of one site and of a site that hates us, opened in Chromium from disk with no
 * network: each below 5 MB, readable for everybody by axe's judgement in light and dark, the data of every picture
 * and list in the clipboard after one press, no picture cut on a phone, all rows there without script, and nothing a site wrote acting. The pages
 * that `webfarer graph` makes likewise: any page is found, with a way from a seed as long as it says.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const web = quick ? 'S' : 'M';
  const work = workFolder('report');
  const fake = await startFakeWeb({ size: web, seed: 1 });
  const browser = await openBrowser();
  try {
    const looks: Record<string, ReportLook> = {};
    // Both colours of one report and one explorer; in the quick form one of the others.
    const schemes = quick ? (['light'] as const) : bothSchemes;
    const files = {
      web: await crawl('web', work.path, quick ? briskJob(fake).job : labJob(fake)),
      site: await crawl('site', work.path, labJob(fake, { scope: { stay: 'site' } })),
      hostile: await hostileReport(work.path),
    };
    for (const [name, file] of Object.entries(files))
      looks[name] = await lookAtReport(browser, file, name === 'web' ? bothSchemes : schemes);
    const walks = [
      await walk(browser, dirname(files.web), bothSchemes),
      await walk(browser, dirname(files.site), schemes),
    ];
    const all = Object.values(looks);
    const troubles: Troubles[] = [...all, ...walks];
    const sum = (of: (look: ReportLook) => number) => all.reduce((total, look) => total + of(look), 0);
    const result = {
      reports: all.length,
      maxBytes: Math.max(...all.map((look) => look.bytes)),
      figures: sum((look) => look.figures),
      copyable: sum((look) => look.copyable),
      copied: sum((look) => look.copied),
      serious: troubles.flatMap((look) => look.serious),
      requests: troubles.flatMap((look) => look.requests),
      errors: troubles.flatMap((look) => look.errors),
      cut: all.flatMap((look) => look.cut),
      rowsWithoutScript: all.map((look) => look.rowsWithoutScript),
      themes: all.map((look) => look.themes),
      ways: walks.map(({ ways }) => ways),
      hosts: walks.map(({ hosts }) => hosts),
      sizes: { web },
    };
    const clean =
      result.serious.length + result.requests.length + result.errors.length + result.cut.length === 0;
    const usable =
      result.copied === result.copyable && all.every((look) => look.themes && look.rowsWithoutScript > 5);
    const walked = walks.every(({ ways, hosts }) => ways === waysTried && hosts > 1);
    const ok = clean && usable && walked && result.maxBytes < maxBytes && (looks.web?.figures ?? 0) >= 20;
    return { ok, result };
  } finally {
    await browser.close();
    await fake.stop();
    work.remove();
  }
}

/** Ways that are looked for in each explorer. */
const waysTried = 5;

/** Writes the explorer as a person would, and looks for some pages in it, the longest addresses first. */
async function walk(browser: Browser, folder: string, schemes: typeof bothSchemes): Promise<ExplorerLook> {
  await run(process.execPath, [commandPath, 'graph', folder, '--no-open']);
  const lines = (await readFile(join(folder, 'results.jsonl'), 'utf8')).trimEnd().split('\n');
  const pages = lines
    .map((line) => JSON.parse(line) as PageRecord)
    .filter((r) => r.kind === 'page' && r.depth > 0);
  const longest = pages.map(({ url }) => url).toSorted((a, b) => b.length - a.length);
  const wanted = longest.slice(0, waysTried);
  return await lookAtExplorer(browser, join(folder, 'graph.html'), { wanted, schemes });
}

async function crawl(name: string, work: string, job: ReturnType<typeof labJob>): Promise<string> {
  const folder = join(work, `${name}.crawl`);
  const file = join(work, `${name}.json`);
  await writeJob(file, { ...job, name });
  const crawler = startCrawler(file, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
  return join(folder, 'report.html');
}

const attacks = [
  '</script><script>document.title="acted"; alert(1)</script>',
  '"><img src="https://evil.test/x" onerror="alert(1)">',
  '</title></textPath></svg><iframe src="https://evil.test/"></iframe>',
  '</style><style>@import "https://evil.test/x.css"</style>',
  'javascript:alert(1)',
  '=HYPERLINK("https://evil.test/","click")',
  '\u202egpj.exe"\r\n,quoted,',
];

/** Every text a site can choose, chosen badly. */
async function hostileReport(work: string): Promise<string> {
  const records = attacks.flatMap((attack, i) => {
    const url = `https://h${i}.test/${attack}` as Url;
    const texts = {
      title: attack,
      detail: attack,
      charset: attack,
      language: attack,
      server: attack,
      tls: attack,
    };
    const more = { ...texts, mime: attack, mimeDetected: `${attack} `, digest: 'same', referrer: url };
    return [
      recordOf(url, { ...more, depth: 0 }),
      recordOf(`https://h${i}.test/gone/${attack}`, {
        ...more,
        status: 404,
        reason: 'http-4xx',
        redirectTo: url,
      }),
    ];
  });
  const file = join(work, 'hostile.html');
  await writeReport({
    file,
    snapshot: snapshotOf({ name: attacks.join(' ') }),
    records: () => each(records),
    edges: () =>
      each(
        records.map(({ url }) =>
          linksOf(
            url,
            records.map((to) => ({ to: to.url, rel: 'a' })),
          ),
        ),
      ),
  });
  return file;
}
