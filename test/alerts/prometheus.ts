import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { until } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';

export const rulesFile = resolve(import.meta.dirname, '../../deploy/prometheus/rules.yml');

export interface ScrapeJob {
  name: 'webfarer-coordinator' | 'webfarer-worker';
  /** `127.0.0.1:7311`. */
  targets: string[];
  tokenFile?: string;
}

/** A real Prometheus server that watches real processes. */
export interface Prometheus {
  /** Names of the alerts that fire now. */
  firing(): Promise<Set<string>>;
  /** The series that an expression has now; rejects where it is malformed. */
  query(expression: string): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** The alert rules as they are, with a second for each minute: only how long is waited differs. */
export function hurried(rules: string): string {
  return rules.replace(/^(\s+for: )(\d+)m$/gm, '$1$2s').replace(/\[(\d+)m\]/g, '[$1s]');
}

export async function startPrometheus(folder: string, jobs: ScrapeJob[]): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rules.yml'), hurried(readFileSync(rulesFile, 'utf8')));
  const config = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: ['rules.yml'],
    scrape_configs: jobs.map(({ name, targets, tokenFile }, n) => ({
      job_name: n === 0 ? name : `${name}-${n}`,
      static_configs: [{ targets, labels: { job: name } }],
      ...(tokenFile === undefined ? {} : { authorization: { credentials_file: tokenFile } }),
    })),
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const [port] = await freePorts('127.0.0.1', 1);
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-5_000);
  });
  const stop = ender(child);
  async function ask(path: string): Promise<{ [field: string]: unknown }> {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const { data, error } = (await answer.json()) as { data?: { [field: string]: unknown }; error?: string };
    if (!data) throw new Error(`${path}: ${error}`);
    return data;
  }
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await until('Prometheus', async () => child.exitCode !== null || (await isUp()), 60_000);
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${printed}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async firing() {
      const { alerts } = (await ask('/api/v1/alerts')) as {
        alerts: { state: string; labels: { alertname: string } }[];
      };
      return new Set(alerts.flatMap(({ state, labels }) => (state === 'firing' ? [labels.alertname] : [])));
    },
    async query(expression) {
      const { result } = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result as unknown[];
    },
  };
}

function ender(child: ChildProcess): () => Promise<void> {
  const ended = new Promise<void>((done) => {
    child.once('close', () => done());
    child.once('error', () => done());
  });
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}
