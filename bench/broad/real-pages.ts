import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { hostAddress } from './site.ts';
import type { Web } from './web.ts';

/**
 * Real pages behind nginx with gzip: every host serves all of them below `/p/`, and an index that links
 * them. Links that lead elsewhere are read and counted, not followed.
 */
export async function startRealPages(corpus: string, hosts: number, folder: string): Promise<Web> {
  const root = join(folder, 'real');
  await mkdir(join(root, 'p'), { recursive: true });
  await mkdir(join(root, 'logs'), { recursive: true });
  const pages = (await readdir(join(corpus, 'html-pages')))
    .filter((name) => name.endsWith('.html'))
    .toSorted();
  for (const [n, name] of pages.entries())
    await copyFile(join(corpus, 'html-pages', name), join(root, 'p', `${n}.html`));
  const list = pages.map((_, n) => `<li><a href="/p/${n}.html">page ${n}</a></li>`).join('\n');
  await writeFile(join(root, 'index.html'), `<!doctype html><title>index</title><ul>\n${list}\n</ul>\n`);

  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(config, configFor(root, port, hosts));
  const server = spawn('nginx', ['-p', root, '-c', config, '-g', 'daemon off;'], { stdio: 'ignore' });
  const seeds = Array.from({ length: hosts }, (_, host) => `http://${hostAddress(host)}:${port}/`);
  await answering(seeds[0] as string).catch((error: unknown) => {
    server.kill('SIGTERM');
    throw error;
  });
  return {
    seeds,
    inside: `^http://127\\.77\\.\\d+\\.\\d+:${port}/(?:p/\\d+\\.html)?$`,
    facts: { hosts, pages: hosts * (pages.length + 1), server: 'nginx, gzip' },
    async stop() {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await gone;
    },
  };
}

/** Whether nginx is there; it is not installed by us. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
}

function configFor(root: string, port: number, hosts: number): string {
  const listen = Array.from({ length: hosts }, (_, host) => `listen ${hostAddress(host)}:${port};`).join(' ');
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((n) => `${n}_temp_path ${root}/logs;`)
    .join(' ');
  // As root it would become somebody else, who may not read our folder.
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};` : '';
  return `${user} worker_processes 1; pid ${root}/logs/pid; error_log ${root}/logs/error; events { worker_connections 2048; }
http { ${temp} access_log off; types { text/html html; } default_type text/plain; gzip on; gzip_comp_level 5;
keepalive_requests 1000000; server { ${listen} root ${root}; } }\n`;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, hostAddress(0), () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function answering(url: string): Promise<void> {
  const end = performance.now() + 10_000;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return void (await answer.arrayBuffer());
    if (performance.now() > end) throw new Error('nginx did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
