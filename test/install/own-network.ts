import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An address of the public internet, so that no guard has to be opened for it. It leads nowhere outside. */
export const publicAddress = '93.184.215.14';

const setUp = (more: string[]): string =>
  [
    'ip link set lo up',
    `ip addr add ${publicAddress}/32 dev lo`,
    ...more,
    'mount --bind "$1" /etc/resolv.conf',
    'shift',
    'exec "$@"',
  ].join(' && ');

/**
 * Runs one of our programs in a network of its own: nothing outside can be reached, the name server is the
 * machine itself, and one public address leads to it. So the commands inside need no setting at all.
 * Answers the JSON that the program prints. Linux, as root or where user namespaces are allowed.
 */
export function inOwnNetwork<Answer>(options: {
  program: string;
  args: unknown;
  folder: string;
  /** Further commands that arrange the network. */
  setUp?: string[];
}): Promise<Answer> {
  const resolvers = join(options.folder, 'resolv.conf');
  writeFileSync(resolvers, 'nameserver 127.0.0.1\n');
  const isRoot = process.getuid?.() === 0;
  const inside = [process.execPath, options.program, JSON.stringify(options.args)];
  const script = setUp(options.setUp ?? []);
  const child = spawn('unshare', [isRoot ? '-nm' : '-rnm', 'sh', '-c', script, 'sh', resolvers, ...inside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((done, failed) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', failed);
    child.on('close', (code) => {
      if (code === 0) done(JSON.parse(output) as Answer);
      else failed(new Error(`a network of its own could not be used: exit ${code}`));
    });
  });
}
