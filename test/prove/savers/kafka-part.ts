import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { createClient } from '@webfarer/protocol/api';
import type { FakeWeb } from '../../fake-web/server.ts';
import { type AckProxy, startAckProxy } from '../../kafka/ack-proxy.ts';
import { type Broker, startBroker } from '../../kafka/broker.ts';
import { type ReadMessage, readTopic } from '../../kafka/read-topic.ts';
import { type CoordinatorProcess, startNetwork } from '../../network/launcher.ts';
import { type NetworkProcess, networkProcess } from '../../network/process.ts';
import { writeJob } from '../lab.ts';

export interface KafkaFindings {
  /** Results in the log, by kind. */
  logged: number;
  messages: number;
  /** Messages that a reader drops because it has their position already. */
  repeats: number;
  /** Results without a message. */
  lost: number;
  /** Messages that are no result, or differ from it, or whose repeat a reader would not notice. */
  wrong: number;
  sinkKills: number;
  /** Of these, the ones after the brokers had a batch and before the coordinator had its position. */
  killsBetween: number;
  brokerKills: number;
}

/** Without a repeat nothing would be shown about them. */
export const isFed = (found: KafkaFindings): boolean =>
  found.logged > 0 &&
  found.lost === 0 &&
  found.wrong === 0 &&
  found.killsBetween > 0 &&
  found.repeats > 0 &&
  found.brokerKills > 0;

const kinds = { pages: 'readResults', items: 'readItems' } as const;
type Kind = keyof typeof kinds;

export interface KafkaPart {
  fake: FakeWeb;
  job: JobInput;
  folder: string;
  kills: number;
}

/**
 * A sink for pages and one for items hand a crawl on, through encrypted connections and with a user of their own. They are
 * killed with SIGKILL again and again, some of them between a batch and its position, and so is the broker.
 * What a reader keeps in the end, which drops what it has by position, must be the log of the coordinator.
 */
export async function feedKafka({ fake, job, folder, kills }: KafkaPart): Promise<KafkaFindings> {
  const broker = await startBroker();
  try {
    const jobFile = join(folder, 'kafka-job.json');
    await writeJob(jobFile, job);
    await fake.reset();
    const network = await startNetwork({
      under: folder,
      job: jobFile,
      workers: 0,
      coordinatorWords: ['--with-worker'],
    });
    const [coordinator] = network.coordinators as [CoordinatorProcess];
    const sinks: FedSink[] = [];
    for (const kind of Object.keys(kinds) as Kind[])
      sinks.push(await sinkOf(kind, { coordinator, broker, folder }));
    try {
      const done = await strike({ broker, sinks, kills });
      for (const { kind, sink } of sinks) {
        const code = await sink.ended();
        if (code !== 0) throw new Error(`the sink of ${kind} ended with ${code}:\n${sink.output()}`);
      }
      const found: KafkaFindings = { logged: 0, messages: 0, repeats: 0, lost: 0, wrong: 0, ...done };
      for (const { kind } of sinks)
        compare(
          await logOf(coordinator, kind),
          await readTopic(broker.address, kind, `judge-${kind}`),
          found,
        );
      return found;
    } finally {
      await Promise.all(sinks.map(({ sink }) => sink.kill()));
      await Promise.all(sinks.map(({ proxy }) => proxy.stop()));
      await network.end();
    }
  } finally {
    await broker.stop();
  }
}

interface FedSink {
  kind: Kind;
  sink: NetworkProcess;
  proxy: AckProxy;
}

/** The way that each signs in. */
const mechanisms = { pages: 'SCRAM-SHA-512', items: 'PLAIN' } as const;

