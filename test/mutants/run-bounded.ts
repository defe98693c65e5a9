import { spawn } from 'node:child_process';

export interface Ran {
  /** Undefined when the deadline ended it. */
  code: number | undefined;
  stdout: string;
  /** The end of both outputs, for people. */
  tail: string;
}

/** Runs a Node program in a process group of its own and ends the whole group at the deadline. */
export function runBounded(under: string, args: readonly string[], limitMs: number): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    cwd: under,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let stdout = '';
  let tail = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    tail = (tail + chunk.toString()).slice(-4_000);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-4_000);
  });
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, limitMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      // What the program left behind, such as a server it was about to stop, ends with it.
      endGroup(child.pid);
      resolve({ code: late ? undefined : (code ?? 1), stdout, tail });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
