import { join } from 'node:path';

/**
 * Where the built files of the console are, each compressed with brotli. In a checkout `npm run build` makes them; before
 * that the folder does not exist.
 */
export const consoleFolder: string = join(import.meta.dirname, '../dist/files');
