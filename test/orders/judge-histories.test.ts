import { describe, expect, it } from 'vitest';
import type { Host } from '../fake-web/hosts.ts';
import type { LogEntry } from '../fake-web/request-log.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { createWeb } from '../fake-web/web.ts';
import { plainHosts } from '../prove/dry-and-water.ts';
import { type History, newHistory, urlsOf } from './history.ts';
import { judgeHistories } from './judge-histories.ts';
import type { Absence } from './ordered-network.ts';

const ports = { httpPort: 8_080, httpsPort: 8_443 };
const web = createWeb({ size: 'S', seed: 8, ...ports });
const fake = { web, ...ports } as FakeWeb;
const hosts = plainHosts(web).slice(0, 3);
const second = 1e9;

/** A crawl of three hosts that asked for every page once, one each second. */
function perfect(changes: Partial<History> = {}): { history: History; log: LogEntry[] } {
  const history = { ...newHistory('one', hosts, 2), isWhole: true, ...changes };
  const urls = hosts.flatMap((host) => urlsOf(fake, history, host));
  return { history, log: urls.map((url, n) => asked(url, n)) };
}

function asked(url: string, atSecond: number): LogEntry {
  const { hostname, pathname, search } = new URL(url);
  const agent = 'Webfarer/1.0 (+https://lab.test/mark-one-end)';
  const times = { startNs: atSecond * second, endNs: atSecond * second + 1 };
  return { ...times, host: hostname, path: pathname + search, agent } as LogEntry;
}

function judged({ history, log }: ReturnType<typeof perfect>, absences: Absence[] = []) {
  const { examples: _, ...counts } = judgeHistories(fake, [history], { log, absences });
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

const [first, next] = hosts as [Host, Host];
const urlOf = (host: Host) => urlsOf(fake, { pagesEach: 2 }, host)[0] as string;

describe('the judge of histories of orders', () => {
  it('finds nothing where every page was asked for once', () => {
    expect(judged(perfect())).toEqual({});
  });

  it('finds pages that are missing, and hosts of which all are', () => {
    const { history, log } = perfect();
    expect(judged({ history, log: log.slice(1) })).toEqual({ lost: 1 });
    expect(judged({ history, log: log.slice(2) })).toEqual({ lost: 2, neverLeased: 1 });
    const forgotten = new Map([[first.name, 2 * second]]);
    expect(judged({ history: { ...history, forgotten }, log: log.slice(2) })).toEqual({});
    expect(judged({ history: { ...history, isWhole: false }, log: [] })).toEqual({});
  });

  it('finds pages that nobody wanted', () => {
    const { history, log } = perfect();
    expect(judged({ history, log: [...log, asked(`http://${first.name}:8080/other`, 3)] })).toEqual({
      extra: 1,
    });
  });

  it('finds what comes after a host was forgotten, or a crawl deleted', () => {
    const { history, log } = perfect({ forgotten: new Map([[first.name, 2 * second]]), goneNs: 9 * second });
    expect(judged({ history, log: [...log, asked(urlOf(first), 6)] })).toEqual({ repeated: 1 });
    expect(judged({ history, log: [...log, asked(urlOf(first), 8)] })).toEqual({ repeated: 1, late: 1 });
    expect(judged({ history, log: [...log, asked(urlOf(next), 22)] })).toEqual({ repeated: 1, late: 1 });
  });

  it('tells repeats that were ordered, or that a kill explains, from those without a reason', () => {
    const retried = [{ host: first.name, fromNs: 4 * second, toNs: 5 * second }];
    const { history, log } = perfect({ retried });
    const again = [...log, asked(urlOf(first), 6)];
    expect(judged({ history, log: again })).toEqual({ retried: 1 });
    expect(judged({ history, log: [...log, asked(urlOf(next), 6)] })).toEqual({ repeated: 1 });
    const other = { ...history, retried: [] };
    const kill = { fromNs: 3 * second, toNs: 5 * second };
    expect(judged({ history: other, log: again }, [kill])).toEqual({ afterKills: 1 });
    for (const fromNs of [7 * second, -20 * second])
      expect(judged({ history: other, log: again }, [{ fromNs, toNs: fromNs + second }])).toEqual({
        repeated: 1,
      });
  });
});
