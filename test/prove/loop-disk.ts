import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** A small disk in a file, mounted in a folder. Needs root. */
export interface LoopDisk {
  path: string;
  /** The disk as a power cut now would leave it: without what is only in memory. Nobody may be writing. */
  afterPowerCut(): LoopDisk;
  unmount(): void;
}

/** `options`: how it is mounted, for `mount -o`. */
export function makeDisk(folder: string, megabytes: number, options = 'loop'): LoopDisk {
  mkdirSync(folder, { recursive: true });
  const image = join(folder, 'disk.img');
  format(image, megabytes);
  return mount(image, join(folder, 'disk'), options);
}

/** The same, mounted in this folder, which may not be there yet. */
export function diskAt(path: string, image: string, megabytes: number): LoopDisk {
  format(image, megabytes);
  const disk = mount(image, path, 'loop');
  // A folder that holds anything is taken for somebody else's.
  rmdirSync(join(path, 'lost+found'));
  return disk;
}

function format(image: string, megabytes: number): void {
  run('truncate', '-s', `${megabytes}M`, image);
  run('mkfs.ext4', '-q', '-m', '0', image);
}

function mount(image: string, path: string, options: string): LoopDisk {
  mkdirSync(path);
  run('mount', '-o', options, image, path);
  return {
    path,
    afterPowerCut() {
      // The image holds what the file system has handed to its disk, and nothing of the system's cache.
      copyAtOnce(image, `${image}.cut`);
      return mount(`${image}.cut`, `${path}.cut`, 'loop');
    },
    unmount: () => run('umount', path),
  };
}

/** A copy takes a while; it is of one moment only if a second one finds the same. */
function copyAtOnce(from: string, to: string): void {
  let before = '';
  for (let tries = 0; tries < 20; tries++) {
    copyFileSync(from, to);
    const now = createHash('sha1').update(readFileSync(to)).digest('hex');
    if (now === before) return;
    before = now;
  }
  throw new Error(`${from} does not come to rest: end what writes to it first`);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, {
    stdio: 'pipe',
    env: { ...process.env, PATH: `${process.env.PATH}:/sbin:/usr/sbin` },
  });
}
