import { openRedisFrontier } from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../../packages/coordinator/src/frontier/sqlite/sqlite-frontier.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import {
  resultKinds,
  type Results,
  type ResultsCursor,
} from '../../packages/coordinator/src/results/results.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { simulated } from '../redis/simulated-crawl.ts';

/** Where the results of a trial are. */
export interface ReaderPlace {
  /** Address of a store, or path of a file. */
  redis?: string;
  sqlite?: string;
  replicas: number;
}

export interface TrialReader {
  results: Results;
  close(): Promise<void>;
}

/** Only reads; shares nothing with those who crawl. */
export async function openReader({ redis, sqlite, replicas }: ReaderPlace): Promise<TrialReader> {
  const clock = systemClock();
  if (redis === undefined) return openSqliteFrontier({ path: sqlite ?? '', clock, readOnly: true });
  const store = await openStore({ url: redis, replicas, clock });
  return await openRedisFrontier({ store, clock });
}

/** As a program: pages behind a cursor, one line each, until it is killed. */
async function run(place: ReaderPlace, cursor: ResultsCursor | undefined): Promise<void> {
  const { results } = await openReader(place);
  for (let at = cursor; ; ) {
    const page = await results.after(simulated, at, {
      kinds: resultKinds,
      filter: {},
      limit: 40,
      absent: 'hold',
    });
    at = page.cursor;
    process.stdout.write(`${JSON.stringify(page)}\n`);
    await new Promise((done) => setTimeout(done, 5));
  }
}

if (process.argv[1] === import.meta.filename) {
  const [place = '', cursor] = process.argv.slice(2);
  await run(JSON.parse(place) as ReaderPlace, cursor as ResultsCursor | undefined);
}
