import type { FakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { holds } from '../judge/judge.ts';
import type { ProofResult } from '../prove.ts';
import { judgeFolder } from './judge-folder.ts';
import {
  type Durability,
  killOne,
  type Member,
  membersEnded,
  shares,
  startMember,
  startMembers,
  startStore,
  type StoreKind,
} from './shared-crawl.ts';

export interface SharedTrial {
  fake: FakeWeb;
  /** The job, as a file. */
  job: string;
  store: StoreKind;
  processes: number;
  under: string;
  /** What is right. */
  expect: ExpectOptions;
  /** Kill one of the processes on the way. */
  disturb: boolean;
  durability: Durability;
}

/** Separate processes share one crawl through a store; judged on all they did together. */
export async function shareCrawl(trial: SharedTrial): Promise<ProofResult> {
  const { fake, job, processes, under, disturb, expect, durability } = trial;
  const store = await startStore(trial.store, durability);
  let members: Member[] = [];
  try {
    const started = performance.now();
    members = startMembers({ job, url: store.url, count: processes, under, durability });
    const victim = members[1] ?? (members[0] as Member);
    const repeatsAllowed = disturb
      ? await killOne(fake, victim, {
          requests: [...fake.web.expected()].length / 4,
          restart: () => startMember(job, victim.folder, store.url, durability),
        })
      : 0;
    await membersEnded(members);
    const seconds = (performance.now() - started) / 1_000;
    const { captures, misplaced } = await shares(members);
    const judgement = await judgeFolder(fake, victim.folder, expect);
    return {
      ok:
        holds(judgement, { repeats: repeatsAllowed }) &&
        misplaced === 0 &&
        captures.every((count) => count > 0),
      result: {
        ...judgement,
        captures,
        misplaced,
        ...(disturb ? { kills: 1, repeatsAllowed } : {}),
        pagesPerSecond: Math.round(judgement.recorded / seconds),
      },
    };
  } finally {
    for (const { crawler } of members) crawler.child.kill('SIGKILL');
    await store.stop();
  }
}
