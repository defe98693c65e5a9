import type { Url } from '@webfarer/protocol';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { Expected } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';
import type { JudgedRecord } from './judge-records.ts';

/** The log and records of a crawl without fault, written down instead of run: tests spoil them one way each. */
export function perfectCrawl(web: Web, gapMs: number): { log: LogEntry[]; records: JudgedRecord[] } {
  const pace = createPace(web, gapMs);
  const log: LogEntry[] = [];
  const records: JudgedRecord[] = [];
  for (const expected of web.expected()) {
    records.push(recordOf(expected));
    const [, scheme, name, path] = /^(https?):\/\/([^/:]+)[^/]*(\/.*)$/.exec(expected.url) ?? [];
    if (expected.reason === 'host-dead' || expected.reason === 'dns-not-found') continue;
    const ask = { scheme: scheme as 'http' | 'https', host: name as string };
    if (pace.isNew(`${scheme} ${name}`)) log.push(pace.request({ ...ask, path: '/robots.txt' }));
    if (expected.verdict === 'refused' && expected.reason !== 'type') continue;
    const first = pace.request({ ...ask, path: path as string });
    log.push(first);
    const again = first.status === 429 || first.status >= 500;
    if (again) log.push(pace.request({ ...ask, path: path as string }));
  }
  for (const host of web.trapHosts()) {
    for (const path of ['/robots.txt', '/'])
      log.push(pace.request({ scheme: 'http', host: host.name, path }));
    records.push(
      recordOf({ url: `http://${host.name}/`, verdict: 'done', reason: 'ok', status: 200, kind: 'page' }),
    );
  }
  return { log: log.toSorted((a, b) => a.startNs - b.startNs), records };
}

function recordOf(expected: Expected): JudgedRecord {
  const { url, verdict, reason, status, truncated } = expected;
  return {
    url: url as Url,
    verdict,
    reason,
    ...(status === undefined ? {} : { status }),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

/** Each host has its own clock: a request takes 2 ms and the next one comes when all that is owed is paid. */
function createPace(web: Web, gapMs: number) {
  const due = new Map<string, number>();
  const asked = new Map<string, number>();
  const origins = new Set<string>();
  return {
    isNew(origin: string): boolean {
      const known = origins.has(origin);
      origins.add(origin);
      return !known;
    },
    request(ask: Pick<LogEntry, 'scheme' | 'host' | 'path'>): LogEntry {
      const host = web.hostNamed(ask.host);
      if (host === undefined) throw new Error(`no host ${ask.host}`);
      const before = (): number => {
        const count = asked.get(ask.host + ask.path) ?? 0;
        asked.set(ask.host + ask.path, count + 1);
        return count;
      };
      const answer = web.answer({ scheme: ask.scheme, host, path: ask.path, acceptEncoding: '', before });
      const retryAfterMs = answer.head.includes('Retry-After') ? 1_000 : 0;
      const startNs = due.get(ask.host) ?? 1e9;
      const endNs = startNs + 2e6;
      due.set(ask.host, endNs + Math.max(gapMs, host.crawlDelayMs, retryAfterMs) * 1e6);
      const common = { method: 'GET', peerPort: 40_000, agent: 'webfarer/1', headers: '' };
      const asksPatience = retryAfterMs === 0 ? {} : { retryAfterMs };
      return { ...ask, ...common, startNs, endNs, status: answer.status, ...asksPatience };
    },
  };
}
