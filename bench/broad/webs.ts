import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { OriginTask } from './origin.ts';
import { hasNginx, startRealPages } from './real-pages.ts';
import { hostAddress, type Site } from './site.ts';
import type { Web } from './web.ts';

const run = promisify(execFile);

export type ProfileName = 'small' | 'medium' | 'tls' | 'real';

/** Hosts, pages of each, links and bytes of a page. `medium` is the one that is judged. */
const sites: Record<Exclude<ProfileName, 'real'>, Site> = {
  small: { hosts: 64, pagesPerHost: 60, linksPerPage: 20, pageBytes: 5_000 },
  medium: { hosts: 64, pagesPerHost: 100, linksPerPage: 61, pageBytes: 26_000 },
  tls: { hosts: 64, pagesPerHost: 50, linksPerPage: 61, pageBytes: 26_000 },
};

export interface WebOptions {
  folder: string;
  /** The folder of real pages, where there is one. */
  corpora: string | undefined;
  /** Fewer pages, for a quick look. */
  quick: boolean;
}

/** Starts the web of a profile; undefined, with the reason said, where something it needs is missing. */
export async function startWeb(profile: ProfileName, options: WebOptions): Promise<Web | undefined> {
  const folder = join(options.folder, profile);
  await mkdir(folder, { recursive: true });
  if (profile === 'real') {
    const missing =
      options.corpora === undefined ? 'WEBFARER_CORPORA is not set' : hasNginx() ? '' : 'no nginx';
    if (missing === '') return await startRealPages(options.corpora ?? '', 24, folder);
    console.error(`  real pages are left out: ${missing}`);
    return undefined;
  }
  const site = options.quick ? { ...sites[profile], hosts: 32, pagesPerHost: 40 } : sites[profile];
  return await startOrigin(site, profile === 'tls' ? folder : undefined);
}

async function startOrigin(site: Site, certificateFolder: string | undefined): Promise<Web> {
  const tls =
    certificateFolder === undefined ? undefined : await makeCertificate(certificateFolder, site.hosts);
  const task: OriginTask = { ...site, ...(tls ? { tls } : {}) };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'origin.ts'), JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [ready] = (await Promise.race([
    new Promise((resolve) => lines.once('line', (line) => resolve([line]))),
    new Promise((_, reject) => child.once('exit', () => reject(new Error('the origin did not start')))),
  ])) as [string];
  const { port, meanBytes } = JSON.parse(ready) as { port: number; meanBytes: number };
  const scheme = tls ? 'https' : 'http';
  return {
    seeds: Array.from({ length: site.hosts }, (_, host) => `${scheme}://${hostAddress(host)}:${port}/`),
    inside: `^${scheme}://127\\.77\\.\\d+\\.\\d+:${port}/`,
    ...(tls ? { ca: tls.cert } : {}),
    facts: { ...site, meanBytes, pages: site.hosts * site.pagesPerHost },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await gone;
    },
  };
}

/** A certificate for all addresses, its own authority. */
async function makeCertificate(folder: string, hosts: number): Promise<{ key: string; cert: string }> {
  const [key, cert, config] = ['key.pem', 'cert.pem', 'cert.cnf'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const names = Array.from({ length: hosts }, (_, host) => `IP:${hostAddress(host)}`).join(',');
  await writeFile(
    config,
    `[req]\ndistinguished_name=dn\nx509_extensions=ext\n[dn]\n[ext]\nsubjectAltName=${names}\n`,
  );
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=bench';
  await run('openssl', [...made.split(' '), '-config', config, '-keyout', key, '-out', cert]);
  return { key, cert };
}
