import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './find-browser.ts';
import { trafficSwitches } from './switches.ts';

/** A browser that is not ours: another program started it, and we know its address only. */
export interface StartedBrowser {
  /** Of its DevTools protocol: stays the same when it is started again at the same port. */
  url: string;
  /** The same for this start alone. It holds the secret that controls the browser. */
  socketUrl: string;
  port: number;
  /** What is open in it. */
  pages(): Promise<string[]>;
  /** As a crash does it. Resolves when it is gone. */
  kill(): Promise<void>;
}

export interface StartOptions {
  program?: string;
  /** 0: any. */
  port?: number;
  switches?: readonly string[];
}

const starts = new Set<Promise<StartedBrowser>>();

/** Also those that are only just starting, where a test failed meanwhile. */
export async function killBrowsersElsewhere(): Promise<void> {
  for (const start of starts) await start.then((browser) => browser.kill()).catch(() => undefined);
  starts.clear();
}

export function startBrowserElsewhere(options: StartOptions = {}): Promise<StartedBrowser> {
  const start = startOne(options);
  starts.add(start);
  return start;
}

async function startOne({
  program = findBrowser() ?? '',
  port = 0,
  switches = ['--enable-automation', ...trafficSwitches('127.0.0.1')],
}: StartOptions): Promise<StartedBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'webfarer-browser-'));
  const words = ['--headless', '--no-sandbox', `--user-data-dir=${profile}`];
  const child = spawn(program, [...words, `--remote-debugging-port=${port}`, ...switches], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // It starts others, which end with it.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const socketUrl = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
      const [, found] = /listening on (ws:\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void gone.then(() => reject(new Error(`the browser ended: ${said}`)));
  });
  const [, host = ''] = /^ws:\/\/([^/]+)/.exec(socketUrl) ?? [];
  const url = `http://${host}`;
  return {
    url,
    socketUrl,
    port: Number(host.split(':')[1]),
    async pages() {
      const answer = await fetch(`${url}/json/list`);
      return ((await answer.json()) as { url: string }[]).map((page) => page.url);
    },
    async kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It is gone.
      }
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
