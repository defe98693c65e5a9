// watches: packages/worker/src/save, packages/worker/src/archive, packages/worker/src/bytes, packages/cli/src/export
// watches: packages/cli/src/folder
// misses: archives that other tools cannot read, or that are torn by a crash
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readWarc } from '@webfarer/worker/archive';
import { validateWacz } from '../../packages/cli/src/export/wacz-validate.ts';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { compareArchive, warcPaths } from '../outside/compare.ts';
import { tryStrings } from '../outside/hostile-strings.ts';
import { seeInPywb } from '../outside/replay.ts';
import { type RequisiteSite, startRequisiteSite } from '../outside/requisite-site.ts';
import { missingRequisites } from '../outside/requisites.ts';
import { tearTail } from '../outside/torn.ts';
import { jwarcJava, ours, type Validator, warcioPython, warcioScript } from '../outside/validators.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { briskJob, commandPath, startCrawler, workFolder, writeJob } from './lab.ts';

const labMaxBytes = 200_000;
/** What the quick form is about: a handful of the hosts of the fake web, among them one with TLS. */
const someHosts = '^https?://(?:www\\.(?:hub|shop)|bank|atlas|127\\.)';

/** Each n-th offset of the last record is torn, each n-th string of the corpus tried. */
const sizes = {
  quick: { web: 'S, a part', tearStep: 17, stringStep: 15, downloads: false },
  full: { web: 'S', tearStep: 1, stringStep: 1, downloads: true },
} as const;

/**
 * An archive of the fake web with requisites is byte for byte what was sent, survives being torn anywhere,
 * lets no string out, and is accepted and shown by tools that are not ours. The quick form crawls a part of
 * the web and asks only those tools that need no download.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const work = workFolder('warc');
  const site = await startRequisiteSite();
  const fake = await startFakeWeb({ size: 'S', seed: 1 });
  try {
    const folder = join(work.path, 'lab.crawl');
    await crawl(fake, site, { folder, quick });
    const compared = await compareArchive(folder, {
      web: fake.web,
      site,
      log: await fake.log(),
      maxBytes: labMaxBytes,
    });
    const [warc = ''] = await warcPaths(folder);
    const torn = await tearTail(warc, join(work.path, 'torn'), size.tearStep);
    const hostile = await tryStrings(join(work.path, 'strings'), size.stringStep);
    const judged = await askOthers(folder, work.path, quick);
    const replayed = await replay(folder, { fake, site, work: work.path, quick });
    const wrong = [
      ...compared.mismatches,
      ...torn.failures,
      ...hostile.escapes,
      ...judged.objections,
      ...replayed.missing,
    ];
    for (const text of wrong.slice(0, 20)) console.error(`  ✗ ${text}`);
    const asExpected = compared.captures > 100 && compared.revisits > 0 && replayed.needed > 10;
    return {
      ok: wrong.length === 0 && asExpected,
      result: {
        records: compared.records,
        captures: compared.captures,
        revisits: compared.revisits,
        mismatches: compared.mismatches.length,
        tornOffsets: torn.offsets,
        tornFailures: torn.failures.length,
        strings: hostile.strings,
        escapes: hostile.escapes.length,
        outsideValidators: judged.outside.length,
        validators: judged.outside,
        objections: judged.objections.length,
        requisites: replayed.needed,
        pagesSeen: replayed.pagesSeen,
        missingRequisites: replayed.missing.length,
        sizes: size,
      },
    };
  } finally {
    await fake.stop();
    await site.stop();
    work.remove();
  }
}

async function crawl(
  fake: FakeWeb,
  site: RequisiteSite,
  { folder, quick }: { folder: string; quick: boolean },
): Promise<void> {
  const { job } = briskJob(fake);
  const file = `${folder}.json`;
  await writeJob(file, {
    ...job,
    seeds: [...fake.web.seeds(), `${site.origin}/`],
    scope: { ...job.scope, requisites: true, ...(quick && { include: [{ regex: someHosts }] }) },
    limits: { ...job.limits, perHost: { pages: 300 } },
  });
  const crawler = startCrawler(file, folder);
  const code = await crawler.ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}:\n${crawler.output()}`);
}

/** Each of them must accept the archive and refuse a copy with one wrong byte. */
async function askOthers(folder: string, work: string, quick: boolean) {
  const outside = [warcioScript, ...(quick ? [] : [await warcioPython(), await jwarcJava()])];
  const objections: string[] = [];
  for (const file of await warcPaths(folder)) {
    const records = await countRecords(file);
    for (const validator of [ours, ...outside]) {
      const problem = await validator.judge(file, records);
      if (problem) objections.push(`${validator.name}: ${problem}`);
    }
  }
  const [first = ''] = await warcPaths(folder);
  const damaged = await damagedCopy(first, join(work, 'damaged.warc.gz'));
  for (const validator of [ours, ...outside.filter(checksDigests)])
    if (!(await validator.judge(damaged.file, damaged.records)))
      objections.push(`${validator.name} accepts a wrong byte, so its word counts for nothing`);
  return { outside: outside.map(({ name }) => name), objections };
}

