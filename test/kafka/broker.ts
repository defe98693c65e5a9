import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../fake-web/certificates.ts';
import { run } from '../outside/tools.ts';
import { until } from '../prove/lab.ts';
import { freePorts } from '../redis/server-process.ts';
import { kafkaJars } from './jars.ts';

/** A real Kafka with one broker, on the loopback address. */
export interface Broker {
  /** `127.0.0.1:port`, for everybody. */
  address: string;
  /** `localhost:port`, encrypted, for a user with a password: PLAIN or SCRAM-SHA-512. */
  secure: { address: string; user: string; password: string; caFile: string };
  /** SIGKILL, then until it is gone. */
  kill(): Promise<void>;
  /** Over the same data; resolves when it accepts connections. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Small, and quick to start. Linux ends it when we are killed. */
const java = ['-Xmx256m', '-XX:TieredStopAtLevel=1'];
const startMs = 120_000;
const login = { user: 'crawler', password: 'a-test-password' };

export async function startBroker(): Promise<Broker> {
  const jars = `${await kafkaJars()}/*`;
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-kafka-'));
  const [port = 0, controller = 0, secure = 0] = await freePorts('127.0.0.1', 3);
  const { key, cert, caFile } = await makeCertificates(folder, ['localhost']);
  const keyStore = join(folder, 'key-store.pem');
  writeFileSync(keyStore, Buffer.concat([key, cert]));
  const settings = join(folder, 'server.properties');
  writeFileSync(settings, settingsOf({ port, controller, secure, keyStore, data: join(folder, 'data') }));
  const cluster = 'MkU3OEVBNTcwNTJENDM2Qg';
  await run('java', [
    ...java,
    '-cp',
    jars,
    'kafka.tools.StorageTool',
    'format',
    '-t',
    cluster,
    '-c',
    settings,
    '--add-scram',
    `SCRAM-SHA-512=[name=${login.user},password=${login.password}]`,
  ]);
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const old = child;
    child = undefined;
    if (old?.exitCode !== null || old.signalCode !== null) return;
    const gone = new Promise((done) => old.once('exit', done));
    old.kill('SIGKILL');
    await gone;
  }
  async function restart(): Promise<void> {
    const words = ['--pdeathsig', 'KILL', 'java', ...java, '-cp', jars, 'kafka.Kafka', settings];
    const started = spawn('setpriv', words, { stdio: 'ignore' });
    child = started;
    await until(
      'Kafka to accept connections',
      async () => {
        if (started.exitCode !== null) throw new Error(`Kafka ended with ${started.exitCode}`);
        return (await accepts(port)) && (await accepts(secure));
      },
      startMs,
    );
  }
  const broker: Broker = {
    address: `127.0.0.1:${port}`,
    secure: { address: `localhost:${secure}`, ...login, caFile },
    kill,
    restart,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await restart();
    return broker;
  } catch (error) {
    await broker.stop();
    throw error;
  }
}

interface Settings {
  port: number;
  controller: number;
  secure: number;
  /** Private key and certificate, as PEM. */
  keyStore: string;
  data: string;
}

function settingsOf({ port, controller, secure, keyStore, data }: Settings): string {
  const modules = 'org.apache.kafka.common.security';
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    listeners: `PLAINTEXT://127.0.0.1:${port},SECURE://127.0.0.1:${secure},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},SECURE://localhost:${secure}`,
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL',
    'listener.name.secure.ssl.keystore.type': 'PEM',
    'listener.name.secure.ssl.keystore.location': keyStore,
    'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
    'listener.name.secure.plain.sasl.jaas.config': `${modules}.plain.PlainLoginModule required user_${login.user}="${login.password}";`,
    'listener.name.secure.scram-sha-512.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
    'log.dirs': data,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'num.partitions': 3,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('close', () => done(false)).setTimeout(1_000, () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
}
