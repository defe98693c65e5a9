// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis
// misses: the measurement of the frontier on Redis no longer runs
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Contender, openBare, openOurs } from './redis/contenders.ts';
import { type Link, type LinkSource, linkSource } from './redis/links.ts';

/**
 * URLs per second through the whole frontier on Redis (offer, lease, report) against the bare engine doing
 * SADD, RPUSH and LPOP with the same URLs: same client and connections, pipelines, 45 % of the offers known
 * already, as many URLs handed out as were new. In turns batch by batch, so that whatever else the machine
 * does meets both alike. Per wall second, and per CPU second of the server.
 */
interface Sizes {
  /** Known URLs at which the rate is compared with itself. */
  known: [number, number];
  rounds: number;
  batchesPerRound: number;
  /** Links of one call: what some hundred pages yield. The client cuts them into pipelines, for both alike. */
  links: number;
  duplicates: number;
  connections: number;
  hosts: number;
}

const full: Sizes = {
  known: [1_000_000, 20_000_000],
  rounds: 5,
  batchesPerRound: 8,
  links: 5000,
  duplicates: 0.45,
  connections: 4,
  hosts: 10_000,
};
const small: Sizes = { ...full, known: [10_000, 60_000], rounds: 2, batchesPerRound: 4, hosts: 1000 };

const bars = { oursToBare: 0.8, oursToBareCpu: 0.3, strictToAvailable: 0.5, flatness: 0.9 };

export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const sizes = { ...(quick ? small : full), ...overrides(args) };
  const { connections } = sizes;
  const ours = await openOurs({ connections, strict: false });
  const bare = await openBare({ connections, strict: false });
  const strict = await openOurs({ connections, strict: true });
  try {
    const web = linkSource({ hosts: sizes.hosts });
    const levels: Record<'ours' | 'bare' | 'strict', Rate>[] = [];
    for (const known of sizes.known) {
      await fill(web, [ours, bare, strict], known);
      levels.push(await measure(web, { ours, bare, strict }, sizes));
    }
    const [low, high] = levels as [(typeof levels)[0], (typeof levels)[0]];
    const result = {
      oursToBare: ratio(low.ours.perSecond, low.bare.perSecond),
      oursToBareCpu: ratio(low.ours.perCpuSecond, low.bare.perCpuSecond),
      strictToAvailable: ratio(low.strict.perSecond, low.ours.perSecond),
      flatness: ratio(high.ours.perCpuSecond, low.ours.perCpuSecond),
      flatnessWall: ratio(high.ours.perSecond, low.ours.perSecond),
      rates: levels,
      bars,
      sizes,
    };
    const ok = (Object.keys(bars) as (keyof typeof bars)[]).every((name) => result[name] >= bars[name]);
    return { ok, result };
  } finally {
    for (const each of [ours, bare, strict]) await each.close();
  }
}

/** `--known 100000,1000000`, `--hosts N`, `--rounds N`. */
function overrides(args: string[]): Partial<Sizes> {
  const value = (name: string) => args[args.indexOf(name) + 1] ?? '';
  const found: Partial<Sizes> = {};
  if (args.includes('--known')) found.known = value('--known').split(',').map(Number) as [number, number];
  if (args.includes('--hosts')) found.hosts = Number(value('--hosts'));
  if (args.includes('--rounds')) found.rounds = Number(value('--rounds'));
  return found;
}

/** Brings all to the same number of known URLs, nearly all of them queued as in a real crawl. Not timed. */
async function fill(web: LinkSource, all: Contender[], known: number): Promise<void> {
  while (web.known < known) {
    const millions = Math.floor(web.known / 1e6);
    const links = web.batch(Math.min(5000, known - web.known), 0);
    await Promise.all(all.map((each) => each.offer(links)));
    if (Math.floor(web.known / 1e6) > millions) console.error(`${millions + 1} million known`);
  }
}

interface Rate {
  perSecond: number;
  perCpuSecond: number;
}

async function measure<Name extends string>(
  web: LinkSource,
  contenders: Record<Name, Contender>,
  { rounds, batchesPerRound, links, duplicates, connections }: Sizes,
): Promise<Record<Name, Rate>> {
  const names = Object.keys(contenders) as Name[];
  const rates = Object.fromEntries(names.map((name) => [name, [] as Rate[]])) as Record<Name, Rate[]>;
  const old = Math.round(links * duplicates);
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const spent = Object.fromEntries(names.map((name) => [name, { wallMs: 0, cpuMs: 0 }])) as Record<
      Name,
      { wallMs: number; cpuMs: number }
    >;
    for (let i = 0; i < batchesPerRound; i += connections) {
      // As many pipelines at once as there are connections.
      const batches = Array.from({ length: connections }, () => web.batch(links - old, old));
      for (const name of i % 2 === 0 ? names : names.toReversed()) {
        const cpu = contenders[name].cpu();
        const started = performance.now();
        const taken = await Promise.all(batches.map((batch) => take(contenders[name], batch)));
        spent[name].wallMs += performance.now() - started;
        spent[name].cpuMs += contenders[name].cpu() - cpu;
        check(name, taken, (links - old) * connections);
      }
    }
    if (round === 0) continue;
    const offers = batchesPerRound * links;
    for (const name of names) {
      const { wallMs, cpuMs } = spent[name];
      rates[name].push({ perSecond: (offers / wallMs) * 1000, perCpuSecond: (offers / cpuMs) * 1000 });
    }
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        perSecond: Math.round(median(rates[name].map((rate) => rate.perSecond))),
        perCpuSecond: Math.round(median(rates[name].map((rate) => rate.perCpuSecond))),
      },
    ]),
  ) as Record<Name, Rate>;
}

async function take(contender: Contender, links: Link[]): Promise<{ fresh: number; fetched: number }> {
  const fresh = await contender.offer(links);
  return { fresh, fetched: await contender.fetch(fresh) };
}

/** All contenders did the same work: the URLs that are new were new, and as many were handed out. */
function check(name: string, taken: { fresh: number; fetched: number }[], expected: number): void {
  const fresh = taken.reduce((sum, one) => sum + one.fresh, 0);
  const fetched = taken.reduce((sum, one) => sum + one.fetched, 0);
  if (fresh !== expected) throw new Error(`${name}: ${fresh} of ${expected} new URLs were new`);
  if (fetched < fresh * 0.98) throw new Error(`${name}: only ${fetched} of ${fresh} were handed out`);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function ratio(a: number, b: number): number {
  return Math.round((a / b) * 1000) / 1000;
}
