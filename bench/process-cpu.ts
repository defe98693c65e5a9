import { readFileSync } from 'node:fs';

/** CPU milliseconds that a process has used, all its threads. Ticks are 10 ms on every Linux we know. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in brackets, which may hold anything: state is the first, utime and stime 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** CPU milliseconds of the main thread of a process, to the microsecond: what a server with one thread has used. */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return nanoseconds / 1e6;
}

/** CPU milliseconds of everything on this machine, whoever started it. */
export function machineCpuMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq) * 10;
}

/** Milliseconds that the main thread of a process was ready to run and had to wait for a processor. */
export function waitedMs(pid: number): number {
  const [, nanoseconds = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return nanoseconds / 1e6;
}
