import type { JobInput } from '@webfarer/protocol';
import { formatDuration, formatSize } from '@webfarer/protocol/job';

/** What `init` asks for; everything else gets a commented default. */
export interface InitAnswers {
  name: string;
  seed: string;
  stay: string;
  pages: number | 'none';
  contact?: string;
  save: string;
  scraper: string;
  /** Settings of a crawl that was made here before, to be kept as they are. */
  kept?: Pick<JobInput, 'fetch' | 'politeness'>;
}

/** A job file with a comment at every line that invites a change. */
export function initFile(answers: InitAnswers, file: string): string {
  const { kept } = answers;
  const lines: [string, string?][] = [
    ['# yaml-language-server: $schema=./node_modules/webfarer/job.schema.json'],
    [`# Check it: webfarer validate ${file}     Run or resume it: webfarer run ${file}`],
    [`name: ${scalar(answers.name)}`, 'the crawl lives in the folder of this name'],
    ['seeds:'],
    [`  - ${scalar(answers.seed)}`, 'also { file: seeds.txt } or { sitemap: https://… }'],
    [
      answers.contact ? `contact: ${scalar(answers.contact)}` : '# contact: https://you.example/bot',
      'how site owners reach you; required for more than one registered domain',
    ],
    ['scope:'],
    [`  stay: ${answers.stay}`, 'path | host | site (registered domain) | web'],
    ['  exclude: []', "such as ['**/login/**', { regex: '[?&]sort=' }]"],
    ['  requisites: false', 'true: images, styles and scripts of pages too, from any host'],
    ['limits:', 'the crawl stops at a limit; raise it and run again to resume'],
    [`  pages: ${answers.pages}`],
    [`  bytes: ${formatSize(20e9)}`],
    [`  duration: ${formatDuration(12 * 3_600_000)}`],
    ['  depth: 20', 'maximum link depth from a seed'],
    ['  perHost: { pages: 2000 }'],
    ...politenessLines(kept?.politeness),
    ...(kept?.fetch
      ? ([
          [
            `fetch: ${JSON.stringify(kept.fetch)}`,
            'how it connects; allowPrivate: addresses in your own network',
          ],
        ] as [string, string][])
      : []),
    [`scraper: ${scalar(answers.scraper)}`, 'links | site | { ids: … } | ./my-scraper.ts'],
    ['save:'],
    [`  - ${scalar(answers.save)}`, 'warc | files | tar | none | ./my-saver.ts'],
    ['thresholds: {}', "such as { failed: '< 1%', 5xx: '< 0.5%' }; missed: exit code 4"],
  ];
  return `${lines.map(([text, comment]) => (comment ? `${text.padEnd(30)}  # ${comment}` : text)).join('\n')}\n`;
}

function politenessLines(kept: JobInput['politeness']): [string, string?][] {
  if (kept) return [[`politeness: ${JSON.stringify(kept)}`, 'as in the previous crawl here']];
  return [
    ['politeness:'],
    ['  gap: 1s', 'from the end of a request to the next; longer if the host is slow or asks for it'],
  ];
}

/** Plain where YAML reads it as the same text, quoted where it might not. */
function scalar(text: string): string {
  const plain =
    /^[A-Za-z./][\w./:@?=&%+~-]*$/.test(text) && !/:$|: |^(?:true|false|null|yes|no|on|off)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
