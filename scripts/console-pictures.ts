import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/**
 * Puts the pictures that `npm run prove -- console --pictures FOLDER` took into the docs, smaller, with a page that shows them:
 * `node scripts/console-pictures.ts FOLDER`. Needs ImageMagick.
 */
const [, , folder = ''] = process.argv;
const docs = resolve(import.meta.dirname, '../docs');
const to = join(docs, 'pictures/console');

/** In the order of the page. What the proof adds comes behind them. */
const titles: Readonly<Record<string, string>> = {
  home: 'All crawls',
  preview: 'A new crawl: what would happen',
  'stop-all': 'Stop everything',
  crawl: 'One crawl',
  urls: 'URLs',
  'urls-failed': 'URLs that failed',
  url: 'One URL',
  'url-skipped': 'A URL that was refused, and why',
  'url-tries': 'One URL: the phases of its request, and tries before',
  'url-markdown': 'One URL: its Markdown',
  'url-screenshot': 'One URL: its screenshot',
  hosts: 'Hosts',
  'host-map': 'Hosts over time',
  'data-items': 'Items',
  'data-no-items': 'No items yet',
  'data-texts': 'Texts',
  'data-text': 'One text',
  'data-no-texts': 'No texts yet',
  'data-files': 'Files and archive',
  'data-graph': 'Hosts and the links between them',
  'data-statistics': 'Statistics',
  'data-compare': 'Two crawls compared',
  scope: 'Scope, with what a change would do',
  'crawl-job': 'The job of a crawl',
  'job-new': 'A job as a form and as YAML',
  schedules: 'Schedules',
  schedule: 'One schedule',
  'schedule-new': 'A new schedule',
  policies: 'Policies',
  policy: 'One policy',
  logins: 'Logins',
  network: 'Network',
  'admin-people': 'People',
  'admin-tokens': 'Tokens',
  'admin-teams': 'Teams',
  'admin-webhooks': 'Webhooks',
  'admin-audit': 'Audit log',
  owners: 'For the owners of sites',
  local: 'One crawl of this machine, with `--ui`',
  missing: 'Nothing there',
};
const widths = ['1440', '1024', '390'];
const schemes = ['light', 'dark'];
/** Of a long screen, the part that one sees first. */
const mostHeight = 1_600;

const taken = readdirSync(folder)
  .filter((name) => /-(1440|1024|390)-(light|dark)\.png$/.test(name))
  .map((name) => basename(name, '.png'));
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const name of taken) {
  const small = name.includes('-390-') ? [] : ['-resize', '60%'];
  const crop = ['-crop', `x${mostHeight}+0+0`, '+repage'];
  const shrunk = spawnSync(
    'mogrify',
    ['-format', 'webp', '-path', to, ...crop, ...small, '-quality', '50', join(folder, `${name}.png`)],
    { stdio: 'inherit' },
  );
  if (shrunk.status !== 0) throw new Error(`mogrify ended with ${shrunk.status ?? shrunk.error?.message}`);
}

const screens = [...new Set(taken.map((name) => name.replace(/-\d+-\w+$/, '')))];
const placeOf = (name: string): number => {
  const place = Object.keys(titles).indexOf(name);
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
};
const sections = screens
  .toSorted((a, b) => placeOf(a) - placeOf(b))
  .map((name) => {
    const looks = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })));
    const links = looks
      .filter(({ width, scheme }) => taken.includes(`${name}-${width}-${scheme}`))
      .map(({ width, scheme }) => `[${width} ${scheme}](${name}-${width}-${scheme}.webp)`);
    const title = titles[name] ?? name;
    return `## ${title}\n\n![${title}](${name}-1440-light.webp)\n\n${links.join(' · ')}`;
  });
const page = `# Screens of the console

Every screen of [the console](../../console.md) in three widths, light and dark, as a browser showed it in \`npm run prove -- console --pictures FOLDER\`.
Texts that look like code are there on purpose: made-up sites and people put them into every field, and the console shows them as text.

${sections.join('\n\n')}
`;
writeFileSync(join(to, 'README.md'), page);
console.log(`${taken.length} pictures of ${screens.length} screens`);
