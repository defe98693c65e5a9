import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisNode } from '../../test/redis/servers.ts';

const lookMs = 200;
/** Longer than the cluster needs to notice and to elect a replica. */
const againMs = 4_000;

interface Card {
  name: string;
  pid?: number;
  lives: number;
  is?: string | undefined;
}

/** Starts again whichever server dies, and tells of all in a file that `webfarer dev` reads. */
export function keepServers(nodes: readonly RedisNode[], file: string) {
  const stopped = new AbortController();
  const cards: Card[] = nodes.map(({ pid }, i) => ({ name: `store-${i + 1}`, pid, lives: 1 }));
  const names = new Map(nodes.map(({ port }, i) => [String(port), `store-${i + 1}`]));
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(cards));
    renameSync(`${file}.new`, file);
  };
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
  write();

  async function keep(node: RedisNode, card: Card): Promise<void> {
    while (!stopped.signal.aborted) {
      if (isAlive(node.pid)) {
        card.pid = node.pid;
        card.is = await roleOf(node, names);
        await pause(lookMs);
      } else {
        delete card.pid;
        delete card.is;
        write();
        await pause(againMs);
        if (stopped.signal.aborted) return;
        await node.restart();
        card.lives++;
      }
      write();
    }
  }

  const kept = Promise.all(nodes.map((node, i) => keep(node, cards[i] as Card)));
  return {
    file,
    async stop() {
      stopped.abort();
      await kept;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** `primary`, or of whom it is a replica; undefined while it does not answer. */
async function roleOf(node: RedisNode, names: Map<string, string>): Promise<string | undefined> {
  const info = await node.askText('INFO', 'replication').catch(() => '');
  if (info.includes('role:master')) return 'primary';
  const of = /^master_port:(\d+)/m.exec(info)?.[1];
  return of === undefined ? undefined : `replica of ${names.get(of) ?? of}`;
}
