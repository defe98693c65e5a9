import { readlinkSync } from 'node:fs';

/** Tells whether the process that made a claim is still there. */
export interface ProcessLiveness {
  /** The name of this process among all of the machine. */
  readonly own: string;
  /** False only where the process has certainly ended. */
  isAlive(name: string): boolean;
}

/** By process ids, within one namespace of them: what runs in another container cannot be seen from here. */
export function processLiveness(): ProcessLiveness {
  const space = pidSpace();
  return {
    own: `${space}#${process.pid}`,
    isAlive(name) {
      const [where, pid = ''] = name.split('#');
      return where !== space || exists(Number(pid));
    },
  };
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, but there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return process.platform;
  }
}
