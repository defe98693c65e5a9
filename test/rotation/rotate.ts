import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkProcess } from '../network/process.ts';
import { commandPath } from '../prove/lab.ts';
import type { Answer, SecuredCoordinator, SecuredNetwork } from './secured-network.ts';
import type { Secrets } from './secrets.ts';

export interface Rotation {
  /** What was expected and did not come. */
  wrong: string[];
  connectionsKilled: number;
  linksCut: number;
}

interface World {
  network: SecuredNetwork;
  secrets: Secrets;
  /** Without the password. */
  store: string;
  under: string;
}

/** How long anything may take that must come; on an idle machine it takes seconds. */
const PATIENCE_MS = 40_000;
const refusedPassword = 'the store does not accept the password of this coordinator';

/** Expectations in their order: behind one that failed nothing is tried. */
function expectations(wrong: string[]) {
  return async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
    const end = performance.now() + PATIENCE_MS;
    while (wrong.length === 0 && !(await condition())) {
      if (performance.now() > end) wrong.push(what);
      await sleep(50);
    }
  };
}

/** What was before is refused from the first moment, and each file is written when everybody has noticed. */
export async function rotateAtOnce(world: World): Promise<Rotation> {
  const { network, secrets } = world;
  const { coordinators, workers } = network;
  const wrong: string[] = [];
  const soon = expectations(wrong);
  const allSoon = async (what: string, holds: (one: SecuredCoordinator) => Promise<boolean>) => {
    for (const one of coordinators) await soon(`${one.process.name}: ${what}`, () => holds(one));
  };
  await allSoon(
    'ready at first',
    async (one) => isServing(await ready(one)) && acknowledges(await ready(one)),
  );

  await secrets.newPassword({ keepsOld: false });
  secrets.newToken();
  for (const n of workers.keys()) secrets.writeToken(secrets.workerTokenFile(n + 1));
  await secrets.writeCertificate();
  // Connections that have signed in go on. Only a new one tells, and `/ready` opens one each time.
  for (const one of coordinators) {
    const [serves, accepts] = [await one.ask('/ready'), await one.ask('/ready/acknowledges')];
    if (serves.status !== 503 || serves.body['reason'] !== refusedPassword)
      wrong.push(`${one.process.name}: ready while its password is refused: ${JSON.stringify(serves)}`);
    if (accepts.status !== 503)
      wrong.push(`${one.process.name}: acknowledges while its password is refused: ${accepts.status}`);
  }
  const diagnosis = await doctor(world);
  if (!diagnosis.includes('the password was rejected') || !diagnosis.includes(secrets.passwordFile))
    wrong.push(`doctor while the password is refused: ${diagnosis}`);
  await allSoon('the new certificate', async (one) => (await one.certificate()) === secrets.fingerprint());

  const [refusedBefore, connectedBefore] = [refusals, connections].map((count) => workers.map(count));
  const linksCut = network.cutLinks();
  const connectionsKilled = await secrets.killConnections();
  for (const [n, worker] of workers.entries())
    await soon(
      `${worker.name}: refused with a token that nobody knows`,
      () => refusals(worker) > (refusedBefore?.[n] ?? 0),
    );
  await allSoon('a question to the store is refused', async (one) => {
    const { status, body } = await one.ask('/v1/crawls', one.operatorToken());
    return status === 503 && body['code'] === 'store-silent';
  });
  await allSoon('an event names the file of the password', (one) =>
    Promise.resolve(
      one.events().some(({ type, text }) => type === 'store-trouble' && text?.includes(secrets.passwordFile)),
    ),
  );
  await allSoon('not ready without the store', async (one) => (await one.ask('/ready')).status === 503);

  secrets.writePassword();
  secrets.writeToken(secrets.tokenFile);
  await allSoon('ready again', async (one) => isServing(await ready(one)) && acknowledges(await ready(one)));
  for (const [n, worker] of workers.entries())
    await soon(`${worker.name}: connected again`, () => connections(worker) > (connectedBefore?.[n] ?? 0));
  await soon('doctor is content again', async () => (await doctor(world)).includes('"ok":true'));
  return { wrong: [...wrong, ...ended(network)], connectionsKilled, linksCut };
}

