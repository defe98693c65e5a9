import { open, rename } from 'node:fs/promises';

/** Writes a file so that it appears whole, or the one before it stays. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}
