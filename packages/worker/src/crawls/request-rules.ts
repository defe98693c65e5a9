import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import { headerChooser, proxyChooser, type RequestSecrets, withRequestSecrets } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';

/** What requests of a crawl carry, and which way they take. */
export type RequestRules = Pick<CrawlContext, 'headersTo' | 'proxyFor'>;

/** Asks the coordinator for the secrets of a crawl; it answers while this worker holds a lease of it. */
export type AskSecrets = (crawl: CrawlId) => Promise<RequestSecrets>;

export interface CrawlRequests extends RequestRules {
  /** Resolves when requests can be made, with a lease of the crawl in hand; false: not now. */
  ready(): Promise<boolean>;
}

/** `about`: the crawl as it was last told of. Its secrets may come later, and change, without a change of the job. */
export function createCrawlRequests(about: () => LinkCrawl, askSecrets: AskSecrets): CrawlRequests {
  let rules = rulesOf(about());
  /** Those that the rules are made with; undefined: none. */
  let known = about().withheld ? undefined : about().secrets;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    const wanted = about();
    try {
      const secrets = await askSecrets(wanted.id);
      rules = rulesOf({ ...wanted, job: withRequestSecrets(wanted.job, secrets) });
      known = wanted.secrets;
      return true;
    } catch (error) {
      // The lease has run out meanwhile, or the coordinator is gone: the next lease asks again.
      if (error instanceof WebfarerError && ['link-lost', 'forbidden'].includes(error.code)) return false;
      throw error;
    }
  }

  return {
    headersTo: (url) => rules.headersTo(url),
    proxyFor: (url) => rules.proxyFor(url),
    async ready() {
      if (known === about().secrets) return true;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return await asking;
    },
  };
}

function rulesOf({ job, seeds }: Pick<LinkCrawl, 'job' | 'seeds'>): RequestRules {
  const hosts = seeds.map(hostOf);
  return { headersTo: headerChooser(job, hosts), proxyFor: proxyChooser(job, hosts) };
}
