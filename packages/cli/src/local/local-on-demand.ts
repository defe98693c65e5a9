import type { LocalCrawls } from '../crawl/local-port.ts';

const load = async (): Promise<LocalCrawls> => (await import('./local-crawl.ts')).localCrawls;

/** Crawls on this machine, with the engine loaded by the first command that needs it. */
export const localCrawls: LocalCrawls = {
  openLocal: async (options) => await (await load()).openLocal(options),
  readFolder: async (folder, options) => await (await load()).readFolder(folder, options),
  retryFolder: async (folder, filter, options) => await (await load()).retryFolder(folder, filter, options),
  queueFolder: async (folder, urls) => await (await load()).queueFolder(folder, urls),
};
