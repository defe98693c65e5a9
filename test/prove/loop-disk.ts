import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A small disk in a file, mounted in a folder. Needs root. */
export interface LoopDisk {
  path: string;
  /** The disk as a power cut at this moment would leave it: what was only in memory is not on it. */
  afterPowerCut(): LoopDisk;
  unmount(): void;
}

export function makeDisk(folder: string, megabytes: number): LoopDisk {
  const image = join(folder, 'disk.img');
  run('truncate', '-s', `${megabytes}M`, image);
  run('mkfs.ext4', '-q', '-m', '0', image);
  return mount(image, join(folder, 'disk'));
}

function mount(image: string, path: string): LoopDisk {
  mkdirSync(path);
  run('mount', '-o', 'loop', image, path);
  return {
    path,
    afterPowerCut() {
      // The image holds what the file system has handed to its disk, and nothing of the system's cache.
      copyFileSync(image, `${image}.cut`);
      return mount(`${image}.cut`, `${path}.cut`);
    },
    unmount: () => run('umount', path),
  };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, {
    stdio: 'pipe',
    env: { ...process.env, PATH: `${process.env.PATH}:/sbin:/usr/sbin` },
  });
}
