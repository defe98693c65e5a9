import { connect } from 'node:net';
import { unsafePorts } from '@webfarer/protocol/job';
import { type Canaries, startCanaries } from './canaries.ts';
import { coordinatorCases } from './coordinator-ways.ts';
import { crawl, type Crawled, crawlTargets } from './crawl.ts';
import { emptyTally, everything, portCases, registryCases, spellingCases } from './direct.ts';
import { forms } from './forms.ts';
import { startNames, type Zone } from './names.ts';
import { allowedAddress } from './places.ts';
import { changingName, rebind } from './rebinding.ts';
import { answerAsStorage, storageCases, storageZone } from './storages.ts';
import { createTrapSite } from './trap-site.ts';

/**
 * The part of the proof that runs in a network of its own, where every address of the world is this machine: whoever
 * goes where he must not go arrives, and is counted. Prints one line of JSON.
 */
export interface InsideOptions {
  quick: boolean;
  folder: string;
  rebinds: number;
}

export interface Part {
  name: string;
  cases: number;
  canaryHits: number;
  places: string[];
  wrong: string[];
  /** The same with the guard told to allow everything: hits must appear. */
  controlHits: number;
  reachedPublic: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as InsideOptions;
const targets = crawlTargets(options.quick);
let site = createTrapSite(targets);
const closed = [...unsafePorts].filter((port) => port > 0);
const names = await startNames(zoneOf);
const canaries = await startCanaries({
  web: [80, 8080],
  closed,
  answer(request, response, forbidden) {
    if (!answerAsStorage(request, response)) site.answer(request, response, forbidden);
  },
});

const fixedNames: Record<string, string> = {
  'localhost.localdomain': '127.0.0.1',
  'localtest.test': '127.0.0.1',
  'metadata.google.internal': '169.254.169.254',
  'kubernetes.default.svc': '10.0.0.1',
};

function zoneOf(name: string, six: boolean): Zone | undefined {
  const fixed = fixedNames[name];
  if (fixed !== undefined) return { addresses: [fixed] };
  if (name.endsWith('.lead.test')) return { addresses: [allowedAddress] };
  return storageZone(name) ?? changingName(name, six);
}

/** Runs a part with the guard as it is, then as if it were not there. */
async function part(
  name: string,
  run: (allow: string[]) => Promise<{ cases: number; wrong: string[]; reachedPublic: number }>,
): Promise<Part> {
  const started = performance.now();
  await canaries.hits();
  const { cases, wrong, reachedPublic } = await run([]);
  const canaryHits = await canaries.hits();
  const places = canaries.places();
  await run(everything);
  const controlHits = await canaries.hits();
  canaries.places();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.error(
    `${name}: ${cases} cases, ${canaryHits} hits (${controlHits} without the guard), ${seconds} s`,
  );
  return { name, cases, canaryHits, places, wrong, controlHits, reachedPublic };
}

async function direct(run: typeof registryCases, allow: string[]) {
  const tally = emptyTally();
  await run(tally, allow);
  return tally;
}

async function rebinding(allow: string[]) {
  const { fetches, ok, reasons } = await rebind(allow.length > 0 ? 200 : options.rebinds, allow);
  console.error(`rebinding: ${ok} fetched, ${JSON.stringify(reasons)}`);
  const wrong = Object.keys(reasons).filter(
    (reason) => reason !== 'private-address' && reason !== 'unreachable' && reason !== 'no-ipv6',
  );
  return { cases: fetches, wrong: allow.length > 0 ? [] : wrong, reachedPublic: ok };
}

let sessions = 0;
async function crawling(allow: string[]) {
  site = createTrapSite(allow.length > 0 ? ['http://127.0.0.1/FORM', 'http://[::1]/FORM'] : targets);
  const name = `crawl-${sessions++}`;
  const done = await crawl({ folder: options.folder, name, seeds: site.seeds(), allowPrivate: allow });
  return { cases: site.cases, wrong: crawlFaults(done, allow), reachedPublic: done.reasons['ok'] ?? 0 };
}

function crawlFaults(done: Crawled, allow: string[]): string[] {
  console.error(`crawl: ${done.records} records, ${JSON.stringify(done.reasons)}`);
  if (done.code !== 0) return [`the crawl ended with ${done.code}: ${done.output.slice(-2_000)}`];
  // Without the guard every form that is followed must have led to a canary, or it proves nothing.
  const missed = forms.filter(({ name, followed }) => followed && !site.arrived.has(name));
  if (allow.length > 0) controlFaults.push(...missed.map(({ name }) => `${name} leads nowhere`));
  return [];
}

const controlFaults: string[] = [];
const parts: Part[] = [];
parts.push(await part('registries', (allow) => direct(registryCases, allow)));
parts.push(await part('spellings', (allow) => direct(spellingCases, allow)));
parts.push(await part('rebinding', rebinding));
parts.push(await part('storages', (allow) => direct(storageCases, allow)));
parts.push(await part('coordinator', (allow) => direct(coordinatorCases, allow)));
parts.push(await part('crawl', crawling));
const ports = await portPart(canaries);
await canaries.stop();
await names.stop();
process.stdout.write(JSON.stringify({ parts: [...parts, ports], controlFaults }));
process.exit(0);

/** Ports have no allowance by range, so here the control is a connection of our own. */
async function portPart(counted: Canaries): Promise<Part> {
  const tally = emptyTally();
  await portCases(tally, closed);
  const canaryHits = await counted.hits();
  const places = counted.places();
  await new Promise((done) =>
    connect(closed[0] ?? 1, allowedAddress)
      .on('close', done)
      .on('error', () => {})
      .resume(),
  );
  const controlHits = await counted.hits();
  const { cases, wrong, reachedPublic } = tally;
  return { name: 'ports', cases, canaryHits, places, wrong, controlHits, reachedPublic };
}
