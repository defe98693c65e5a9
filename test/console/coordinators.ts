import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, createClient } from '@webfarer/protocol/api';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import { until } from '../prove/lab.ts';
import { startProxy } from './proxy.ts';
import { siteOwners } from './site-owners.ts';

/** Three coordinators of one store as processes of their own, behind one address. */
export interface Coordinators {
  /** Of the proxy: what a person opens. */
  readonly url: string;
  readonly token: string;
  readonly workerToken: string;
  readonly network: Network;
  readonly all: readonly CoordinatorProcess[];
  /** Of a coordinator, whatever the proxy does. */
  apiAt(n: number): ApiClient;
  stop(): Promise<void>;
}

export const coordinatorCount = 3;

export async function openCoordinators(options: {
  under: string;
  store: string;
  workers: number;
}): Promise<Coordinators> {
  const { under, store, workers } = options;
  mkdirSync(under, { recursive: true });
  const owners = join(under, 'owners.json');
  writeFileSync(owners, JSON.stringify(siteOwners));
  const network = await startNetwork({
    under,
    coordinators: coordinatorCount,
    workers,
    store,
    coordinatorWords: ['--durability', 'available', '--site-owners', owners],
  });
  try {
    const all = network.coordinators;
    const at = (n: number) => all[n] as CoordinatorProcess;
    const read = async (name: string) => (await readFile(join(at(0).folder, name), 'utf8')).trim();
    const [token, workerToken] = [await read('operator.token'), await read('worker.token')];
    const proxy = await startProxy(
      join(under, 'proxy'),
      all.map((one) => one.url().replace('http://', '')),
    );
    return {
      url: proxy.url,
      token,
      workerToken,
      network,
      all,
      apiAt: (n) => createClient({ url: at(n).url(), token, fetch }),
      async stop() {
        await proxy.stop();
        await network.end();
      },
    };
  } catch (error) {
    await network.end();
    throw error;
  }
}

export const furnished = { policy: 'museums', schedule: 'museum-weekly', team: 'research', account: 'alice' };

/** Something for each screen that does not show a crawl: a policy, a schedule, a team, a webhook, and an account to log in with. */
export async function furnish(api: ApiClient): Promise<void> {
  const { policy, schedule, team, account } = furnished;
  const note = 'as agreed';
  await api.putPolicy({ params: { policy }, body: { policy: { politeness: { gap: '2s' } }, note } });
  await api.putSchedule({
    params: { schedule },
    body: {
      schedule: {
        name: 'The museum, weekly',
        when: { cron: '0 6 * * 1' },
        timeZone: 'Europe/Paris',
        run: { job: { seeds: ['http://museum.example/'], limits: { pages: 500 } } },
      },
    },
  });
  await api.putTeam({ params: { team }, body: { note, quotas: { pagesPerDay: 5_000, crawls: 3 } } });
  await api.createWebhook({ body: { url: 'https://hooks.example/crawls', events: ['crawl.finished'] } });
  await api.createCrawl({
    body: {
      job: {
        name: 'members',
        seeds: ['http://club.example/'],
        contact: 'mailto:console@webfarer.test',
        login: [{ site: 'club.example', as: account, check: 'status' }],
      },
    },
  });
}

/** What the hosts of a crawl do is sampled now and then. */
export async function untilHostsRecorded(api: ApiClient, crawl: string): Promise<void> {
  const isRecorded = async () => (await api.getHostHistory({ params: { crawl } })).items.length > 2;
  await until('what the hosts do to be recorded', isRecorded, 120_000);
}
