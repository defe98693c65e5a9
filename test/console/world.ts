import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import {
  type CoordinatorService,
  openCoordinatorService,
} from '../../packages/cli/src/network/coordinator-service.ts';
import { createDns } from '../fake-web/dns.ts';
import { publicAddress } from '../install/own-network.ts';
import { logInSettings, openProvider, type ProviderOfPeople } from './people.ts';
import { siteOwners } from './site-owners.ts';
import { openSites, type Sites } from './sites.ts';

/** A coordinator with a worker in a network of its own, and the sites that it can reach there. */
export interface World {
  readonly url: string;
  readonly token: string;
  readonly api: ApiClient;
  /** Where people log in. */
  readonly provider: ProviderOfPeople;
  /** What owners have put on their sites. */
  readonly put: Sites['put'];
  /** How often a site was asked for anything. */
  requestsTo(site: string): number;
  /** From now on weekly.example is as it is a week later. */
  nextWeek(): void;
  /** Ends the coordinator, and answers how to start it again on its port and folder. */
  interrupt(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export async function openWorld(folder: string, consoleFolder: string): Promise<World> {
  const sites = await openSites(publicAddress);
  const dns = createDns((name) => (sites.names.includes(name) ? publicAddress : undefined));
  await dns.start(53);
  const provider = await openProvider();
  let service = await open(0);

  async function open(port: number): Promise<CoordinatorService> {
    const opened = await openCoordinatorService({
      folder,
      listen: { host: '127.0.0.1', port },
      advertise: undefined,
      withWorker: true,
      baseFolder: folder,
      clock: systemClock(),
      standing: true,
      consoleFolder,
      siteOwners,
      logIn: logInSettings(provider),
      webhookPrivate: ['127.0.0.0/8'],
    });
    await opened.stand({ store: undefined, ledger: undefined });
    return opened;
  }

  const { url, listen } = service;
  provider.start([`${url}/v1/session/callback`]);
  const token = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  return {
    url,
    token,
    provider,
    put: sites.put,
    api: createClient({ url, token, fetch }),
    requestsTo: (site) => sites.requests.get(site) ?? 0,
    nextWeek: () => sites.nextWeek(),
    async interrupt() {
      await service.stop();
      return async () => {
        service = await open(listen.port);
      };
    },
    async stop() {
      await service.stop({ now: true });
      await provider.stop();
      await dns.stop();
      await sites.stop();
    },
  };
}

/** Crawls in every state that a person can meet. */
export async function startCrawls(api: ApiClient): Promise<void> {
  const contact = 'mailto:console@webfarer.test';
  const start = async (host: string, more: Record<string, unknown> = {}) =>
    await api.createCrawl({
      body: {
        job: { seeds: [`http://${host}/`], contact, politeness: { gap: '60ms' }, ...more },
        tags: ['demo'],
      },
    });
  const large = { pages: 40_000, perHost: { pages: 40_000 }, perSite: { pages: 40_000 } };
  await start('museum.example', { limits: large });
  const fields = { heading: 'h1', links: { css: 'a@href', list: true }, title: { page: 'title' } };
  await start('press.example', { extract: [{ fields }], save: ['warc', 'markdown'] });
  await start('ill.example', { fetch: { retries: { count: 1, backoff: '100ms' } } });
  await start('busy.example');
  await start('hostile.example', { politeness: { gap: '20ms' } });
  await start('museum.example', { name: 'museum-sample', limits: { pages: 25 } });
  const held = await start('museum.example', { name: 'museum-later' });
  await api.pauseCrawl({ params: { crawl: held.name } });
}
