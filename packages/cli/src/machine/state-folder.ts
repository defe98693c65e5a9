import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  machine: string;
}

/**
 * Where the crawls of one user of this machine agree on who contacts a host: the file of the host ledger. The command
 * and the library must find the same one, so this is the one place besides main.ts that reads the environment.
 */
export function hostLedgerPath(around: Surroundings = surroundings()): string {
  // On Linux several machines may share a home folder; a file that processes share must be on one machine.
  const machine = around.platform === 'linux' ? `-${around.machine.replaceAll(/[^\w.-]/g, '_')}` : '';
  return join(stateFolder(around), `hosts${machine}.db`);
}

/** Accounts that crawls are logged in with, and the key to them if it is not a file beside them. */
export function accountPlace(around: Surroundings = surroundings()): {
  folder: string;
  key: string | undefined;
} {
  return {
    folder: join(stateFolder(around), 'accounts'),
    key: around.env['WEBFARER_ACCOUNTS_KEY'] || undefined,
  };
}

/** What was typed into `webfarer shell`. */
export function shellHistoryPath(around: Surroundings = surroundings()): string {
  return join(stateFolder(around), 'shell-history');
}

function surroundings(): Surroundings {
  return { env: process.env, platform: process.platform, home: homedir(), machine: hostname() };
}

function stateFolder({ env, platform, home }: Surroundings): string {
  if (env['WEBFARER_STATE']) return resolve(env['WEBFARER_STATE']);
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'webfarer');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'webfarer');
  const given = env['XDG_STATE_HOME'];
  // The XDG specification: a relative path is to be ignored.
  return join(given?.startsWith('/') ? given : join(home, '.local', 'state'), 'webfarer');
}
