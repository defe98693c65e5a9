import { crawlLabels, type MetricMeaning, metricTable } from '@webfarer/protocol/metrics';
import { code, generated, table } from './markdown.ts';

const intro = `Every coordinator answers \`GET /metrics\` on its port in the text format of Prometheus. The request needs a token: make one that can do nothing else, and let Prometheus send it.

\`\`\`sh
webfarer token new metrics --note Prometheus --token-file prometheus.token --data ./webfarer-coordinator
\`\`\`

\`\`\`yaml
# prometheus.yml
rule_files: [rules.yml]
scrape_configs:
  - job_name: webfarer-coordinator
    authorization: { credentials_file: prometheus.token }
    static_configs: [{ targets: ['10.0.0.5:7311'] }]
  - job_name: webfarer-worker
    static_configs: [{ targets: ['10.0.0.6:9464'] }]
\`\`\`

A worker, and \`webfarer crawl\` and \`run\`, have no port of their own; \`--metrics 10.0.0.6:9464\` opens one that answers \`/metrics\` to everyone who reaches it, and nothing else. \`--metrics 9464\` listens on 127.0.0.1, so that only this machine reaches it. \`coordinator --metrics\` opens such a port too, for a Prometheus that cannot send a token. Without the option no port is opened.

[deploy/prometheus](../deploy/prometheus) has this configuration with alert rules; each alert has a section in [runbook.md](runbook.md) that says what to do. Most fire in a test that causes their trouble with real processes (\`npm run prove -- alerts\`), the others on made-up series. [deploy/grafana/webfarer.json](../deploy/grafana/webfarer.json) is a dashboard to import; its panels are checked against a live Prometheus, and it was not opened in Grafana.`;

const rules = `- **Sums are right.** Several coordinators may share a store, and workers report to any of them. A metric of *process* counts what its process did itself: a page is in \`webfarer_pages_total\` of the one coordinator that committed it, and in \`webfarer_worker_pages_total\` of the one worker that fetched it. A metric of *store* describes the whole store; of the coordinators that serve the same crawls, the one with the lowest id reports it, so that \`sum()\` is right for it as well. For up to 15 s after that coordinator is lost nobody reports those metrics, and two may for a moment while a crawl is being opened.
- **Labels are bounded.** No label holds a URL or a host. The first ${crawlLabels} crawls of a process have their name as a label; one that comes later takes the place of the crawl that ended first, or is counted as \`other\`. A crawl without a \`name\` is named after the host of its first seed. A label value that is not in its closed list is reported as \`other\`.
- **What cannot be read is absent**, not zero or stale: with an unreachable store \`webfarer_urls\` is missing from the scrape and \`webfarer_scrape_failures_total\` grows.
- **Worker processes** of \`crawl --processes\` are separate processes whose \`webfarer_worker_*\` metrics are not collected; the coordinator's metrics of the same crawl are complete.`;

/** Every metric, with its labels. */
export function metricsPage(): string {
  const all = Object.entries<MetricMeaning>(metricTable);
  const rows = (wanted: (one: MetricMeaning) => boolean) =>
    table(
      ['metric', 'type', 'of', 'labels', 'meaning'],
      all
        .filter(([, meaning]) => wanted(meaning))
        .map(([name, { kind, of, labels, help }]) => [
          code(name),
          kind,
          of,
          Object.keys(labels).map(code).join(', '),
          help,
        ]),
    );
  const lists = all.flatMap(([name, { labels }]) =>
    Object.entries(labels).flatMap(([label, values]) =>
      typeof values === 'string' || values.length > 6
        ? []
        : [[code(name), code(label), values.map(code).join(', ')]],
    ),
  );
  return [
    generated,
    '# Metrics',
    intro,
    '## How to read them',
    rules,
    '## On coordinators',
    rows(({ on }) => on === 'coordinator'),
    '## On workers, and on coordinators that fetch',
    rows(({ on }) => on === 'worker'),
    '## On both',
    rows(({ on }) => on === 'both'),
    '## Values of labels',
    'The values of `reason` and `cause` are in [reasons.md](reasons.md), those of `type` in [events.md](events.md). The others:',
    table(['metric', 'label', 'values'], lists),
  ]
    .join('\n\n')
    .concat('\n');
}