async function sinkOf(
  kind: Kind,
  { coordinator, broker, folder }: { coordinator: CoordinatorProcess; broker: Broker; folder: string },
): Promise<FedSink> {
  const { address, user, password, caFile } = broker.secure;
  const proxy = await startAckProxy(coordinator.url());
  const passwordFile = join(folder, `${kind}.password`);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const from = ['--at', proxy.url, '--token-file', join(coordinator.folder, 'operator.token')];
  const login = ['--tls', '--sasl', mechanisms[kind], '--kafka-user', user];
  const to = ['--kafka', address, ...login, '--kafka-password-file', passwordFile];
  const sink = networkProcess({
    name: `sink-${kind}`,
    folder: coordinator.folder,
    env: { NODE_EXTRA_CA_CERTS: caFile },
    words: () => ['sink', ...from, ...to, '--topic', kind, '--kind', kind],
    atWork: (printed) => printed.includes('position:'),
  });
  return { kind, sink, proxy };
}

interface Strike {
  broker: Broker;
  sinks: FedSink[];
  kills: number;
}

type Struck = Pick<KafkaFindings, 'sinkKills' | 'killsBetween' | 'brokerKills'>;

/**
 * Each sink is first killed when the brokers have its first batch and the coordinator does not know of it, and later at any
 * moment, while results come. In the middle the broker is killed, and comes back while the sinks try to reach it.
 */
async function strike({ broker, sinks, kills }: Strike): Promise<Struck> {
  const done = { sinkKills: 0, killsBetween: 0, brokerKills: 0 };
  for (const { sink, proxy } of sinks) {
    const kept = proxy.hold(sink.start().then(() => sink.ended()));
    if (await kept) done.killsBetween += 1;
    await sink.kill();
    done.sinkKills += 1;
    proxy.release();
    await sink.start();
  }
  let back: Promise<void> = Promise.resolve();
  for (let n = 0; n < kills; n++) {
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900));
    if (n === Math.floor(kills / 2)) {
      await broker.kill();
      done.brokerKills += 1;
      back = broker.restart();
    }
    const victim = (sinks[n % sinks.length] as FedSink).sink;
    // It has handed everything on, and the crawl is over.
    if (!victim.running) continue;
    await victim.kill();
    done.sinkKills += 1;
    await victim.start();
  }
  await back;
  return done;
}

interface Logged {
  position: string;
  [field: string]: unknown;
}

async function logOf(coordinator: CoordinatorProcess, kind: Kind): Promise<Logged[]> {
  const token = (await readFile(join(coordinator.folder, 'operator.token'), 'utf8')).trim();
  const api = createClient({ url: coordinator.url(), token, fetch: (url, request) => fetch(url, request) });
  const { items } = await api.listCrawls();
  const lines: Logged[] = [];
  const answer = await api[kinds[kind]]({ params: { crawl: items[0]?.id ?? '' } });
  for await (const { token: _, ...line } of answer as AsyncIterable<Logged & { kind: string; token: string }>)
    if (line.kind !== 'bookmark') lines.push(line as Logged);
  return lines;
}

/** As docs/kafka.md tells readers: the position of a group only grows within a partition. */
function compare(log: Logged[], messages: ReadMessage[], found: KafkaFindings): void {
  const expected = new Map<string, number>();
  for (const line of log) {
    const text = JSON.stringify(line);
    expected.set(text, (expected.get(text) ?? 0) + 1);
  }
  const last = new Map<string, string>();
  found.logged += log.length;
  found.messages += messages.length;
  for (const { partition, value, headers } of messages) {
    const id = headers.get('webfarer-id') ?? '';
    const [group = ''] = (headers.get('webfarer-position') ?? '').split('-');
    const place = `${partition}/${group}`;
    if (!isBehind(id, last.get(place))) {
      found.repeats += 1;
      continue;
    }
    last.set(place, id);
    const left = expected.get(value) ?? 0;
    if (left === 0) found.wrong += 1;
    else expected.set(value, left - 1);
  }
  for (const left of expected.values()) found.lost += left;
}

/** Ids end in /GROUP-MAJOR-MINOR/INDEX. */
function isBehind(id: string, before: string | undefined): boolean {
  if (before === undefined) return true;
  const [one, other] = [id, before].map((text) => text.split(/[/-]/).slice(-3).map(Number));
  const n = [0, 1, 2].find((each) => one?.[each] !== other?.[each]);
  return n !== undefined && (one?.[n] ?? 0) > (other?.[n] ?? 0);
}
