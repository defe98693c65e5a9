import type { Paint } from '../terminal/text.ts';
import type { DevRow } from './dev-rows.ts';

export interface DevKeysOptions {
  /** Whether the system can stop a process and let it continue. */
  freezable: boolean;
  /** The processes as they are at the moment. */
  rows: () => readonly DevRow[];
  paint: Paint;
  tell: (text: string) => void;
  killed: (name: string, pid: number) => void;
  quit: () => void;
  random: () => number;
}

/** What a person can do to the network, by single keys. */
export function createDevKeys({
  rows,
  paint,
  tell,
  killed,
  quit,
  random,
  freezable,
}: DevKeysOptions): (key: string) => void {
  let freezes = false;

  function kill({ process }: DevRow): void {
    const { pid, name } = process;
    if (pid === undefined) return;
    tell(paint('bad', `✗ killed ${name}`));
    killed(name, pid);
    process.kill();
  }

  function freeze({ process }: DevRow): void {
    if (process.pid === undefined) return;
    if (!freezable) return tell('This system cannot freeze a process. Its key alone kills it.');
    process.freeze();
    tell(process.state === 'frozen' ? paint('warn', `‖ froze ${process.name}`) : `▸ thawed ${process.name}`);
  }

  return (key) => {
    const wasFreeze = freezes;
    freezes = key === 'f';
    if (key === 'q') return quit();
    const all = rows();
    const row = key === 'k' ? all[Math.floor(random() * all.length)] : all.find((one) => one.key === key);
    if (row === undefined) return;
    if (wasFreeze) freeze(row);
    else kill(row);
  };
}
