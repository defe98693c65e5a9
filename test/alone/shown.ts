import type { CrawlDetail } from '@webfarer/protocol/api';
import type { AloneLab, Shown } from './lab.ts';

type Look = (lab: AloneLab) => Promise<Shown | undefined>;

/** Where an operator looks for what a cause or a reason means, and what to do. */
const pageOf = (word: string) => `docs/reasons.md, ${word}`;

async function ofCrawl(
  lab: AloneLab,
  name: string,
  find: (detail: CrawlDetail) => Shown | undefined,
): Promise<Shown | undefined> {
  return find(await lab.detail(name));
}

/** What the crawl waits for. */
export function stalled(name: string, cause: RegExp, text = /./): Look {
  return (lab) =>
    ofCrawl(lab, name, ({ progress }) => {
      const { stall } = progress ?? {};
      if (!stall || !cause.test(stall.cause) || !text.test(stall.text)) return undefined;
      return { what: `${stall.cause}: ${stall.text}`, next: pageOf(stall.cause) };
    });
}

/** The crawl cannot run. */
export function failed(name: string, message: RegExp): Look {
  return (lab) =>
    ofCrawl(lab, name, ({ failure }) =>
      failure && message.test(failure.message)
        ? { what: failure.message, next: failure.next ?? '' }
        : undefined,
    );
}

/** Some of its pages have this reason. */
export function recorded(name: string, reason: string): Look {
  return (lab) =>
    ofCrawl(lab, name, ({ progress }) => {
      const count = progress?.byReason[reason] ?? 0;
      return count > 0 ? { what: `${count} ${reason}`, next: pageOf(reason) } : undefined;
    });
}

/** Nothing is wrong with it: it goes on being crawled. */
export function crawled(name: string): Look {
  return async (lab) => {
    const done = async () => (await lab.detail(name)).progress?.balance.done ?? 0;
    const before = await done();
    await new Promise((later) => setTimeout(later, 1_000));
    const now = await done();
    return now > before ? { what: `${now} done, ${before} a second ago`, next: 'nothing' } : undefined;
  };
}

export function scheduleSays(id: string, text: RegExp): Look {
  return async ({ ask }) => {
    const path = `/schedules/${encodeURIComponent(id)}`;
    const { lastError } = await ask<{ lastError?: { text: string; next: string } }>('GET', path);
    return lastError && text.test(lastError.text)
      ? { what: lastError.text, next: lastError.next }
      : undefined;
  };
}

/** What the coordinator answers to a request that it cannot carry out. */
export async function refusal(request: () => Promise<unknown>): Promise<Shown | undefined> {
  try {
    await request();
    return undefined;
  } catch (error) {
    const [, said] = /: \d+ (\{.+)/s.exec((error as Error).message) ?? [];
    if (said === undefined) return undefined;
    const { code, detail = '', next = '' } = JSON.parse(said) as Record<string, string>;
    // A bug is said to be one, and nobody can do anything about it.
    return { what: detail, next: code === 'internal' ? '' : next };
  }
}
