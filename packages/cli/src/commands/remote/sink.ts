import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import type { FedLog, FeedLine } from '../../sink/feed-sink.ts';
import { type KafkaOptions, type SaslMechanism, saslMechanisms } from '../../sink/kafka-sink.ts';
import { plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { recordFilterOf, type RecordOptions } from '../record-filter.ts';
import { awaitCrawl } from './await-crawl.ts';
import { addAt, reach, type RemoteOptions } from './remote.ts';

interface SinkOptions extends RemoteOptions, RecordOptions {
  kafka?: string;
  topic?: string;
  kind: keyof typeof reads;
  consumer?: string;
  tls?: boolean;
  kafkaUser?: string;
  kafkaPasswordFile?: string;
  sasl: SaslMechanism;
}

const reads = { pages: 'readResults', items: 'readItems', links: 'readLinks' } as const;
/** Of one answer of the coordinator: as long as it waits where nothing is new. */
const wait = '20s';
const limit = 5_000;

export function addSinkCommand({ program, context }: CommandHome): void {
  const command = program
    .command('sink')
    .description(
      'Sends what a crawl of a coordinator records to a Kafka topic, as it comes, until the crawl is over. The position moves only after the brokers have acknowledged. Started again after any end it continues there, so every result arrives at least once, and the header webfarer-id tells repeats.',
    )
    .argument('[crawl]', 'name of the crawl, or of a schedule: its latest run (default: the only crawl)')
    .option('--kafka <brokers>', 'host:port of brokers, separated by commas')
    .option('--topic <topic>', 'the topic that messages go to')
    .addOption(new Option('--kind <kind>', 'what to send').choices(Object.keys(reads)).default('pages'))
    .addOption(new Option('--verdict <verdict>', 'by verdict').choices(['failed', 'refused', 'done']))
    .option('--reason <code>', 'by reason: timeout, robots-unreachable, …')
    .option('--status <status>', 'by HTTP status: 404, or a class such as 5xx')
    .option('--host <host>', 'only URLs of this host')
    .option(
      '--consumer <name>',
      'name of the position that the coordinator keeps (default: kafka-KIND-TOPIC)',
    )
    .option('--tls', 'encrypt the connections to the brokers')
    .option('--kafka-user <name>', 'user that signs in to Kafka')
    .option('--kafka-password-file <file>', 'file with the password of that user')
    .addOption(
      new Option('--sasl <mechanism>', 'how the user signs in')
        .choices(saslMechanisms)
        .default('SCRAM-SHA-512'),
    )
    .option('--json', 'print a line of JSON at the end');
  addAt(command).action(async (named: string | undefined, options: SinkOptions) => {
    await run(context, named, options);
  });
}

async function run(context: CliContext, named: string | undefined, options: SinkOptions): Promise<void> {
  const kafka = await kafkaOptions(context, options);
  const at = await reach(context, options);
  const { id, name, createdAtMs } = await awaitCrawl(context, at, named);
  const [{ openKafkaSink }, { feedSink }, { messageMaker }] = await Promise.all([
    import('../../sink/kafka-sink.ts'),
    import('../../sink/feed-sink.ts'),
    import('../../sink/messages.ts'),
  ]);
  const sink = await openKafkaSink(kafka);
  const consumer = options.consumer ?? consumerName(options.kind, kafka.topic);
  const leave = new AbortController();
  const unlisten = context.onInterrupt(() => leave.abort());
  const { terminal } = context;
  if (!options.json)
    terminal.out(`  ${clean(name)} → ${sink.name}, topic ${kafka.topic}   position: ${consumer}\n`);
  try {
    const sent = await feedSink({
      log: logOf(at, { crawl: id, consumer, options }),
      sink,
      messageMaker: () => messageMaker({ id, createdAtMs }),
      clock: context.clock,
      signal: leave.signal,
      waiting: (why) => terminal.err(`  … ${clean(why)}; retrying\n`),
      progress: () => undefined,
    });
    const over = !leave.signal.aborted;
    terminal.out(
      options.json
        ? `${JSON.stringify({ crawl: id, consumer, sent, over })}\n`
        : `  ${plural(sent, 'message')} acknowledged   ${over ? 'the crawl is over' : 'run it again to continue'}\n`,
    );
  } finally {
    unlisten();
    await sink.close();
  }
}

function logOf(
  at: CoordinatorAt,
  { crawl, consumer, options }: { crawl: string; consumer: string; options: SinkOptions },
): FedLog {
  const filter = recordFilterOf(options);
  return {
    async read(after, signal) {
      const from = after === undefined ? { consumer } : { after };
      const query = { ...filter, ...from, wait, limit };
      const lines = await at.streams[reads[options.kind]]({ params: { crawl }, query, signal });
      return checked(lines as AsyncIterable<FeedLine>);
    },
    async acknowledge(token) {
      await at.api.acknowledgeResults({ params: { crawl, consumer }, body: { token } });
    },
  };
}

/** A broken connection is what it is called everywhere else, and a coordinator of before has no positions. */
async function* checked(lines: AsyncIterable<FeedLine>): AsyncGenerator<FeedLine> {
  try {
    for await (const line of lines) {
      if (line.kind !== 'bookmark' && (line as { position?: string }).position === undefined)
        throw new WebfarerError('usage', 'the coordinator is of a version without positions', {
          next: 'Upgrade it, then run the same command again.',
        });
      yield line;
    }
  } catch (error) {
    if (error instanceof WebfarerError) throw error;
    throw new WebfarerError('link-lost', `the connection broke: ${(error as Error).message}`, {
      next: 'Check that the coordinator is running.',
      cause: error,
    });
  }
}

async function kafkaOptions(context: CliContext, options: SinkOptions): Promise<KafkaOptions> {
  const { kafka, topic, kafkaUser: user, kafkaPasswordFile: file, sasl: mechanism } = options;
  const brokers = (kafka ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (brokers.length === 0 || topic === undefined)
    throw new WebfarerError('usage', 'a sink needs --kafka and --topic', {
      next: `For example:  ${context.launcher} sink shop --kafka broker:9092 --topic pages`,
    });
  const wrong = brokers.find((broker) => !/^[^\s:/]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(broker));
  if (wrong !== undefined)
    throw new WebfarerError('usage', `--kafka: ${wrong} is not host:port`, { next: 'Write broker:9092' });
  if ((user === undefined) !== (file === undefined))
    throw new WebfarerError('usage', '--kafka-user and --kafka-password-file belong together', {
      next: 'Give both, or none.',
    });
  const { readSecretFile } = await import('../../secrets/given-secrets.ts');
  const login =
    user !== undefined && file !== undefined
      ? {
          mechanism,
          user,
          password: await readSecretFile(resolve(context.cwd, file), 'the password of Kafka'),
        }
      : undefined;
  return { brokers, topic, tls: options.tls ?? false, login, clock: context.clock };
}

/** Two sinks with another topic or kind are two readers. */
function consumerName(kind: string, topic: string): string {
  return `kafka-${kind}-${topic.replaceAll(/[^\w.-]/g, '_')}`.slice(0, 100);
}
