// watches: packages/worker/src/site-login, packages/worker/src/session, packages/worker/src/page
// watches: packages/worker/src/forms, packages/cli/src/accounts, packages/cli/src/secrets, packages/protocol/src/url
// misses: pages of visitors stored as pages of members, log-outs, and passwords that leak
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openAccountStore } from '../../packages/cli/src/accounts/account-store.ts';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';
import { copyWith } from '../faults/changed-source.ts';
import {
  memberMark,
  type MembersSite,
  type Refusal,
  startMembersSite,
  visitorMark,
} from '../login/members-site.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type Canary, canariesIn, canaryOf, searchFolder, watchWords } from '../secrets/canaries.ts';
import { commandPath, workFolder } from './lab.ts';

/** What brings the account back after a loss. */
type Help = 'form' | 'wrong-form' | 'cookies' | 'command' | 'basic';

interface Case {
  help: Help;
  refusal: Refusal;
  pages: number;
  losses: number;
  /** Pages show only in a browser whether they are logged in. */
  drawn?: boolean;
}

interface Figures {
  pages: number;
  losses: number;
  /** Pages that a visitor sees, in the archive. */
  visitorPages: number;
  lost: number;
  duplicates: number;
  logouts: number;
  mostTries: number;
  acts: number;
  secretsFound: string[];
  looks: number;
  ended: boolean;
}

const who = { site: '127.0.0.1', as: 'alice' };
const COMMAND_MS = 600_000;

