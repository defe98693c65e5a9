import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { metricTable } from '@webfarer/protocol/metrics';
import { expect, it } from 'vitest';
import { alertNames, namedMetrics } from './named-metrics.ts';
import { hurried, rulesFile } from './prometheus.ts';

const cwd = dirname(rulesFile);
const promtool = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', words, { cwd, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};

it('promtool accepts the rules and the configuration', () => {
  expect(promtool('check', 'rules', 'rules.yml')).toMatchObject({ status: 0 });
  expect(promtool('check', 'config', '--syntax-only', 'prometheus.yml')).toMatchObject({ status: 0 });
});

it('each alert fires in the trouble it is for, and none in a healthy network', () => {
  const { status, said } = promtool('test', 'rules', 'rules.test.yml');
  expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' });
  const tested = readFileSync(resolve(cwd, 'rules.test.yml'), 'utf8');
  for (const name of alertNames()) expect(tested).toContain(`alertname="${name}"`);
});

it('each trouble that a store can have has an alert', () => {
  const rules = readFileSync(rulesFile, 'utf8');
  for (const cause of metricTable.webfarer_store_trouble.labels.cause)
    expect(rules).toContain(`webfarer_store_trouble{cause="${cause}"}`);
});

it('rules and dashboard name only metrics that exist', () => {
  const unknown = [...namedMetrics()].filter((name) => !(name in metricTable));
  expect(unknown).toEqual([]);
});

it('dashboard and rules use every metric', () => {
  const named = namedMetrics();
  expect(Object.keys(metricTable).filter((name) => !named.has(name))).toEqual([]);
});

it('each alert has a section in the runbook, which its runbook_url names', () => {
  const rules = readFileSync(rulesFile, 'utf8');
  const runbook = readFileSync(resolve(cwd, '../../docs/runbook.md'), 'utf8');
  for (const name of alertNames()) {
    expect(rules).toContain(`docs/runbook.md#${name.toLowerCase()}\n`);
    const [, section = ''] = runbook.split(`\n## ${name}\n`);
    for (const part of ['**What it means.**', '**Look.**', '**Do.**'])
      expect(section.split('\n## ')[0], `${name} ${part}`).toContain(part);
  }
  const sections = [...runbook.matchAll(/^## (Webfarer\w+)$/gm)].map(([, name]) => name);
  expect(new Set(sections)).toEqual(new Set(alertNames()));
});

it('the proof waits less, and changes nothing else', () => {
  const rules = readFileSync(rulesFile, 'utf8');
  const durations = /\d+[ms](?=\]|$)/gm;
  expect(hurried(rules).replace(durations, '')).toBe(rules.replace(durations, ''));
  expect(hurried(rules)).not.toMatch(/for: \d+m$|\[\d+m\]/m);
});
