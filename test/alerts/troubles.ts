import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServers } from '../redis/servers.ts';
import type { WatchedCoordinator, WatchedWorker } from './watched-network.ts';

/** Causes a trouble, and waits until these alerts fire. */
export type ExpectAlerts = (names: string[], cause: () => Promise<unknown>) => Promise<void>;

/** Alerts that need hours, a wrong clock, or a part that this network lacks: rules.test.yml has them on made-up series. */
export const byPromtool: ReadonlySet<string> = new Set([
  'WebfarerCertificateExpiring',
  'WebfarerClockWrong',
  'WebfarerCrawlFailed',
  'WebfarerDiskFilling',
  'WebfarerObjectStorageFailing',
  'WebfarerOutboxGrowing',
  'WebfarerSavingFails',
]);

/** Its coordinators have no certificate. */
export const notScraped: ReadonlySet<string> = new Set(['webfarer_certificate_expires_seconds']);

/** Waits until an alert is over. */
type Calm = (name: string) => Promise<void>;

/** A replica is lost and comes back, the primary is silent for a while, and at last without memory. */
export async function troubleStore(
  { nodes: [primary, replica] }: RedisServers,
  expectAlerts: ExpectAlerts,
  calm: Calm,
): Promise<void> {
  if (!primary || !replica) throw new Error('no replica');
  await expectAlerts(['WebfarerStoreReplicaLost'], () => replica.kill('SIGKILL'));
  await replica.restart();
  await replica.ask('REPLICAOF', primary.host, primary.port);
  await calm('WebfarerStoreReplicaLost');
  await expectAlerts(['WebfarerStoreUnreachable'], () => primary.kill('SIGSTOP'));
  process.kill(primary.pid, 'SIGCONT');
  await calm('WebfarerStoreUnreachable');
  await expectAlerts(['WebfarerStoreFull'], () => primary.ask('CONFIG', 'SET', 'maxmemory', '1mb'));
  await primary.ask('CONFIG', 'SET', 'maxmemory', '0');
  await calm('WebfarerStoreFull');
}

/** As on an overloaded machine, or one that was suspended: short enough not to look dead. */
export async function freezeUntil(
  alert: string,
  { process: frozen }: WatchedWorker,
  expectAlerts: ExpectAlerts,
): Promise<void> {
  let isOver = false;
  const freezing = (async () => {
    while (!isOver) {
      frozen.freeze();
      await sleep(780);
      frozen.thaw();
      await sleep(200);
    }
  })();
  await expectAlerts([alert], () => Promise.resolve());
  isOver = true;
  await freezing;
}

/** A receiver that does not answer. */
export async function failWebhook({ ask }: WatchedCoordinator, url: string): Promise<void> {
  const { id } = (await ask('POST', '/v1/webhooks', { url, events: ['crawl.finished'] })) as { id: string };
  for (let n = 0; n < 3; n++) {
    await ask('POST', `/v1/webhooks/${id}/test`);
    await sleep(1_000);
  }
}

/** The policy of its job is gone when it is due. */
export async function failSchedule({ ask }: WatchedCoordinator, seed: string): Promise<void> {
  await ask('PUT', '/v1/policies/short-lived', { policy: { politeness: { gap: '1s' } } });
  const startsAt = new Date(Date.now() + 5_000).toISOString();
  const schedule = {
    name: 'orphan',
    when: { every: 1, unit: 'days', startsAt },
    run: { policy: 'short-lived', seeds: [seed] },
  };
  await ask('PUT', '/v1/schedules/orphan', { schedule });
  await ask('DELETE', '/v1/policies/short-lived');
}
