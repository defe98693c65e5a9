// watches: packages/cli/src/commands, packages/cli/src/network, packages/cli/src/job, packages/cli/src/context
// watches: docs/first-network.md, packages/coordinator/src/schedule
// misses: the five commands of the first network no longer do what the page says
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inOwnNetwork } from '../install/own-network.ts';
import { fencedBlock } from '../install/quick-start.ts';
import { type Shell, warningsIn } from '../install/shell.ts';
import type { NetworkTyped, NetworkTyping } from '../install/type-network.ts';
import { commandPath } from './lab.ts';

const root = resolve(import.meta.dirname, '../..');
/** The pause between two requests is the one people get, so the site's size decides how long this takes. */
const leaves = { full: 30, quick: 1 };

/**
 * The five commands of docs/first-network.md, typed as they stand in an empty folder: a coordinator, a worker, a job file,
 * a schedule, and its first run followed to the end. They reach a site that is called example.org in a network of its own.
 * Judged by the site's own log: every page that it was asked for is printed once, and no other. Control: the last command
 * typed before the schedule exists must fail, and the site must not have been asked for anything.
 */
export async function prove(options: {
  quick: boolean;
  args: string[];
}): Promise<{ ok: boolean; result: Record<string, unknown> }> {
  const work = mkdtempSync(join(tmpdir(), 'webfarer-first-network-'));
  try {
    const lines = commandsIn(readFileSync(join(root, 'docs/first-network.md'), 'utf8'));
    const site = join(work, 'site');
    mkdirSync(site);
    const typing: NetworkTyping = {
      shell: emptyFolder(work),
      lines,
      leaves: options.quick ? leaves.quick : leaves.full,
      folder: site,
    };
    const program = join(root, 'test/install/type-network.ts');
    const typed = await inOwnNetwork<NetworkTyped>({ program, args: typing, folder: site });
    const failures = judge(lines, typed);
    return {
      ok: failures.length === 0,
      result: {
        commands: lines.length,
        pages: pagesOf(typed).length,
        failures,
        sizes: { leaves: typing.leaves },
      },
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Without the comments behind them. */
function commandsIn(markdown: string): string[] {
  return fencedBlock(markdown, 'first-network')
    .split('\n')
    .map((line) => line.replace(/ {2,}#.*$/, '').trim());
}

/** A folder of a person who has nothing but the command. */
function emptyFolder(work: string): Shell {
  const folder = join(work, 'home');
  const bin = join(work, 'bin');
  mkdirSync(folder);
  mkdirSync(bin);
  writeFileSync(join(bin, 'webfarer'), `#!/bin/sh\nexec '${process.execPath}' '${commandPath}' "$@"\n`);
  chmodSync(join(bin, 'webfarer'), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, XDG_STATE_HOME: join(work, 'state') };
  return { folder, env };
}

/** What `results` printed: an outcome and a URL a line. */
function pagesOf({ ran }: NetworkTyped): string[] {
  const lines = (ran.at(-1)?.output ?? '').split('\n');
  return lines.flatMap((line) => /^ {2}\S.* {2}(https?:\/\/\S+)$/.exec(line)?.[1] ?? []);
}

function judge(lines: string[], typed: NetworkTyped): string[] {
  const { stayed, ran, asked, tooEarly, askedTooEarly } = typed;
  const failures: string[] = [];
  if (lines.length !== 5) failures.push(`the page has ${lines.length} commands, not 5`);
  for (const [n, { code, output }] of [...stayed, ...ran].entries()) {
    if (code !== 0) failures.push(`${lines[n]}: exit ${code}: ${output.slice(-600)}`);
    for (const line of warningsIn(output)) failures.push(`${lines[n]}: ${line.trim()}`);
  }
  const [coordinator] = stayed;
  const promised = [lines[1] ?? '', 'webfarer init', 'webfarer schedule add', 'webfarer ls'];
  for (const text of promised)
    if (!coordinator?.output.includes(text))
      failures.push(`the coordinator does not print "${text}" as a next step`);
  if (
    !/weekly \S+: finished {3}look: {2}webfarer report \.\/webfarer-coordinator\/crawls\//.test(
      coordinator?.output ?? '',
    )
  )
    failures.push(
      `the coordinator does not say where the finished crawl is: ${coordinator?.output.slice(-600)}`,
    );
  if (!ran.at(-1)?.output.includes('the crawl is finished')) failures.push('the crawl did not finish');

  const printed = pagesOf(typed);
  const requested = asked
    .filter(({ what }) => what.startsWith('GET ') && !what.endsWith('/robots.txt'))
    .map(({ what }) => what.slice('GET '.length));
  if (printed.length === 0) failures.push('no page was printed');
  if (new Set(printed).size !== printed.length) failures.push('a page was printed twice');
  const missing = [...new Set(requested)].filter((url) => !printed.includes(url) && !/sitemap/.test(url));
  if (missing.length > 0) failures.push(`requested, but not printed: ${missing.slice(0, 5).join(' ')}`);

  if (tooEarly.code === 0) failures.push('control: results of a schedule that does not exist succeeded');
  if (askedTooEarly > 0) failures.push(`control: ${askedTooEarly} requests before there was a schedule`);
  return failures;
}
