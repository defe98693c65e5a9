import { type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { normaliser, seedUrl } from '@webfarer/protocol/url';
import type { CliContext } from '../context/context.ts';
import { typedPrivate } from '../job/crawl-options.ts';
import { type PageProbe, type ProbedLink, probePage } from '../crawling/page-probe.ts';
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
    .summary('fetch one URL and show what a crawl would make of it')
    .description(
      'Fetches one URL as a crawl would: robots.txt and its verdict, headers, and each link with the reason it is in or out of scope.',
    )
    .argument('<url>')
    .option('--job <job.yml>', 'judge by the rules of this job file')
    .option('--gap <time>', 'pause between robots.txt and the page (1s)')
    .option('--dns <address>', 'DNS server to use', collect)
    .option('--allow-private <host>', 'private address that may be fetched', collect)
    .option('--body', 'print the text of the page and nothing else')
    .option('--limit <n>', 'links to list', '50')
    .option('--json', 'as JSON')
    .action(async (text: string, options: ShellOptions) => {
      const { job, seeds } = await rulesFor(context, text, options);
      const url = normaliser(job.normalise)(seedUrl(text)[0] ?? text);
      if (url === undefined)
        throw new WebfarerError('usage', `${text} is not a web address.`, {
          next: 'Write it like https://example.org/',
        });
      const stop = new AbortController();
      const unlisten = context.onInterrupt(() => stop.abort(new WebfarerError('interrupted', 'Stopped.')));
      try {
        const probe = await probePage({
          url,
          job,
          seeds: seeds.length > 0 ? seeds : [url],
          userAgent: userAgentFor(job, context.version),
          clock: context.clock,
          signal: stop.signal,
        });
        show(context, url, probe, options);
        if (!probe.robots.verdict.allowed) exit(3);
      } finally {
        unlisten();
      }
    });
}

async function rulesFor(
  context: CliContext,
  text: string,
  options: ShellOptions,
): Promise<{ job: Job; seeds: Url[] }> {
  if (options.job !== undefined) {
    const { job } = await readJobFile(options.job, context.cwd);
    return { job, seeds: seedUrls(job) };
  }
  const allowPrivate = [...(options.allowPrivate ?? []), ...typedPrivate([text])];
  const job = resolveJob({
    seeds: [text],
    politeness: options.gap === undefined ? {} : { gap: options.gap },
    fetch: { allowPrivate, ...(options.dns ? { dns: options.dns } : {}) },
  });
  return { job, seeds: [] };
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