const checksDigests = (validator: Validator) => validator !== warcioScript;

async function countRecords(file: string): Promise<number> {
  let records = 0;
  for await (const _ of readWarc(file)) records++;
  return records;
}

/** The head of the file and its first response, with one letter of the body changed and packed anew. */
async function damagedCopy(warc: string, file: string): Promise<{ file: string; records: number }> {
  const starts: number[] = [];
  for await (const { offset } of readWarc(warc)) {
    starts.push(offset);
    if (starts.length === 3) break;
  }
  const bytes = await readFile(warc);
  const [, second = 0, third = 0] = starts;
  const record = gunzipSync(bytes.subarray(second, third));
  record.writeUInt8(record.readUInt8(record.length - 6) ^ 1, record.length - 6);
  await writeFile(file, Buffer.concat([bytes.subarray(0, second), gzipSync(record)]));
  return { file, records: 2 };
}

interface ReplayOptions {
  fake: FakeWeb;
  site: RequisiteSite;
  work: string;
  quick: boolean;
}

/** Packs the archive as WACZ; what pages need must be in it, and three pages must look right in a browser. */
async function replay(folder: string, { fake, site, work, quick }: ReplayOptions) {
  const wacz = join(work, 'lab.wacz');
  const made = spawnSync(process.execPath, [commandPath, 'export', folder, '--wacz', wacz], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`export --wacz ended with ${made.status}: ${made.stderr}`);
  const check = await validateWacz(wacz);
  const { needed, missing } = await missingRequisites(folder);
  const never = { url: `${site.origin}/never-crawled`, title: 'None' };
  const looked = quick ? [] : await seeInPywb(wacz, join(work, 'pywb'), [...pagesToSee(fake, site), never]);
  const control = looked.pop();
  if (control?.missing.length === 0) missing.push('a page that is not in the archive was seen');
  for (const page of looked)
    if (page.requisites === 0) missing.push(`${page.url} was seen without any of what it needs`);
  return {
    needed,
    pagesSeen: looked.length,
    missing: [...check.problems, ...missing, ...looked.flatMap((page) => page.missing)],
  };
}

function pagesToSee(fake: FakeWeb, { origin }: RequisiteSite) {
  const looks = "getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)'";
  const acts = "document.documentElement.dataset.ran === 'yes'";
  return [
    { url: fake.web.seeds()[0] ?? '', title: 'Home of www.hub0.test' },
    { url: `${origin}/`, title: 'The requisite site', test: `${looks} && ${acts}` },
    // One of these two stands in the archive as a revisit of the other.
    { url: `${origin}/twin`, title: 'Two addresses, one page', test: `${looks} && ${acts}` },
    { url: `${origin}/other`, title: 'Two addresses, one page', test: `${looks} && ${acts}` },
  ];
}
