import type { NetworkProcess } from '../network/process.ts';
import type { Part, Role } from './system.ts';

export interface NetworkPart extends Part {
  /** How it ended by itself; undefined while it runs or when it was struck. */
  readonly fate: number | string | undefined;
  readonly left: boolean;
  output(): string;
}

/** A process that finds no store at its start ends; whoever looks after it types its command again. */
const restarts = 20;
const restartMs = 500;

/** A process of the network as a part that can be struck. */
export function networkPart(process: NetworkProcess, role: Role): NetworkPart {
  let fate: number | string | undefined;
  let struck = false;
  let left = false;
  watch();

  function watch(): void {
    const life = process.ended();
    void life.then((how) => {
      if (life === process.ended() && !struck) fate = how;
    });
  }

  async function start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await process.start();
      } catch (error) {
        if (tries === restarts) throw error;
        console.error(`    typed again: ${process.name}: ${(error as Error).message}`);
        await new Promise((done) => setTimeout(done, restartMs));
      }
    }
  }

  return {
    name: process.name,
    role,
    get alive() {
      return process.running;
    },
    get fate() {
      return fate;
    },
    get left() {
      return left;
    },
    output: () => process.output(),
    async kill() {
      struck = true;
      await process.kill();
    },
    async restart() {
      fate = undefined;
      await start();
      struck = false;
      watch();
    },
    async falter(afterMs) {
      struck = true;
      // Killed before it is at work, it never says that it is.
      const started = process.start().catch(() => undefined);
      await new Promise((done) => setTimeout(done, afterMs));
      await process.kill();
      await started;
    },
    async leave() {
      struck = true;
      left = true;
      await process.stop();
    },
    freeze: () => Promise.resolve(process.freeze()),
    thaw: () => process.thaw(),
  };
}
