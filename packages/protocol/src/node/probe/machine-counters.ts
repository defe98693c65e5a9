import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Ticks that a core has spent since the machine started. */
export interface CoreTicks {
  busy: number;
  all: number;
}

export interface NetworkBytes {
  received: number;
  sent: number;
}

/** What the machine counts by itself. */
export interface MachineCounters {
  cores(): CoreTicks[];
  /** Of all interfaces but loopback; undefined where the system does not tell. */
  network(): NetworkBytes | undefined;
}

/** Reads Linux's own files: `os.cpus` reads the clock speed of each core too, which takes many times as long. */
export function machineCounters(platform: string, read = readText): MachineCounters {
  if (platform !== 'linux') return { cores: coresByNode, network: () => undefined };
  return {
    cores() {
      const text = read('/proc/stat');
      return text === undefined ? coresByNode() : coresIn(text);
    },
    network() {
      const text = read('/proc/net/dev');
      return text === undefined ? undefined : networkIn(text);
    },
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function coresByNode(): CoreTicks[] {
  return cpus().map(({ times: { user, nice, sys, idle, irq } }) => {
    const busy = user + nice + sys + irq;
    return { busy, all: busy + idle };
  });
}

/** `cpu0 user nice system idle iowait irq softirq steal guest guest_nice`; guests are counted in user and nice. */
export function coresIn(stat: string): CoreTicks[] {
  const cores: CoreTicks[] = [];
  for (const line of stat.split('\n')) {
    if (!line.startsWith('cpu')) break;
    const [name = '', ...fields] = line.split(/\s+/);
    if (name === 'cpu') continue;
    const ticks = fields.slice(0, 8).map(Number);
    const all = ticks.reduce((sum, each) => sum + each, 0);
    const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
    cores.push({ busy: all - idle, all });
  }
  return cores;
}

/** `eth0: bytes packets errs drop fifo frame compressed multicast bytes packets …` after two lines of titles. */
export function networkIn(dev: string): NetworkBytes {
  const sum = { received: 0, sent: 0 };
  for (const line of dev.split('\n').slice(2)) {
    const [name = '', rest = ''] = line.split(':');
    if (name.trim() === 'lo' || rest === '') continue;
    const fields = rest.trim().split(/\s+/);
    sum.received += Number(fields[0] ?? 0);
    sum.sent += Number(fields[8] ?? 0);
  }
  return sum;
}
