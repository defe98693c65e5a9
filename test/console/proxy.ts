import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';

/** nginx in front of several coordinators, as deploy/nginx has it, without TLS. */
export async function startProxy(
  folder: string,
  upstreams: readonly string[],
): Promise<{ url: string; stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const shipped = readFileSync(join(import.meta.dirname, '../../deploy/nginx/webfarer.conf'), 'utf8');
  const part = (pattern: RegExp): string => {
    const found = pattern.exec(shipped)?.[0];
    if (found === undefined) throw new Error(`deploy/nginx/webfarer.conf has nothing like ${pattern}`);
    return found;
  };
  const [port] = await freePorts('127.0.0.1', 1);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const settings = join(folder, 'nginx.conf');
  writeFileSync(
    settings,
    `daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
events { worker_connections 4096; }
http {
  access_log off;
  ${places.join('\n  ')}
  ${part(/map \$http_upgrade[\s\S]*?\n}/)}
  upstream webfarer { ${upstreams.map((each) => `server ${each};`).join(' ')} keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    ${part(/location \/ \{[\s\S]*?\n {2}\}/)}
  }
}
`,
  );
  const user = process.getuid?.() === 0 ? ['-g', 'user root;'] : [];
  const child = spawn('nginx', ['-p', folder, '-c', settings, ...user], { stdio: 'inherit' });
  const gone = new Promise<void>((done) => child.once('close', () => done()));
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  await until('the proxy to answer', answers, 30_000);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
