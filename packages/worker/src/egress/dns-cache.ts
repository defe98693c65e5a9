import { Resolver } from 'node:dns/promises';
import type { Clock } from '@webfarer/protocol';
import { parseAddress } from './address.ts';
import { isLocalName } from './allow-list.ts';
import { codeOf } from './failures.ts';
import { readHostsFile } from './hosts-file.ts';

export type Family = 4 | 6;

/** `no-name` and `no-address` are answers of the servers; with `failed` they did not answer. */
export type Lookup =
  | { ok: true; addresses: string[] }
  | { ok: false; reason: 'no-name' | 'no-address' | 'failed'; detail: string };

export interface DnsCache {
  /** All addresses of one family. Never throws. */
  lookup(host: string, family: Family): Promise<Lookup>;
  /** Asks the servers past the cache: do they answer at all? `unused` when nothing ever needed them. */
  probe(): Promise<'answers' | 'silent' | 'unused'>;
  forget(host: string): void;
  close(): void;
}

export interface DnsCacheOptions {
  clock: Clock;
  /** Addresses of name servers (`127.0.0.1:5353`) instead of the system's. */
  servers?: readonly string[] | undefined;
  /** Names kept; the least recently used go first. */
  maxNames?: number;
  /** One try of one server. */
  timeoutMs?: number;
  tries?: number;
}

interface Kept {
  answer: Lookup;
  untilMs: number;
}

// A record with a lifetime of a second would be asked for again before every page of a slow host.
const minTtlMs = 30_000;
const maxTtlMs = 3_600_000;
const notFoundTtlMs = 60_000;
const failedTtlMs = 2_000;
const probeNames = 3;

export function createDnsCache(options: DnsCacheOptions): DnsCache {
  const { clock, servers, maxNames = 10_000, timeoutMs = 2_500, tries = 3 } = options;
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<Lookup>>();
  const fixed = servers ? new Map<string, string[]>() : readHostsFile();
  let resolver = newResolver();
  let lastAsked: string | undefined;
  /** Names that had an answer lately, if only that there is no such name; oldest first. */
  const answeredNames = new Set<string>();

  function newResolver(tryCount = tries): Resolver {
    const made = new Resolver({ timeout: timeoutMs, tries: tryCount });
    if (servers) made.setServers([...servers]);
    return made;
  }

  function keep(key: string, answer: Lookup, ttlMs: number): void {
    kept.delete(key);
    kept.set(key, { answer, untilMs: clock.now() + ttlMs });
    if (kept.size > maxNames) kept.delete(kept.keys().next().value as string);
  }

  function recall(key: string): Lookup | undefined {
    const entry = kept.get(key);
    if (!entry) return undefined;
    kept.delete(key);
    if (entry.untilMs <= clock.now()) return undefined;
    kept.set(key, entry);
    return entry.answer;
  }

  async function ask(host: string, family: Family, key: string): Promise<Lookup> {
    lastAsked = host;
    try {
      const records = await (family === 4
        ? resolver.resolve4(host, { ttl: true })
        : resolver.resolve6(host, { ttl: true }));
      noteAnswered(host);
      const answer: Lookup = { ok: true, addresses: records.map((record) => record.address) };
      const ttlMs = Math.min(...records.map((record) => record.ttl)) * 1000;
      keep(key, answer, Math.min(Math.max(ttlMs, minTtlMs), maxTtlMs));
      return answer;
    } catch (error) {
      const answer = failedLookup(host, error);
      if (answer.reason !== 'failed') noteAnswered(host);
      keep(key, answer, answer.reason === 'failed' ? failedTtlMs : notFoundTtlMs);
      // The machine may have moved to another network: read the system's servers again.
      if (answer.reason === 'failed' && !servers) resolver = newResolver();
      return answer;
    }
  }

  /**
   * A server may refuse one name because that name's own servers are broken, so names are asked for that
   * were answered before. A local relay without a network refuses those as well.
   */
  async function answersFor(name: string): Promise<boolean> {
    const prober = newResolver(1);
    try {
      await prober.resolve4(name);
      return true;
    } catch (error) {
      if (failedLookup(name, error).reason !== 'failed') return true;
      return !answeredNames.has(name) && (codeOf(error) === 'ESERVFAIL' || codeOf(error) === 'EREFUSED');
    }
  }

  function noteAnswered(host: string): void {
    answeredNames.delete(host);
    answeredNames.add(host);
    if (answeredNames.size > probeNames * 2)
      answeredNames.delete(answeredNames.values().next().value as string);
  }

  return {
    lookup(host, family) {
      const known = fixedAnswer(host, family, fixed);
      if (known) return Promise.resolve(known);
      const key = `${family} ${host}`;
      const recalled = recall(key);
      if (recalled) return Promise.resolve(recalled);
      let question = underWay.get(key);
      if (!question) {
        question = ask(host, family, key).finally(() => underWay.delete(key));
        underWay.set(key, question);
      }
      return question;
    },
    async probe() {
      if (lastAsked === undefined) return 'unused';
      const names = answeredNames.size === 0 ? [lastAsked] : [...answeredNames].slice(-probeNames);
      const answers = await Promise.all(names.map((name) => answersFor(name)));
      return answers.includes(true) ? 'answers' : 'silent';
    },
    forget(host) {
      kept.delete(`4 ${host}`);
      kept.delete(`6 ${host}`);
    },
    close: () => resolver.cancel(),
  };
}

/** Answers that need no server: literals, the own machine, names in the system's hosts file. */
function fixedAnswer(host: string, family: Family, hosts: Map<string, string[]>): Lookup | undefined {
  const literal = parseAddress(host);
  const inFile = hosts.get(host);
  if (!literal && !inFile && !isLocalName(host)) return undefined;
  const all = literal ? [host] : (inFile ?? ['127.0.0.1', '::1']);
  // A mapped literal counts as the IPv4 address it stands for.
  const addresses = all.filter((text) => parseAddress(text)?.family === family);
  return addresses.length > 0
    ? { ok: true, addresses }
    : { ok: false, reason: 'no-address', detail: `${host} has no IPv${family} address` };
}

// What c-ares reports when a server did answer, if only to say no.
const answered = new Set(['ENOTFOUND', 'EBADNAME', 'EFORMERR', 'EBADQUERY']);

function failedLookup(host: string, error: unknown): Extract<Lookup, { ok: false }> {
  const code = codeOf(error);
  if (code === 'ENODATA') return { ok: false, reason: 'no-address', detail: `${host} has no address` };
  if (answered.has(code)) return { ok: false, reason: 'no-name', detail: `${host}: no such name (${code})` };
  return { ok: false, reason: 'failed', detail: `${host}: the name servers did not answer (${code})` };
}
