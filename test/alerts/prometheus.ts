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
  /** A coordinator whose store is unresponsive answers after two seconds, without what it could not read. */
  every: '500ms' | '3s';
  tokenFile?: string;
}

/** A real Prometheus server that watches real processes. */
export interface Prometheus {
  /** Names of the alerts that fire now. */
  firing(): Promise<Set<string>>;
  /** The series that an expression has now; rejects where it is malformed. */
  query(expression: string): Promise<unknown[]>;
  /** Every metric that was in any scrape so far. */
  scraped(): Promise<Set<string>>;
  stop(): Promise<void>;
}

/**
 * The alert rules as they are, with two seconds for each minute: only the durations differ. The shortest window, three minutes, then
 * holds two scrapes of the slowest job, so that one scrape that times out on a busy machine does not reset an alert.
 */
export function hurried(rules: string): string {
  const seconds = (minutes: string) => `${2 * Number(minutes)}s`;
  return rules
    .replace(/^(\s+for: )(\d+)m$/gm, (_, before: string, minutes: string) => before + seconds(minutes))
    .replace(/\[(\d+)m\]/g, (_, minutes: string) => `[${seconds(minutes)}]`);
}

export async function startPrometheus(folder: string, jobs: ScrapeJob[]): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rules.yml'), hurried(readFileSync(rulesFile, 'utf8')));
  const config = {
    global: { evaluation_interval: '500ms' },
    rule_files: ['rules.yml'],
    scrape_configs: jobs.map(({ name, targets, every, tokenFile }, n) => ({
      job_name: n === 0 ? name : `${name}-${n}`,
      scrape_interval: every,
      scrape_timeout: every,
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
  async function ask<Data = { [field: string]: unknown }>(path: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const { data, error } = (await answer.json()) as { data?: Data; error?: string };
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
    async scraped() {
      const names = await ask<string[]>('/api/v1/label/__name__/values');
      return new Set(names.map((name) => name.replace(/(_seconds)_(?:bucket|sum|count)$/, '$1')));
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
