/**
 * Takes the picture of the live view for the README: a real crawl of a site called example.org, in a
 * network and a terminal of its own. `node scripts/picture.ts` writes docs/live-view.svg; needs tmux.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startExampleSite } from '../test/install/example-site.ts';
import { inOwnNetwork, publicAddress } from '../test/install/own-network.ts';
import { terminalSvg } from './picture/terminal-svg.ts';

const size = { columns: 104, rows: 24 };
const seconds = 24;
const root = resolve(import.meta.dirname, '..');

/** Inside the own network: types the command into a terminal and looks at the screen after a while. */
async function look(folder: string): Promise<string> {
  const site = await startExampleSite({ folder, address: publicAddress, leaves: 60 });
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', `picture-${process.pid}`, ...args], { encoding: 'utf8' });
  const start = join(folder, 'start.sh');
  const command = `"${process.execPath}" "${join(root, 'packages/cli/src/bin.ts')}"`;
  writeFileSync(start, `PS1='$ '\ncd "${folder}"\nnpx() { shift; ${command} "$@"; }\nclear\n`);
  const env = ['-e', `NODE_EXTRA_CA_CERTS=${site.caFile}`, '-e', 'CI=', '-e', 'npm_command=exec'];
  tmux(
    'new-session',
    '-d',
    '-x',
    `${size.columns}`,
    '-y',
    `${size.rows}`,
    ...env,
    `bash --rcfile "${start}" -i`,
  );
  tmux('send-keys', 'npx webfarer crawl example.org', 'Enter');
  await sleep(seconds * 1_000);
  const screen = tmux('capture-pane', '-p', '-e');
  tmux('kill-server');
  await site.stop();
  return screen;
}

if (process.argv[2] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-picture-'));
  try {
    const screen = await inOwnNetwork<string>({ program: import.meta.filename, args: { folder }, folder });
    writeFileSync(join(root, 'docs', 'live-view.svg'), terminalSvg(screen, size.columns));
    console.log('docs/live-view.svg');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  const { folder } = JSON.parse(process.argv[2]) as { folder: string };
  process.stdout.write(JSON.stringify(await look(folder)));
}
