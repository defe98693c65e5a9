import { appendFile, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Appends the beginning of a capture to every archive that was being written, and answers how many there were. */
export async function tearFiles(folder: string): Promise<number> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith('.open'));
  let torn = 0;
  for (const name of names) {
    const piece = await beginning(join(folder, name), 20 + Math.floor(Math.random() * 200));
    if (piece.length === 0) continue;
    await appendFile(join(folder, name), piece);
    torn += 1;
  }
  return torn;
}

async function beginning(path: string, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
