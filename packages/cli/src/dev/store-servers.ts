import { readFile } from 'node:fs/promises';
import type { ShownProcess } from './kept-process.ts';

/** One entry of the file that the launcher of the store's servers rewrites whenever something changes. */
interface StoreServerCard {
  name: string;
  /** Missing while it is dead. */
  pid?: number;
  lives: number;
  /** What it is for the store at the moment, such as `primary`; missing while it does not answer. */
  is?: string;
}

export interface StoreServer {
  role: 'store';
  process: ShownProcess;
  is(): string | undefined;
}

/** The servers of the store as listed in that file; the same objects each time. */
export function createStoreServers(file: string | undefined): { read(): Promise<StoreServer[]> } {
  const servers = new Map<string, { set(card: StoreServerCard): void; server: StoreServer }>();
  return {
    async read() {
      if (file === undefined) return [];
      const cards = JSON.parse(await readFile(file, 'utf8')) as StoreServerCard[];
      for (const card of cards) {
        const known = servers.get(card.name) ?? storeServer(card);
        servers.set(card.name, known);
        known.set(card);
      }
      return [...servers.values()].map(({ server }) => server);
    },
  };
}

function storeServer(first: StoreServerCard): { set(card: StoreServerCard): void; server: StoreServer } {
  let card = first;
  let frozen: number | undefined;
  let killed: number | undefined;
  const send = (signal: NodeJS.Signals) => {
    try {
      if (card.pid !== undefined) process.kill(card.pid, signal);
    } catch {
      // It ended a moment ago; its keeper will tell.
    }
  };
  const shown: ShownProcess = {
    name: first.name,
    get pid() {
      return card.pid;
    },
    get lives() {
      return card.lives;
    },
    get state() {
      if (card.pid === undefined) return 'starting again';
      return card.pid === frozen ? 'frozen' : 'running';
    },
    kill() {
      send('SIGKILL');
      killed = card.pid;
      const { name, lives } = card;
      card = { name, lives };
    },
    freeze() {
      const isFrozen = shown.state === 'frozen';
      send(isFrozen ? 'SIGCONT' : 'SIGSTOP');
      frozen = isFrozen ? undefined : card.pid;
    },
  };
  const set = (next: StoreServerCard) => {
    // The keeper may not have noticed yet.
    if (next.pid === undefined || next.pid !== killed) card = next;
  };
  return { set, server: { role: 'store', process: shown, is: () => card.is } };
}
