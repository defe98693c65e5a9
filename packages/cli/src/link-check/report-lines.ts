import { count, plural } from '../terminal/format.ts';
import { clean, padEnd, type Paint } from '../terminal/text.ts';
import type { FoundOn, LinkReport, RedirectedLink, UncheckedLink } from './link-report.ts';
import { brokenWords, shortWord, uncheckedWords } from './link-words.ts';

export interface LinesOptions {
  paint: Paint;
  /** Pages named for each link, and lines of each list behind the broken links. */
  most: number;
  /** Broken links that are accepted. */
  allowed: number;
}

/** The report as a person reads it: broken links with their pages first, then what was not checked, then redirects. */
export function reportLines(report: LinkReport, options: LinesOptions): string[] {
  const { broken, unchecked, redirected, ignored, anchors, pages, good } = report;
  const { paint, allowed } = options;
  const lines: string[] = [];
  if (broken.length > 0) lines.push('', `  ${paint('strong', 'broken links')} (${count(broken.length)})`);
  const width = Math.max(0, ...broken.map((link) => shortWord(link).length));
  for (const link of broken) {
    const plain = shortWord(link);
    lines.push(`  ${paint('bad', padEnd(plain, width))}  ${clean(link.url)}`);
    const pad = ' '.repeat(width + 4);
    if (brokenWords(link) !== `answered ${plain}`)
      lines.push(`${pad}${paint('quiet', clean(brokenWords(link)))}`);
    lines.push(...onLines(link.on, { ...options, pad }));
  }
  lines.push(...uncheckedLines(unchecked, options), ...redirectLines(redirected, options), '');
  const not = unchecked.length === 0 ? '' : ` · ${count(unchecked.length)} not checked`;
  const left = ignored.length === 0 ? '' : ` · ${count(ignored.length)} ignored`;
  const limit = allowed === 0 ? '' : ` (${count(allowed)} allowed)`;
  const word = broken.length > allowed ? paint('bad', '✗') : paint('good', '✓');
  lines.push(
    `  ${word} ${plural(pages, 'page')} · ${plural(good.length + broken.length + ignored.length, 'link')} checked · ${count(broken.length)} broken${limit}${left}${not} · ${plural(anchors.checked, 'anchor')} checked`,
  );
  if (anchors.pagesNotKept > 0)
    lines.push(
      `  ${paint('warn', '!')} ${plural(anchors.pagesNotKept, 'page')} not kept by the crawl: anchors and invalid addresses on them are not known`,
    );
  return lines;
}

function onLines(on: readonly FoundOn[], { most, paint, pad }: LinesOptions & { pad: string }): string[] {
  if (on.length === 0) return [`${pad}${paint('quiet', 'given as the start of the crawl')}`];
  const lines = on.slice(0, most).map(({ page, text }) => {
    const words = text === '' ? '' : `   ${paint('quiet', `“${clean(text)}”`)}`;
    return `${pad}on ${clean(page)}${words}`;
  });
  return on.length > most
    ? [...lines, `${pad}and on ${count(on.length - most)} more: --json lists all`]
    : lines;
}

/** Reasons, each with its links: a reader decides by the reason whether to look further. */
function uncheckedLines(unchecked: readonly UncheckedLink[], { paint, most }: LinesOptions): string[] {
  if (unchecked.length === 0) return [];
  const byReason = Map.groupBy(unchecked, ({ reason }) => reason);
  const lines = ['', `  ${paint('strong', 'not checked')} (${count(unchecked.length)})`];
  for (const [reason, links] of byReason) {
    lines.push(`  ${paint('warn', uncheckedWords({ reason }))} (${count(links.length)})`);
    for (const { url, detail } of links.slice(0, most))
      lines.push(`    ${clean(url)}${detail === undefined ? '' : `   ${paint('quiet', clean(detail))}`}`);
    if (links.length > most) lines.push(`    and ${count(links.length - most)} more: --json lists all`);
  }
  return lines;
}

function redirectLines(redirected: readonly RedirectedLink[], { paint, most }: LinesOptions): string[] {
  if (redirected.length === 0) return [];
  const lines = ['', `  ${paint('strong', 'redirected')} (${count(redirected.length)})`];
  for (const { url, to, status, on } of redirected.slice(0, most))
    lines.push(
      `  ${status}  ${clean(url)} → ${clean(to)}   ${paint('quiet', `on ${plural(on.length, 'page')}`)}`,
    );
  if (redirected.length > most) lines.push(`  and ${count(redirected.length - most)} more: --json lists all`);
  return lines;
}
