import { spawnSync } from 'node:child_process';
import { cutHost } from '../redis/cut.ts';

/** Processes of this user stand on the side that is cut off; all others on the other. */
export const cutOffUser = 10_001;

/**
 * Shell commands for `inOwnNetwork`: the addresses of the servers, and a wall without stones. What a process sends is
 * told apart by its user, and what is sent back to it by a mark on the connection; servers by their addresses.
 */
export function divideSetUp(servers: number): string[] {
  return [
    ...Array.from({ length: servers }, (_, n) => `ip addr add ${cutHost(n)}/32 dev lo`),
    `nft 'table ip divide {
      set pairs { type ipv4_addr . ipv4_addr; }
      set far_hosts { type ipv4_addr; }
      set own_near { type ipv4_addr . ipv4_addr; }
      set far_ports { type inet_service; }
      set near_ports { type inet_service; }
      chain tagging {
        type filter hook output priority -10;
        ct state new meta skuid ${cutOffUser} ct mark set 1
      }
      chain wall {
        type filter hook output priority 0;
        ip saddr . ip daddr @pairs drop
        ct mark 1 ip daddr @far_hosts drop
        ct mark 1 ip saddr @far_hosts drop
        ct mark 1 tcp dport @far_ports drop
        ct mark 1 tcp sport @far_ports drop
        ct mark != 1 ip saddr . ip daddr @own_near drop
        ct mark != 1 tcp dport @near_ports drop
        ct mark != 1 tcp sport @near_ports drop
      }
    }'`,
  ];
}

export interface Sides {
  /** Servers of the store, by address. */
  nearHosts: string[];
  farHosts: string[];
  /** Where coordinators listen. */
  nearPorts: number[];
  farPorts: number[];
}

/** Drops every packet between the two sides, as a broken cable does: nobody is told. */
export function divide({ nearHosts, farHosts, nearPorts, farPorts }: Sides): void {
  const pairs = nearHosts.flatMap((a) => farHosts.flatMap((b) => [`${a} . ${b}`, `${b} . ${a}`]));
  add('pairs', pairs);
  add('far_hosts', farHosts);
  // A client without an address of its own has that of the server it talks to.
  add(
    'own_near',
    nearHosts.map((host) => `${host} . ${host}`),
  );
  add('near_ports', nearPorts.map(String));
  add('far_ports', farPorts.map(String));
}

export function unite(): void {
  for (const set of ['pairs', 'far_hosts', 'own_near', 'near_ports', 'far_ports'])
    nft(`flush set ip divide ${set}`);
}

function add(set: string, elements: string[]): void {
  if (elements.length > 0) nft(`add element ip divide ${set} { ${elements.join(', ')} }`);
}

function nft(command: string): void {
  const done = spawnSync('nft', ['-f', '-'], {
    input: `${command}\n`,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (done.status !== 0) throw new Error(`nft ${command}: ${done.error?.message ?? done.stderr}`);
}
