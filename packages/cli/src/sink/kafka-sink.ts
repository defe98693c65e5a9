import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { Sink, SinkMessage } from './sink.ts';

export interface KafkaOptions {
  /** `host:port` of some of its brokers. */
  brokers: string[];
  topic: string;
  tls: boolean;
  /** Signs in with SASL. */
  login: { mechanism: SaslMechanism; user: string; password: string } | undefined;
  clock: Clock;
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = (typeof saslMechanisms)[number];

/** As much of a producer of @platformatic/kafka as is used here. */
interface Producer {
  send(batch: { messages: (SinkMessage & { topic: string })[] }): Promise<unknown>;
  close(force: boolean): Promise<void>;
}
type MakeProducer = () => Producer;

/** For one batch, with the connections it needs. */
const sendMs = 15_000;
const closeMs = 2_000;

/** Errors of the library that the same batch would meet again. */
const lasting: Record<string, string> = {
  MESSAGE_TOO_LARGE:
    'Raise max.message.bytes of the topic, or leave large records out with --kind or a filter.',
  TOPIC_AUTHORIZATION_FAILED: 'Allow the user to write to the topic.',
  CLUSTER_AUTHORIZATION_FAILED: 'Allow the user to write idempotently.',
  INVALID_TOPIC_EXCEPTION: 'Choose another name for the topic.',
  INVALID_REQUIRED_ACKS: 'The topic must accept acks=all.',
  UNSUPPORTED_VERSION: 'Kafka 2.1 or newer is needed.',
  SASL_AUTHENTICATION_FAILED: 'Check the user and the password.',
  PLT_KFK_AUTHENTICATION: 'Check the user and the password.',
};

/** Sends with acks=all and an idempotent producer, one batch at a time. */
export async function openKafkaSink(options: KafkaOptions): Promise<Sink> {
  const { topic, clock, brokers } = options;
  const name = `Kafka at ${brokers.join(', ')}`;
  const make = await producerMaker(options);
  let producer: Producer | undefined;

  async function drop(): Promise<void> {
    const old = producer;
    producer = undefined;
    if (old) await within(clock, closeMs, old.close(true)).catch(() => undefined);
  }

  return {
    name,
    async send(messages) {
      producer ??= make();
      try {
        const sent = producer.send({ messages: messages.map((message) => ({ ...message, topic })) });
        await within(clock, sendMs, sent);
      } catch (error) {
        // Its sequence numbers are in doubt now. A new one has its own; repeats have the same id.
        await drop();
        throw refusal(error, name, topic);
      }
    },
    close: drop,
  };
}

async function producerMaker({ brokers, tls, login }: KafkaOptions): Promise<MakeProducer> {
  const library = await import('@platformatic/kafka').catch((cause: unknown) => {
    throw new WebfarerError('usage', 'Kafka needs a client library, which is not installed', {
      next: 'Install it beside webfarer:  npm install @platformatic/kafka (Node 22.22 or newer)',
      cause,
    });
  });
  const sasl = login && { mechanism: login.mechanism, username: login.user, password: login.password };
  return () =>
    new library.Producer({
      clientId: 'webfarer',
      bootstrapBrokers: brokers,
      serializers: library.stringSerializers,
      idempotent: true,
      acks: library.ProduceAcks.ALL,
      autocreateTopics: true,
      // An idempotent producer of the library otherwise tries for ever, and never says why.
      retries: false,
      ...(tls ? { tls: {} } : {}),
      ...(sasl ? { sasl } : {}),
    });
}

async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  // What comes of it after the deadline is nobody's concern.
  work.catch(() => undefined);
  const late = clock.sleep(ms, over.signal).then(() => {
    throw new Error(`no acknowledgement within ${ms / 1_000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

function refusal(error: unknown, name: string, topic: string): WebfarerError {
  const codes = codesIn(error);
  const known = codes.find((code) => code in lasting);
  const why = known ?? deepestMessage(error);
  if (known !== undefined)
    return new WebfarerError('usage', `${name} rejected messages for the topic ${topic}: ${why}`, {
      next: `${lasting[known]} Then run the same command again: it continues where it stopped.`,
      cause: error,
    });
  return new WebfarerError('link-lost', `${name} does not accept messages for the topic ${topic}: ${why}`, {
    next: 'Check that the brokers are reachable and that the topic exists.',
    cause: error,
  });
}

interface LibraryError {
  code?: unknown;
  /** The name of an error of the protocol. */
  apiId?: unknown;
  message?: unknown;
  errors?: unknown;
  cause?: unknown;
}

function codesIn(error: unknown): string[] {
  return nested(error).flatMap(({ code, apiId }) =>
    [apiId, code].filter((each): each is string => typeof each === 'string'),
  );
}

function deepestMessage(error: unknown): string {
  const messages = nested(error).map(({ message }) => message);
  return String(messages.findLast((message) => typeof message === 'string' && message !== '') ?? error);
}

/** An error and those it is made of, outer ones first. */
function nested(error: unknown, depth = 0): LibraryError[] {
  if (typeof error !== 'object' || error === null || depth > 8) return [];
  const { errors, cause } = error as LibraryError;
  const inner = [...(Array.isArray(errors) ? (errors as unknown[]) : []), cause];
  return [error as LibraryError, ...inner.flatMap((each) => nested(each, depth + 1))];
}
