import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { addressOf, type Endpoint, isSocket } from '../address/address.ts';
import { passwordRejected, signInOf } from './sign-in.ts';
import { secureContextOf } from './tls-files.ts';
import { tlsRefusal } from './tls-refusal.ts';
import { greeting } from './greeting.ts';
import { type Command, encode, type Reply, ReplyError, replyParser, type WireEncoding } from './resp.ts';

export interface ConnectionTimes {
  /** Until the connection stands and the password is accepted. */
  connectMs: number;
  /** Longest silence while an answer is due; above the longest WAIT. */
  answerMs: number;
}

/** The connection is gone. What was sent may or may not have happened. */
export class ConnectionLost extends Error {
  /** Whether anything of the pipeline may have reached the server. */
  readonly sent: boolean;
  constructor(message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConnectionLost';
    this.sent = options.sent;
  }
}

/**
 * One socket. It never reconnects, resends or queues (F6): a WAIT speaks of what was sent on its own
 * connection, so a connection that quietly became another one would make WAIT lie.
 */
export interface Connection {
  /** Whether it is over; then every call rejects. */
  readonly dead: boolean;
  /** Sends all commands in one write and answers in their order. One pipeline at a time. */
  pipeline(commands: readonly Command[]): Promise<Reply[]>;
  /** Ends it now; a pipeline under way rejects with this reason. */
  end(reason: string): void;
}

interface Waiting {
  /** How many answers the caller wants; those to the greeting are dropped. */
  asked: number;
  expected: number;
  replies: Reply[];
  done(replies: Reply[]): void;
  failed(error: ConnectionLost): void;
}

/** Connects and signs in; rejects with ConnectionLost where that fails. */
export async function openConnection(
  endpoint: Endpoint,
  times: ConnectionTimes,
  encoding: WireEncoding = 'utf8',
): Promise<Connection> {
  const { tls, trust } = endpoint;
  const [signIn, context] = await Promise.all([
    signInOf(endpoint),
    tls && trust !== undefined ? secureContextOf(trust) : undefined,
  ]);
  const socket = await openSocket(endpoint, times.connectMs, context);
  const connection = overSocket(socket, endpoint, { ...times, encoding });
  if (signIn.password !== undefined) await authenticate(connection, endpoint, signIn);
  return connection;
}

function openSocket(endpoint: Endpoint, connectMs: number, context?: SecureContext): Promise<Socket> {
  const { host, port, tls, trust } = endpoint;
  return new Promise((done, failed) => {
    // A certificate is asked for by name only; for a bare address there is none to ask for.
    const name = trust?.serverName ?? (isIP(host) === 0 ? host : undefined);
    const named = name === undefined ? {} : { servername: name };
    const trusted = context === undefined ? {} : { secureContext: context };
    const plain = isSocket(host) ? { path: host } : { host, port };
    const socket = tls ? connectTls({ host, port, ...named, ...trusted }) : connectPlain(plain);
    let isReached = false;
    socket.once('connect', () => {
      isReached = true;
    });
    const fail = (cause?: unknown): void => {
      socket.destroy();
      const refused = tlsRefusal(endpoint, cause);
      const silence = tls && isReached ? 'no TLS handshake; is this its TLS port?' : 'no response';
      const why = cause instanceof Error ? cause.message : `${silence} (${connectMs} ms)`;
      const message = refused?.message ?? `cannot connect to ${addressOf(endpoint)}: ${why}`;
      failed(new ConnectionLost(message, { sent: false, cause: refused ?? cause }));
    };
    socket.setTimeout(connectMs, fail);
    socket.once('error', fail);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      socket.removeListener('error', fail);
      socket.removeListener('timeout', fail);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      done(socket);
    });
  });
}

async function authenticate(
  connection: Connection,
  endpoint: Endpoint,
  { user, password = '' }: Pick<Endpoint, 'user' | 'password'>,
): Promise<void> {
  const [answer] = await connection.pipeline([
    user === undefined ? ['AUTH', password] : ['AUTH', user, password],
  ]);
  if (!(answer instanceof ReplyError)) return;
  connection.end('not signed in');
  throw new ConnectionLost(passwordRejected(endpoint, answer.text), { sent: false });
}

function overSocket(
  socket: Socket,
  endpoint: Endpoint,
  times: ConnectionTimes & { encoding: WireEncoding },
): Connection {
  const name = addressOf(endpoint);
  let waiting: Waiting | undefined;
  let over: string | undefined;
  let isGreeted = false;

  const finish = (message: string, cause?: unknown): void => {
    if (over !== undefined) return;
    over = message;
    socket.destroy();
    const pending = waiting;
    waiting = undefined;
    // A server that misses a client certificate says so only after the handshake.
    const refused = tlsRefusal(endpoint, cause);
    const why = refused?.message ?? `${name}: ${message}`;
    pending?.failed(new ConnectionLost(why, { sent: true, cause: refused ?? cause }));
  };

  const take = (reply: Reply): void => {
    // A server that takes no more clients says so unasked.
    if (waiting === undefined)
      return finish(reply instanceof ReplyError ? reply.text : 'an unexpected reply');
    waiting.replies.push(reply);
    if (waiting.replies.length < waiting.expected) return;
    const { done, replies, asked } = waiting;
    waiting = undefined;
    socket.setTimeout(0);
    done(replies.length === asked ? replies : replies.slice(0, asked));
  };

  const parser = replyParser(take, times.encoding);
  socket.setTimeout(0);
  socket.on('data', (chunk: Buffer) => {
    if (over !== undefined) return;
    try {
      parser.feed(chunk);
    } catch (error) {
      finish(`not a Redis reply: ${(error as Error).message}`, error);
    }
  });
  socket.on('timeout', () => finish(`no response in ${times.answerMs} ms`));
  socket.on('error', (error) => finish(error.message, error));
  socket.on('close', () => finish('the server closed the connection'));

  return {
    get dead() {
      return over !== undefined;
    },
    pipeline(commands) {
      return new Promise((done, failed) => {
        if (over !== undefined) return failed(new ConnectionLost(`${name}: ${over}`, { sent: false }));
        if (waiting !== undefined) throw new Error('one pipeline at a time');
        if (commands.length === 0) return done([]);
        // Behind the first commands, never before them: a round trip of its own would cost every new connection to a
        // server that stalls its patience, which took `prove stalled-shard` from 0.95 to 0.6.
        const all = isGreeted ? commands : [...commands, ...greeting];
        isGreeted = true;
        waiting = { asked: commands.length, expected: all.length, replies: [], done, failed };
        socket.setTimeout(times.answerMs);
        socket.write(encode(all, times.encoding));
      });
    },
    end: (reason) => finish(reason),
  };
}
