import { type BrokenLink, type FoundOn, type LinkReport, type UncheckedLink } from './link-report.ts';
import { brokenWords, uncheckedWords } from './link-words.ts';

/** A test case for each target: failed where it is broken, skipped where it was not checked. */
export function junitXml(report: LinkReport, name: string): string {
  const { good, broken, ignored, unchecked } = report;
  const skipped = unchecked.length + ignored.length;
  const tests = good.length + broken.length + skipped;
  const counts = `tests="${tests}" failures="${broken.length}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="webfarer check" ${counts}>`,
    `  <testsuite name="${escaped(name)}" ${counts}>`,
    ...broken.map(failedCase),
    ...ignored.map((link) => skippedCase(link, `ignored: ${brokenWords(link)}`)),
    ...unchecked.map((link) => skippedCase(link, uncheckedWords(link))),
    ...good.map((url) => `    <testcase classname="links" name="${escaped(url)}"/>`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function failedCase(link: BrokenLink): string {
  const words = escaped(brokenWords(link));
  return `    <testcase classname="links" name="${escaped(link.url)}"><failure type="${escaped(link.reason)}" message="${words}">${words}${escaped(onPages(link.on))}</failure></testcase>`;
}

function skippedCase({ url }: UncheckedLink | BrokenLink, words: string): string {
  return `    <testcase classname="links" name="${escaped(url)}"><skipped message="${escaped(words)}"/></testcase>`;
}

function onPages(on: readonly FoundOn[]): string {
  return on.map(({ page, text }) => `\non ${page}${text === '' ? '' : ` (${text})`}`).join('');
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 has no way to write most control characters, nor half a surrogate pair. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"]/g, (char) => names[char] ?? char)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
