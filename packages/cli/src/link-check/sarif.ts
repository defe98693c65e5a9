import type { BrokenLink, LinkReport } from './link-report.ts';
import { brokenWords } from './link-words.ts';

const rules: { id: string; kind: BrokenLink['kind']; text: string }[] = [
  { id: 'broken-link', kind: 'link', text: 'A link leads to an address that does not answer as it should.' },
  { id: 'missing-anchor', kind: 'anchor', text: 'A link leads to a place that the page does not have.' },
  { id: 'invalid-address', kind: 'address', text: 'A link is not a valid URL.' },
];

/** SARIF 2.1.0: one result for each page on which a broken link stands. */
export function sarifLog(report: LinkReport, version: string): string {
  const driver = {
    name: 'Webfarer',
    semanticVersion: version,
    rules: rules.map(({ id, text }) => ({ id, shortDescription: { text } })),
  };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results: report.broken.flatMap(resultsOf) }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultsOf(link: BrokenLink): unknown[] {
  const ruleIndex = rules.findIndex(({ kind }) => kind === link.kind);
  const result = (page: string, text: string) => ({
    ruleId: rules[ruleIndex]?.id,
    ruleIndex,
    level: 'error',
    message: {
      text: `${link.url}: ${brokenWords(link)}${text === '' ? '' : ` (link text: ${text})`}`.toWellFormed(),
    },
    locations: [{ physicalLocation: { artifactLocation: { uri: page } } }],
    partialFingerprints: { 'link/v1': `${page} ${link.url}`.toWellFormed() },
  });
  // A seed stands on no page: it is its own place.
  return link.on.length === 0 ? [result(link.url, '')] : link.on.map(({ page, text }) => result(page, text));
}
