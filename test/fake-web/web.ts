import { type Answer, type Asked } from './reply.ts';
import { answer } from './answer.ts';
import { type Host, hostCount, type WebSize } from './hosts.ts';
import { createBase, originFor, type WebBase } from './pages.ts';
import { type ExpectOptions, type Expected, hostUniverse } from './universe.ts';
import { isTrapHost } from './traps.ts';
import { type Truth, truthOf } from './truth.ts';

export interface WebOptions {
  size: WebSize;
  seed: number;
  /** Ports that stand in the URLs; default 80 and 443. */
  httpPort?: number;
  httpsPort?: number;
  /** Length of the pages that are too long; default 12 MB. */
  hugeBytes?: number;
  /** The web a while later: some pages changed, came and went; default 0. */
  epoch?: number;
}

/** A web whose right answer is known without crawling it: pure functions of seed, host and page. */
export interface Web extends WebBase {
  /** From here every URL of `expected()` is reached with `stay: web` and no depth limit below 15. */
  seeds(): string[];
  answer(asked: Asked): Answer;
  /** Each URL a whole crawl comes to know, with its right outcome; trap hosts apart. */
  expected(options?: ExpectOptions): Generator<Expected>;
  /** Hosts without end: at most the budget's number of pages, all else host-budget or trap. */
  trapHosts(): Host[];
  /** What is true of any URL, known or not. */
  truth(url: string, options?: ExpectOptions): Truth;
  /** Enough for the largest host without traps: what `limits.perHost.pages` of a test job may be. */
  hostBudget(): number;
}

export function createWeb(options: WebOptions): Web {
  const base = createBase({
    size: options.size,
    seed: options.seed,
    hosts: hostCount(options.size),
    httpPort: options.httpPort ?? 80,
    httpsPort: options.httpsPort ?? 443,
    hugeBytes: options.hugeBytes ?? 12_000_000,
    epoch: options.epoch ?? 0,
  });
  const all = function* (): Generator<Host> {
    for (let index = 0; index < base.hosts; index++) yield base.host(index);
  };
  return {
    ...base,
    seeds: () => [`${originFor(base, base.host(1), 'http')}/`],
    answer: (asked) => answer(base, asked),
    *expected(expectOptions = {}) {
      for (const host of all()) {
        if (expectOptions.hosts?.(host) ?? true) yield* hostUniverse(base, host, expectOptions);
      }
    },
    trapHosts: () => [...all()].filter(isTrapHost),
    truth: (url, expectOptions) => truthOf(base, url, expectOptions),
    hostBudget: () => ({ S: 100, M: 250, L: 1_000 })[base.size],
  };
}