/**
 * A site shows other pages to members than to visitors: as another page, by a redirect, 401 or 403. Crawls are logged in by a form
 * with a token, HTTP Basic, cookies and a stored account, and the site ends every session at random requests. Where no
 * credential works, the proof plays the person: it stores the account anew, or runs `webfarer login`. The archive is read for
 * what each page showed, the log of the site for what was asked for, and folders, output and the process list for every
 * password and session that the site has known. Controls: without the check and with links that log out, a crawl keeps visitors'
 * pages and logs itself out, and what is planted is found.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('login');
  try {
    const cases = casesOf(quick);
    const all: Figures[] = [];
    for (let at = 0; at < cases.length; at += 2) {
      const pair = cases.slice(at, at + 2).map(async (one, i) => {
        const figures = await runCase(one, join(work.path, `${at + i}-${one.help}`), commandPath);
        console.error(`  ${one.help} (${one.refusal}): ${JSON.stringify(figures)}`);
        return figures;
      });
      all.push(...(await Promise.all(pair)));
    }
    const control = await controlCase(work.path);
    const planted = plantedFound(work.path);
    const sum = (of: (one: Figures) => number) => all.reduce((total, one) => total + of(one), 0);
    const secretsFound = all.flatMap((one) => one.secretsFound);
    for (const what of secretsFound.slice(0, 20)) console.error(`  found ${what}`);
    const result = {
      crawls: all.length,
      pages: sum(({ pages }) => pages),
      losses: sum(({ losses }) => losses),
      visitorPages: sum((one) => one.visitorPages),
      lost: sum(({ lost }) => lost),
      duplicates: sum(({ duplicates }) => duplicates),
      logouts: sum(({ logouts }) => logouts),
      mostTriesPerLoss: Math.max(...all.map(({ mostTries }) => mostTries)),
      actsOfAPerson: sum(({ acts }) => acts),
      notEnded: all.filter(({ ended }) => !ended).length,
      secretsFound: secretsFound.length,
      looks: sum(({ looks }) => looks),
      visitorPagesInControl: control.visitorPages,
      logoutsInControl: control.logouts,
      plantedFound: planted,
      sizes: { pages: cases[0]?.pages, losses: cases.reduce((total, { losses }) => total + losses, 0) },
    };
    const bad =
      result.visitorPages +
      result.lost +
      result.duplicates +
      result.logouts +
      result.notEnded +
      secretsFound.length;
    const seen = control.visitorPages > 0 && control.logouts > 0 && planted === 3;
    return {
      ok:
        bad === 0 &&
        result.losses >= result.sizes.losses &&
        result.mostTriesPerLoss <= 2 &&
        result.looks > 0 &&
        seen,
      result,
    };
  } finally {
    work.remove();
  }
}

function casesOf(quick: boolean): Case[] {
  const pages = quick ? 14 : 60;
  const losses = quick ? 1 : 4;
  const drawn = findBrowser() !== undefined;
  return [
    { help: 'form', refusal: 'all', pages, losses },
    { help: 'wrong-form', refusal: 'soft', pages, losses },
    { help: 'command', refusal: 'redirect', pages, losses },
    { help: 'basic', refusal: '401', pages, losses },
    ...(quick ? [] : [{ help: 'cookies', refusal: 'all', pages, losses } as const]),
    ...(drawn && !quick
      ? [{ help: 'cookies', refusal: 'soft', pages: 12, losses: 2, drawn: true } as const]
      : []),
  ];
}

async function runCase(
  { help, refusal, pages, losses, drawn = false }: Case,
  under: string,
  command: string,
) {
  const [folder, state, away] = ['crawl', 'state', 'person'].map((name) => join(under, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [folder, state, away]) mkdirSync(path, { recursive: true });
  const loseAt = Array.from({ length: losses }, (_, i) => {
    const part = Math.floor((pages - 4) / losses);
    return 3 + i * part + Math.floor(Math.random() * part);
  });
  const site = await startMembersSite({ pages, refusal, loseAt, basic: help === 'basic', drawn });
  const store = openAccountStore({ folder: join(state, 'accounts'), key: undefined });
  const env = { ...process.env, WEBFARER_STATE: state };
  const form = help === 'form' || help === 'wrong-form';
  const password = help === 'wrong-form' ? 'canary-mistaken-password' : 'opensesame';
  const job = {
    name: 'members',
    seeds: [`${site.origin}/`],
    contact: 'https://lab.test/',
    politeness: { gap: '5ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    render: drawn ? 'always' : 'never',
    save: ['warc'],
    login: [
      {
        ...who,
        check: help === 'basic' ? 'status' : { selector: 'a.me', url: '**/login**' },
        ...(form ? { form: `${site.origin}/login` } : {}),
      },
    ],
  };
  const jobFile = join(folder, 'job.yml');
  writeFileSync(jobFile, JSON.stringify(job));
  const canaries: Canary[] = [];
  const known = new Set<string>();
  const learn = () => {
    for (const secret of [password, ...site.secrets]) {
      if (known.has(secret)) continue;
      known.add(secret);
      canaries.push(canaryOf(`secret ${known.size}`, secret));
    }
  };

  /** As the person who owns the account. */
  async function act(): Promise<void> {
    acts += 1;
    const value = help === 'basic' ? '' : site.admit();
    if (help === 'command') {
      const file = join(away, 'cookies.txt');
      writeFileSync(file, `127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t${value}\n`);
      const words = ['login', `${site.origin}/login`, '--as', 'alice', '--cookies', file];
      output += await runCommand(command, words, { cwd: folder, env }).done;
      return;
    }
    const cookie = { host: '127.0.0.1', subdomains: false, path: '/', secure: false, httpOnly: true };
    const cookies = help === 'basic' ? [] : [{ ...cookie, name: 'session', value }];
    const current = [...site.secrets].at(-1) ?? '';
    const credentials = help === 'basic' ? [{ origin: site.origin, user: 'alice', password: current }] : [];
    await store.write(who, { cookies, storage: [], credentials }, Date.now());
  }

  let acts = 0;
  let output = '';
  try {
    if (help !== 'form') await act();
    learn();
    const given = form ? { WEBFARER_CREDENTIALS: `${site.origin}/ form alice:${password}` } : {};
    const running = runCommand(command, ['run', jobFile], { cwd: folder, env: { ...env, ...given } });
    const watch = watchWords(running.pid, canaries);
    let ended = false;
    const done = running.done.finally(() => (ended = true));
    let helped = 0;
    while (!ended) {
      learn();
      if (help !== 'form' && site.losses > helped && needsHelp(site, help)) {
        helped = site.losses;
        await act();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    output += await done;
    learn();
    const pagesKept = archivedPages(folder);
    const counts = Array.from({ length: pages }, (_, n) => countOf(pagesKept, `${memberMark} ${n}<`));
    // A shown page is kept twice: as it came, and as it stood at the end.
    const copies = drawn ? 2 : 1;
    const secretsFound = [
      ...searchFolder(under === folder ? under : folder, canaries),
      ...searchFolder(state, canaries),
      ...jarsIn(folder, canaries),
      ...canariesIn(output, canaries).map((name) => `${name} in output`),
      ...watch.stop().map((name) => `${name} in the process list`),
    ];
    const figures: Figures = {
      pages,
      losses: site.losses,
      visitorPages: countOf(pagesKept, visitorMark),
      lost: counts.filter((count) => count < copies).length,
      duplicates: counts.filter((count) => count > copies).length,
      logouts: site.log.filter(({ path }) => /out/.test(path)).length,
      mostTries: mostTries(site),
      acts,
      secretsFound,
      looks: watch.looks(),
      ended: running.code() === 0,
    };
    if (!figures.ended) console.error(output.slice(-2_000));
    return figures;
  } finally {
    await site.close();
  }
}

/** A request was refused since the last loss, and a password that does not work was tried as often as it may be. */
function needsHelp(site: MembersSite, help: Help): boolean {
  const since = site.log.filter(({ losses }) => losses === site.losses);
  const tries = since.filter(({ method }) => method === 'POST').length;
  return (
    since.some(({ isIn, path }) => !isIn && path !== '/robots.txt') && (help !== 'wrong-form' || tries >= 2)
  );
}

function mostTries({ log }: MembersSite): number {
  const byLoss = new Map<number, number>();
  for (const { method, losses } of log)
    if (method === 'POST') byLoss.set(losses, (byLoss.get(losses) ?? 0) + 1);
  return Math.max(0, ...byLoss.values());
}

/** Without the check of answers and the rule for links: each page leads to the way out. */
async function controlCase(under: string): Promise<Figures> {
  const copy = join(under, 'copy');
  const command = copyWith(
    [
      {
        file: 'packages/worker/src/session/fetch-entry.ts',
        from: '    if (step) return step;\n    if (why === undefined && !isToBeShown',
        to: '    if (why === undefined && !isToBeShown',
      },
      {
        file: 'packages/worker/src/session/logged-out.ts',
        from: '  const { entry, own } = options;',
        to: '  if (Date.now() > 0) return undefined;\n  const { entry, own } = options;',
      },
      {
        file: 'packages/protocol/src/url/log-out.ts',
        from: '  return at >= 0 && way',
        to: '  return at < 0 && way',
      },
    ],
    copy,
  );
  return await runCase(
    { help: 'cookies', refusal: 'soft', pages: 8, losses: 1 },
    join(under, 'control'),
    command,
  );
}

/** In a file, in a compressed one and in text. */
function plantedFound(under: string): number {
  const folder = join(under, 'planted');
  mkdirSync(folder);
  const planted = canaryOf('planted', 's-0123456789abcdef01234567');
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ cookie: planted.value }));
  const found = searchFolder(folder, [planted]).length;
  writeFileSync(join(folder, 'cookies.json'), JSON.stringify({ cookie: planted.value }), { mode: 0o600 });
  return found + jarsIn(folder, [planted]).length + canariesIn(`session=${planted.value};`, [planted]).length;
}

/** The jar of a crawl is a file that may hold secrets, but none of an account. */
function jarsIn(folder: string, canaries: readonly Canary[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name === 'cookies.json')
    .map((one) => join(one.parentPath, one.name))
    .flatMap((file) =>
      canariesIn(readFileSync(file, 'latin1'), canaries).map((name) => `${name} in ${file}`),
    );
}

function archivedPages(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.warc.gz'))
    .map((one) => gunzipSync(readFileSync(join(one.parentPath, one.name))).toString('latin1'))
    .join('\n');
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

function runCommand(
  command: string,
  words: string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): { pid: number; done: Promise<string>; code(): number | null } {
  if (!existsSync(command)) throw new Error(`no command at ${command}`);
  const child = spawn(process.execPath, [command, ...words], { cwd, env, timeout: COMMAND_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const done = new Promise<string>((resolve) => child.once('close', () => resolve(output)));
  return { pid: child.pid ?? 0, done, code: () => child.exitCode };
}
