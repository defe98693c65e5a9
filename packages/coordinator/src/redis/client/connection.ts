import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Command, encode, type Reply, ReplyError, replyParser } from './resp.ts';

/** Where and how to connect: the parts of a `redis://` or `rediss://` address. */
export interface Endpoint {
  host: string;
  port: number;
  tls: boolean;
  user?: string;
  password?: string;
}

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
  expected: number;
  replies: Reply[];
  done(replies: Reply[]): void;
  failed(error: ConnectionLost): void;
}

/** Connects and signs in; rejects with ConnectionLost where that fails. */
export async function openConnection(endpoint: Endpoint, times: ConnectionTimes): Promise<Connection> {
  const socket = await openSocket(endpoint, times.connectMs);
  const connection = overSocket(socket, nameOf(endpoint), times);
  if (endpoint.password !== undefined) await signIn(connection, endpoint);
  return connection;
}

function nameOf({ host, port }: Endpoint): string {
  return `${host}:${port}`;
}

function openSocket(endpoint: Endpoint, connectMs: number): Promise<Socket> {
  const { host, port, tls } = endpoint;
  return new Promise((done, failed) => {
    // A certificate is asked for by name only; for a bare address there is none to ask for.
    const named = isIP(host) === 0 ? { servername: host } : {};
    const socket = tls ? connectTls({ host, port, ...named }) : connectPlain({ host, port });
    const fail = (cause?: unknown): void => {
      socket.destroy();
      const why = cause instanceof Error ? cause.message : `no response in ${connectMs} ms`;
      failed(new ConnectionLost(`cannot connect to ${nameOf(endpoint)}: ${why}`, { sent: false, cause }));
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

async function signIn(connection: Connection, { user, password = '' }: Endpoint): Promise<void> {
  const [answer] = await connection.pipeline([
    user === undefined ? ['AUTH', password] : ['AUTH', user, password],
  ]);
  if (!(answer instanceof ReplyError)) return;
  connection.end('not signed in');
  throw new ConnectionLost(`the password was rejected: ${answer.text}`, { sent: false });
}

function overSocket(socket: Socket, name: string, times: ConnectionTimes): Connection {
  let waiting: Waiting | undefined;
  let over: string | undefined;

  const finish = (message: string, cause?: unknown): void => {
    if (over !== undefined) return;
    over = message;
    socket.destroy();
    const pending = waiting;
    waiting = undefined;
    pending?.failed(new ConnectionLost(`${name}: ${message}`, { sent: true, cause }));
  };

  const take = (reply: Reply): void => {
    // A server that takes no more clients says so unasked.
    if (waiting === undefined)
      return finish(reply instanceof ReplyError ? reply.text : 'an unexpected reply');
    waiting.replies.push(reply);
    if (waiting.replies.length < waiting.expected) return;
    const { done, replies } = waiting;
    waiting = undefined;
    socket.setTimeout(0);
    done(replies);
  };

  const parser = replyParser(take);
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
        waiting = { expected: commands.length, replies: [], done, failed };
        socket.setTimeout(times.answerMs);
        socket.write(encode(commands));
      });
    },
    end: (reason) => finish(reason),
  };
}
