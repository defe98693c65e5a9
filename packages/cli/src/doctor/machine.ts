import { statfs } from 'node:fs/promises';
import type { DatedClock, Url, WebfarerError } from '@webfarer/protocol';
import { type BrowserSettings, createEgress, openMachineBrowser } from '@webfarer/worker';
import { browserSettings } from '../machine/browser-settings.ts';
import { bytes } from '../terminal/format.ts';
import { type Check, looked } from './check.ts';

export interface MachineOptions {
  /** `process.versions.node`. */
  node: string;
  cwd: string;
  clock: DatedClock;
  /** Name servers instead of the system's. */
  dns: readonly string[];
  /** What a crawl needs to be free before it pauses. */
  minFreeBytes: number;
}

const oldestNode = [22, 19] as const;
/** This program is not older. A clock before that makes certificates look not yet valid. */
const releasedAtMs = Date.UTC(2026, 0, 1);
/** Reserved never to exist (RFC 2606): a working DNS server says so, and no real host is contacted. */
const noSuchName = 'http://webfarer-doctor.invalid/' as Url;
const patienceMs = 10_000;

/** What every crawl on this machine needs. */
export async function checkMachine(options: MachineOptions): Promise<Check[]> {
  return await Promise.all([
    looked('node', () => nodeCheck(options.node)),
    looked('disk', () => diskCheck(options.cwd, options.minFreeBytes)),
    looked('names', () => namesCheck(options)),
    looked('clock', () => clockCheck(options.clock.now())),
    looked('browser', () => browserCheck(browserSettings(), options.clock)),
  ]);
}

export function nodeCheck(version: string): Omit<Check, 'name'> {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const text = `Node ${version}`;
  return ok ? { ok, text } : { ok, text, next: `Install Node ${oldestNode.join('.')} or later.` };
}

export async function diskCheck(folder: string, minFreeBytes: number): Promise<Omit<Check, 'name'>> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const ok = free >= minFreeBytes;
  const text = `${bytes(free)} free, ${bytes(minFreeBytes)} needed`;
  return ok
    ? { ok, text }
    : { ok, text, next: 'Free some space. A crawl pauses below that and resumes on its own.' };
}

export function clockCheck(nowMs: number): Omit<Check, 'name'> {
  const text = `${new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (nowMs >= releasedAtMs) return { ok: true, text };
  return {
    ok: false,
    text,
    next: 'Set the clock. With a wrong one, certificates look invalid and records get wrong dates.',
  };
}

/** Few crawls need one, so having none is fine. One that was chosen and cannot be used is not. */
export async function browserCheck(
  { browser, browserProxy }: Pick<BrowserSettings, 'browser' | 'browserProxy'>,
  clock: DatedClock,
): Promise<Omit<Check, 'name'>> {
  const shows = openMachineBrowser({ browser, browserProxy, process: undefined }, clock);
  try {
    const text = await shows.check();
    return {
      ok: true,
      text: text ?? 'none; render: always needs one (on Debian: apt-get install chromium-headless-shell)',
    };
  } catch (error) {
    const { message, next } = error as WebfarerError;
    return { ok: false, text: message, ...(next === undefined ? {} : { next }) };
  } finally {
    await shows.close();
  }
}

async function namesCheck({ clock, dns }: MachineOptions): Promise<Omit<Check, 'name'>> {
  const egress = createEgress({ clock, dns: dns.length > 0 ? dns : undefined });
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await egress.reach({ url: noSuchName, allowPrivate: [], timeoutMs: patienceMs, signal });
    if (!answer.ok && answer.reason === 'dns-not-found') return { ok: true, text: 'DNS servers respond' };
    if (!answer.ok && answer.reason === 'dns-failed') {
      return {
        ok: false,
        text: `no response (${answer.detail})`,
        next: 'Check the network, or name a server with --dns.',
      };
    }
    return {
      ok: false,
      text: 'DNS servers answer for names that do not exist',
      next: 'A captive portal, or a provider that redirects mistyped names: dead links will look alive.',
    };
  } finally {
    await egress.close();
  }
}
