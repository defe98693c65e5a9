import { join } from 'node:path';
import { crawl, type CrawlOptions, type PageRecord } from 'webfarer';
import { openAccountStore } from '../../packages/cli/src/accounts/account-store.ts';
import { accountPlace } from '../../packages/cli/src/machine/state-folder.ts';
import type { MembersSite } from './members-site.ts';

/** The accounts of whoever runs the tests: each test file has its own. */
export const store = () => openAccountStore(accountPlace());

/** An account of the members' site. */
export const accountOf = (as: string) => ({ site: '127.0.0.1', as });

/** As a person who logs in. */
export async function logIn(site: MembersSite, as = 'alice'): Promise<void> {
  const cookie = { host: '127.0.0.1', subdomains: false, path: '/', secure: false, httpOnly: true };
  const cookies = [{ ...cookie, name: 'session', value: site.admit(as) }];
  await store().write(accountOf(as), { cookies, storage: [], credentials: [] }, 0);
}

export interface Crawled {
  /** As they come. */
  records: PageRecord[];
  sources: string[];
  /** What was said of hosts that wait for a login. */
  waits: string[];
}

export interface MembersCrawl {
  site: MembersSite;
  folder: string;
  changes?: Partial<CrawlOptions>;
  /** A host waits for a login. */
  onWait: (detail: string, so: Crawled) => Promise<void>;
}

/** Crawls the members' site as alice, unless it is changed. */
export async function crawlMembers({ site, folder, changes, onWait }: MembersCrawl): Promise<Crawled> {
  const crawled: Crawled = { records: [], sources: [], waits: [] };
  const job = crawl({
    name: 'members',
    folder: join(folder, 'members.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '2ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    login: [{ ...accountOf('alice'), check: { selector: 'a.me' } }],
    onPage(page, { follow }) {
      crawled.sources.push(page.source());
      follow(page.links);
    },
    ...changes,
  });
  for await (const event of job) {
    if (event.type === 'record') crawled.records.push(event.record);
    if (event.type !== 'host-waits' || event.why !== 'login') continue;
    crawled.waits.push(event.detail ?? '');
    await onWait(event.detail ?? '', crawled);
  }
  return crawled;
}

export const pagesOf = ({ records }: Pick<Crawled, 'records'>): PageRecord[] =>
  records.filter(({ verdict, reason }) => verdict === 'done' && reason === 'ok');