/** The new ones are accepted beside the old ones first: nobody may notice. */
export async function rotateGently({ network, secrets }: World): Promise<Rotation> {
  const { coordinators, workers } = network;
  const wrong: string[] = [];
  const soon = expectations(wrong);
  const watch = watchReady(coordinators);
  const [refusedBefore, connectedBefore] = [refusals, connections].map((count) => workers.map(count));

  await secrets.newPassword({ keepsOld: true });
  secrets.writePassword();
  secrets.newToken();
  secrets.writeToken(secrets.tokenFile);
  await secrets.writeCertificate();
  await secrets.forgetOldPassword();
  for (const one of coordinators) {
    const { name } = one.process;
    // A worker's token may not list crawls, which is another answer than to a token that nobody knows.
    await soon(
      `${name}: the new token`,
      async () => (await one.ask('/v1/crawls', secrets.token)).status === 403,
    );
    await soon(
      `${name}: the new certificate`,
      async () => (await one.certificate()) === secrets.fingerprint(),
    );
  }
  for (const n of workers.keys()) secrets.writeToken(secrets.workerTokenFile(n + 1));
  const linksCut = network.cutLinks();
  const connectionsKilled = await secrets.killConnections();
  for (const [n, worker] of workers.entries())
    await soon(`${worker.name}: connected again`, () => connections(worker) > (connectedBefore?.[n] ?? 0));
  wrong.push(...(await watch.stop()));
  for (const [n, worker] of workers.entries())
    if (refusals(worker) > (refusedBefore?.[n] ?? 0))
      wrong.push(`${worker.name}: refused although both tokens count`);
  return { wrong: [...wrong, ...ended(network)], connectionsKilled, linksCut };
}

const ready = (one: SecuredCoordinator): Promise<Answer> => one.ask('/ready');
const isServing = ({ status }: Answer): boolean => status === 200;
const acknowledges = ({ body }: Answer): boolean => body['acknowledges'] === true;

const refusals = (worker: NetworkProcess): number => timesIn(worker, 'does not accept the token');
const connections = (worker: NetworkProcess): number => timesIn(worker, 'connected to https://');
const timesIn = (worker: NetworkProcess, text: string): number => worker.output().split(text).length - 1;

function ended({ coordinators, workers }: SecuredNetwork): string[] {
  const all = [...coordinators.map(({ process }) => process), ...workers];
  return all.filter(({ running }) => !running).map(({ name }) => `${name}: ended by itself`);
}

/** Asks again and again whether they serve, until it is stopped or they have ended. */
function watchReady(coordinators: readonly SecuredCoordinator[]) {
  const wrong = new Set<string>();
  let stopped = false;
  const watching = coordinators.map(async (one) => {
    while (!stopped && one.process.running) {
      const answer = await ready(one);
      if (!isServing(answer) && one.process.running)
        wrong.add(`${one.process.name}: not ready during a gentle rotation: ${JSON.stringify(answer)}`);
      await sleep(100);
    }
  });
  return {
    async stop(): Promise<string[]> {
      stopped = true;
      await Promise.all(watching);
      return [...wrong];
    },
  };
}

/** What `webfarer doctor` says about the store, as JSON. */
function doctor({ secrets, store, under }: World): Promise<string> {
  const words = ['doctor', '--store', store, '--store-password-file', secrets.passwordFile, '--json'];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [commandPath, ...words],
      { cwd: under, timeout: PATIENCE_MS },
      (_error, stdout) => done(stdout.split('\n').find((line) => line.includes('"name":"store"')) ?? stdout),
    );
  });
}
