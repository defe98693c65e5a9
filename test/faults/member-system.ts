import { join } from 'node:path';
import { readFolder } from '../../packages/cli/src/local/folder-reader.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { judge } from '../judge/judge.ts';
import { writeJob } from '../prove/lab.ts';
import { startMember } from '../prove/shared-crawl.ts';
import type { RedisServers } from '../redis/servers.ts';
import { faultJob } from './fault-job.ts';
import { type ProcessPart, processPart } from './process-part.ts';
import { storePart } from './store-part.ts';
import type { System } from './system.ts';

/** Processes that share one crawl through a store, without coordinators: each is worker and coordinator. */
export async function startMemberSystem(options: {
  fake: FakeWeb;
  store: RedisServers;
  members: number;
  under: string;
  /** Instead of the product's own. */
  command?: string;
  /** The first of them runs as this user. */
  firstUser?: number;
}): Promise<System> {
  const { fake, store, under, command, firstUser } = options;
  const { job, expect, gapMs } = faultJob(fake);
  const file = join(under, 'job.json');
  await writeJob(file, { ...job, name: `lab-${Math.random().toString(36).slice(2)}` });
  const folderOf = (n: number): string => join(under, `member-${n}.crawl`);
  const members: ProcessPart[] = [];
  const add = (): void => {
    const n = members.length + 1;
    const how = {
      // The proof of partitions gives each server an address of its own.
      args: ['--insecure-store'],
      ...(command ? { command } : {}),
      ...(n === 1 && firstUser !== undefined ? { uid: firstUser } : {}),
    };
    members.push(processPart(`member ${n}`, 'worker', () => startMember(file, folderOf(n), store.url, how)));
  };
  for (let n = 0; n < options.members; n++) add();
  return {
    fake,
    store,
    proxies: [],
    coordinatorPorts: () => [],
    parts: (role) =>
      role === 'worker' ? members : role === 'store' ? store.nodes.map((node) => storePart(node)) : [],
    join: () => Promise.resolve(add()),
    isOver: () => Promise.resolve(members.every(({ fate }) => fate === 0)),
    problem() {
      const ill = members.find(({ fate }) => fate !== undefined && fate !== 0);
      return ill && `${ill.name} ended with ${ill.fate}:\n${ill.output()}`;
    },
    async judge() {
      const reader = await readFolder(folderOf(1));
      try {
        return await judge({
          web: fake.web,
          expect,
          log: await fake.log(),
          records: reader.results.records(reader.crawl),
          gapMs,
          hostPages: fake.web.hostBudget(),
          balance: await reader.balance(),
        });
      } finally {
        await reader.close();
      }
    },
    async stop() {
      await Promise.all(members.filter(({ alive }) => alive).map((member) => member.kill()));
    },
  };
}
