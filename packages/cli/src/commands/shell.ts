import { dirname } from 'node:path';
import { type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { normaliser, seedUrl } from '@webfarer/protocol/url';
import type { CliContext } from '../context/context.ts';
import { typedPrivate } from '../job/crawl-options.ts';
import { openProber, type PageProbe, type ProbedLink } from '../crawling/page-probe.ts';
import { findFolder, shownPath } from '../folder/folders.ts';
import { type PageSource, savedPages, type ShellPage, shellPage, webPages } from '../shell/page-source.ts';
import { runLines, runPrompt, shellNames } from '../shell/run-shell.ts';
import { signerOf } from '../secrets/signing-key-of.ts';
import { bytes, plural, span } from '../terminal/format.ts';
import { tableLines } from '../terminal/table.ts';
import { usableColumns } from '../terminal/terminal.ts';
import { clean, painter, type Paint } from '../terminal/text.ts';
import { collect, type CommandHome } from './home.ts';
import { readJobFile, seedUrls } from './run.ts';

interface ShellOptions {
  job?: string;
  allowPrivate?: string[];
  dns?: string[];
  gap?: string;
  body?: boolean;
  limit: string;
  json?: boolean;
}

export function addShellCommand({ program, context, exit }: CommandHome): void {
  program
    .command('shell')
    .description(
      'Fetches one URL as a crawl would and shows robots.txt and its verdict, headers, and each link with the reason it is in or out of scope. On a terminal a prompt follows, with page, $, links, fetch(url) and explain(url); code that is piped in is evaluated line by line and each value printed whole. With a crawl folder before the URL, pages come from there and nothing is requested.',
    )
    .argument('<url|folder>', 'page to fetch, or the folder of a crawl')
    .argument('[url]', 'page in the folder')
    .option('--job <job.yml>', 'judge by the rules of this job file')
    .option('--gap <time>', 'pause between two requests to a host (1s)')
    .option('--dns <address>', 'DNS server to use', collect)
    .option('--allow-private <host>', 'private address that may be fetched', collect)
    .option('--body', 'print the text of the page and nothing else')
    .option('--limit <n>', 'links to list', '50')
    .option('--json', 'as JSON')
    .action(async (first: string, second: string | undefined, options: ShellOptions) => {
      if (second !== undefined) return await shellOnFolder(context, { named: first, text: second }, options);
      exit(await shellOnWeb(context, first, options));
    });
}

async function shellOnWeb(context: CliContext, text: string, options: ShellOptions): Promise<number> {
  const { job, seeds, baseFolder } = await rulesFor(context, text, options);
  const url = normaliser(job.normalise)(seedUrl(text)[0] ?? text);
  if (url === undefined)
    throw new WebfarerError('usage', `${text} is not a web address.`, {
      next: 'Write it like https://example.org/',
    });
  const stop = new AbortController();
  const unlisten = context.onInterrupt(() => stop.abort(new WebfarerError('interrupted', 'Stopped.')));
  const prober = openProber({
    job,
    seeds: seeds.length > 0 ? seeds : [url],
    userAgent: userAgentFor(job, context.version),
    signer: await signerOf(job, baseFolder),
    clock: context.clock,
    signal: stop.signal,
  });
  try {
    const probe = await prober.probe(url);
    const source = webPages(prober, job);
    const first = () => shellPage(url, probe);
    if (await evaluatePiped(context, { source, first, options })) return 0;
    show(context, url, probe, options);
    if (!probe.robots.verdict.allowed) return 3;
    if (probe.answer?.ok) await promptFor(context, { source, first, options });
    return 0;
  } finally {
    unlisten();
    await prober.close();
  }
}

async function shellOnFolder(
  context: CliContext,
  { named, text }: { named: string; text: string },
  options: ShellOptions,
): Promise<void> {
  const folder = await findFolder(named, context.cwd);
  const reader = await context.local.readFolder(folder);
  try {
    const source = savedPages(reader, folder);
    const opened = await source.open(seedUrl(text)[0] ?? text);
    const first = async () => opened;
    if (await evaluatePiped(context, { source, first, options })) return;
    showSaved(context, opened, { ...options, folder });
    await promptFor(context, { source, first, options });
  } finally {
    await reader.close();
  }
}

interface Opened {
  source: PageSource;
  first: () => Promise<ShellPage>;
  options: ShellOptions;
}

/** False where nothing was piped in: then the page is shown. */
async function evaluatePiped(
  { piped, stdout }: CliContext,
  { source, first, options }: Opened,
): Promise<boolean> {
  if (!piped || options.json || options.body) return false;
  return (await runLines({ source, first: await first(), input: piped, output: stdout })) > 0;
}

async function promptFor(
  { prompt, terminal }: CliContext,
  { source, first, options }: Opened,
): Promise<void> {
  if (!prompt || options.json || options.body) return;
  terminal.out(`\n  ${shellNames}\n`);
  await runPrompt({ source, first: await first(), colour: terminal.colour, ...prompt });
}

function showSaved(
  { terminal, stdout, cwd }: CliContext,
  { page, links }: ShellPage,
  options: ShellOptions & { folder: string },
): void {
  const { url, status, title, mime } = page;
  if (options.json) return terminal.out(jsonLine({ url, status, mime, title, links }));
  if (options.body) return void stdout.write(page.source());
  const paint = painter(terminal.colour);
  terminal.out(
    `  ${paint('strong', clean(url))}   from ${shownPath(options.folder, cwd)}, nothing requested\n`,
  );
  terminal.out(
    `  answer   ${paint('strong', String(status))}   ${clean(mime)}   ${bytes(page.body.length)}\n`,
  );
  if (title !== undefined) terminal.out(`  title    ${clean(title)}\n`);
  terminal.out(`  links    ${plural(links.length, 'link')}\n`);
}

async function rulesFor(
  context: CliContext,
  text: string,
  options: ShellOptions,
): Promise<{ job: Job; seeds: Url[]; baseFolder: string }> {
  if (options.job !== undefined) {
    const { job, path } = await readJobFile(options.job, context.cwd);
    return { job, seeds: seedUrls(job), baseFolder: dirname(path) };
  }
  const allowPrivate = [...(options.allowPrivate ?? []), ...typedPrivate([text])];
  const job = resolveJob({
    seeds: [text],
    politeness: options.gap === undefined ? {} : { gap: options.gap },
    fetch: { allowPrivate, ...(options.dns ? { dns: options.dns } : {}) },
  });
  return { job, seeds: [], baseFolder: context.cwd };
}

function show({ terminal, stdout }: CliContext, url: Url, probe: PageProbe, options: ShellOptions): void {
  const { answer, document } = probe;
  if (options.json) {
    const seen = answer?.ok
      ? {
          status: answer.status,
          headers: answer.headers,
          bytes: answer.body.length,
          durationMs: answer.durationMs,
        }
      : answer;
    return terminal.out(
      jsonLine({
        url,
        robots: probe.robots.verdict,
        answer: seen,
        redirect: probe.redirect,
        title: document?.title,
        links: probe.links,
      }),
    );
  }
  if (options.body && document) {
    stdout.write(document.text());
    return;
  }
  const paint = painter(terminal.colour);
  const lines = [
    `  ${paint('strong', clean(url))}`,
    ...robotsLines(probe, paint),
    ...answerLines(probe, paint),
  ];
  for (const line of lines) terminal.out(`${line}\n`);
  for (const line of linkLines(probe.links, Number(options.limit), {
    columns: usableColumns(terminal),
    paint,
  }))
    terminal.out(`${line}\n`);
}

function robotsLines({ robots }: PageProbe, paint: Paint): string[] {
  const { verdict, copy, detail } = robots;
  const word = verdict.allowed
    ? paint('good', 'allowed')
    : paint('bad', 'not allowed; the page was not requested');
  const why =
    verdict.rule ??
    (copy?.state === 'absent' ? `no robots.txt (${copy.detail ?? 'absent'})` : 'no rule applies');
  const delay = verdict.crawlDelayMs === undefined ? '' : `, crawl-delay ${span(verdict.crawlDelayMs)}`;
  return [`  robots   ${word}: ${clean(why)}${delay}${detail === undefined ? '' : ` (${clean(detail)})`}`];
}

function answerLines({ answer, redirect, document }: PageProbe, paint: Paint): string[] {
  if (!answer) return [];
  if (!answer.ok) return [`  failed   ${paint('bad', answer.reason)}: ${clean(answer.detail)}`];
  const facts = [bytes(answer.body.length), span(answer.durationMs), answer.ip ?? ''].filter(
    (fact) => fact !== '',
  );
  const lines = [
    `  answer   ${paint('strong', String(answer.status))} ${clean(answer.statusText)}   ${facts.join('   ')}`,
  ];
  if (redirect) lines.push(`  leads to ${clean(redirect.url)}   ${verdictOf(redirect)}`);
  for (const [name, value] of answer.headers)
    lines.push(`    ${paint('quiet', `${clean(name)}:`)} ${clean(value)}`);
  if (document?.title) lines.push(`  title    ${clean(document.title)}`);
  if (document?.charset) lines.push(`  charset  ${clean(document.charset)}`);
  if (document && document.signals.seen.length > 0)
    lines.push(`  signals  ${document.signals.seen.map(clean).join(' · ')}`);
  if (document?.looksEmpty) lines.push('  note     almost no text of its own: this page may need JavaScript');
  return lines;
}

function verdictOf(link: ProbedLink): string {
  if (link.robots !== undefined) return `in scope, but ${link.robots}`;
  return link.in ? 'in scope' : `${link.reason ?? 'out'}${link.rule === undefined ? '' : ` (${link.rule})`}`;
}

function linkLines(
  links: readonly ProbedLink[],
  limit: number,
  size: { columns: number; paint: Paint },
): string[] {
  if (links.length === 0) return [];
  const followed = links.filter((link) => link.in).length;
  const shown = links.slice(0, limit);
  const table = tableLines(
    shown,
    [
      { title: 'link', value: verdictOf },
      { title: 'from', value: (link) => link.rel },
      { title: 'url', value: (link) => link.url, wide: true },
      { title: 'text', value: (link) => link.text, wide: true, cut: 'end' },
    ],
    size,
  );
  const more =
    links.length > shown.length
      ? [`  … and ${links.length - shown.length} more: --limit ${links.length}`]
      : [];
  return [`  links    ${plural(links.length, 'link')}, ${followed} in scope`, ...table, ...more];
}
