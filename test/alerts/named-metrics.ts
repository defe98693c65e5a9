import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rulesFile } from './prometheus.ts';

const dashboardFile = resolve(import.meta.dirname, '../../deploy/grafana/webfarer.json');

interface Panel {
  targets?: { expr: string }[];
}

/** Every expression of the dashboard, as it is asked for all crawls over one minute. */
export function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(dashboardFile, 'utf8')) as { panels: Panel[] };
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$crawl', '.*'));
}

/** Names of alerts, in the order of the file. */
export function alertNames(): string[] {
  return [...readFileSync(rulesFile, 'utf8').matchAll(/^ {6}- alert: (\w+)$/gm)].map(
    ([, name]) => name ?? '',
  );
}

/** The metrics that rules and dashboard ask for, without what belongs to a histogram's parts. */
export function namedMetrics(): Set<string> {
  const texts = [readFileSync(rulesFile, 'utf8').replace(/runbook_url: .*/g, ''), ...dashboardExpressions()];
  const names = texts.flatMap((text) => text.match(/\b(?:webfarer|process|nodejs)_[a-z_]+/g) ?? []);
  return new Set(names.map((name) => name.replace(/(_seconds)_(?:bucket|sum|count)$/, '$1')));
}

/** The metrics of a scrape. */
export function metricsIn(scrape: string): Set<string> {
  return new Set([...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''));
}
