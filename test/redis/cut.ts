import { spawnSync } from 'node:child_process';

/** Addresses of the servers in a network of our own, by their place. All of them are on one machine. */
export const cutHost = (n: number): string => `10.77.0.${n + 1}`;

/** Shell commands that make the addresses and a wall without stones, for `inOwnNetwork`. */
export function cutSetUp(servers: number): string[] {
  return [
    ...Array.from({ length: servers }, (_, n) => `ip addr add ${cutHost(n)}/32 dev lo`),
    'nft add table ip cut',
    "nft add set ip cut pairs '{ type ipv4_addr . ipv4_addr; }'",
    "nft add chain ip cut in '{ type filter hook input priority 0; }'",
    'nft add rule ip cut in ip saddr . ip daddr @pairs drop',
  ];
}

/**
 * Drops every packet between the two sides, as a broken cable does: nobody is told. Programs that are no
 * server (the client) stay with `here`: they have no address of their own, so to the machine a packet of theirs
 * comes from the address it goes to.
 */
export function cut(here: string[], there: string[]): void {
  const pairs = [
    ...here.flatMap((a) => there.flatMap((b) => [`${a} . ${b}`, `${b} . ${a}`])),
    ...there.map((b) => `${b} . ${b}`),
  ];
  nft(`add element ip cut pairs { ${pairs.join(', ')} }`);
}

export function heal(): void {
  nft('flush set ip cut pairs');
}

function nft(command: string): void {
  const done = spawnSync('nft', ['-f', '-'], {
    input: `${command}\n`,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (done.status !== 0) throw new Error(`nft ${command}: ${done.error?.message ?? done.stderr}`);
}
