import type { ServerProcess } from '../../test/redis/server-process.ts';

/** Commands that a server has run, those inside of scripts included. */
export async function commandsOf(server: ServerProcess): Promise<number> {
  const lines = (await server.askText('INFO', 'commandstats')).matchAll(/^cmdstat_\S+?:calls=(\d+)/gm);
  return [...lines].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
