import { readFile } from 'node:fs/promises';
import { writeDurably } from '@webfarer/protocol/node';
import type { Peer } from '@webfarer/protocol/link';
import { baseOf } from './address.ts';

/** The coordinators of a worker's network, kept for the time when the one it is started with is gone. */
export interface KnownPeers {
  /** Those that an earlier process learnt from one of these addresses. */
  read(): Promise<Peer[]>;
  /** Replaces them. Never fails: they are only a help. */
  keep(peers: readonly Peer[]): void;
  /** Resolves when all is written. */
  settled(): Promise<void>;
}

interface PeersFile {
  /** The addresses that the worker was started with then. */
  urls: string[];
  peers: Peer[];
}

/**
 * Peers belong to the network they were learnt in. A worker that is started with other addresses joins another network,
 * and must not show its token to coordinators of the old one.
 */
export function keepPeers(file: string, urls: readonly string[]): KnownPeers {
  const given = urls.map(baseOf);
  let kept: string | undefined;
  let writing: Promise<void> = Promise.resolve();

  return {
    async read() {
      const found = await readFile(file, 'utf8').then(parse, () => undefined);
      if (!found) return [];
      const network = new Set([...found.urls, ...found.peers.map(({ url }) => url)].map(baseOf));
      return given.some((url) => network.has(url)) ? found.peers : [];
    },
    keep(peers) {
      if (peers.length === 0) return;
      const content: PeersFile = { urls: given, peers: peers.map(({ id, url }) => ({ id, url })) };
      const text = `${JSON.stringify(content, undefined, 2)}\n`;
      if (text === kept) return;
      kept = text;
      writing = writing.then(() => writeDurably(file, text)).catch(() => undefined);
    },
    settled: () => writing,
  };
}

/** Nothing is kept where the coordinator cannot be another. */
export const noPeers: KnownPeers = {
  read: () => Promise.resolve([]),
  keep: () => undefined,
  settled: () => Promise.resolve(),
};

function parse(text: string): PeersFile | undefined {
  try {
    const { urls, peers } = JSON.parse(text) as Partial<PeersFile>;
    const isPeer = (peer: Partial<Peer> | null) =>
      typeof peer?.id === 'string' && typeof peer.url === 'string' && /^https?:\/\//.test(peer.url);
    if (!Array.isArray(urls) || !Array.isArray(peers)) return undefined;
    return { urls: urls.filter((url) => typeof url === 'string'), peers: peers.filter(isPeer) };
  } catch {
    return undefined;
  }
}
