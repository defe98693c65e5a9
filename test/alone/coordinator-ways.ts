import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AloneLab, Shown, Way } from './lab.ts';
import { crawled, failed, refusal, scheduleSays } from './shown.ts';
import { startServer } from './sites.ts';

type Look = (lab: AloneLab) => Promise<Shown | undefined>;

const folderOf = (lab: AloneLab, name: string) => join(lab.data, 'crawls', name);

/** What is damaged while the coordinator is down shows when it is up again. */
function damaged(name: string, damage: (lab: AloneLab, folder: string) => void, shown: Look): Way {
  let isDamaged = false;
  return {
    name,
    async cause(lab) {
      isDamaged = false;
      await lab.create(name);
    },
    whileDown(lab) {
      damage(lab, folderOf(lab, name));
      isDamaged = true;
      return Promise.resolve();
    },
    shown: async (lab) => (isDamaged ? await shown(lab) : undefined),
  };
}

function changeRow(file: string, sql: string, ...values: string[]): void {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  try {
    const { changes } = db.prepare(sql).run(...values);
    if (changes !== 1) throw new Error(`${sql} has changed ${changes} rows`);
  } finally {
    db.close();
  }
}

/** A job that an earlier version accepted. */
function refuseJob({ data }: AloneLab, name: string): void {
  const file = join(folderOf({ data } as AloneLab, name), 'crawl.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { job: { scope?: object } };
  const job = { ...manifest.job, scope: { ...manifest.job.scope, exclude: [{ regex: '^(?!.*x)' }] } };
  writeFileSync(file, JSON.stringify({ ...manifest, job }));
  const catalog = join(data, 'catalog.db');
  changeRow(
    catalog,
    `UPDATE crawls SET text = json_set(text, '$.job', json(?)) WHERE name = ?`,
    JSON.stringify(job),
    name,
  );
}

/** Something else has the place of a file that the crawl writes at its end. */
const outputInTheWay: Way = {
  name: 'output-in-the-way',
  async cause(lab) {
    await lab.create('output-in-the-way', { limits: { pages: 30 } });
    mkdirSync(join(folderOf(lab, 'output-in-the-way'), 'results.jsonl', 'in-the-way'), { recursive: true });
  },
  shown: failed('output-in-the-way', /results\.jsonl/),
};

const policyGone: Way = {
  name: 'schedule-policy-removed',
  async cause({ ask }) {
    await ask('PUT', '/policies/short-lived', { policy: { politeness: { gap: '1s' } } });
    const startsAt = new Date(Date.now() + 3_000).toISOString();
    await ask('PUT', '/schedules/orphan', {
      schedule: {
        name: 'orphan',
        when: { every: 1, unit: 'days', startsAt },
        run: { policy: 'short-lived', seeds: ['http://127.0.0.1:9/'] },
      },
    });
    await ask('DELETE', '/policies/short-lived');
  },
  shown: scheduleSays('orphan', /short-lived/),
  end: async ({ ask }) => void (await ask('DELETE', '/schedules/orphan')),
};

/** Its runs have names that no file system takes, and begin at once. */
const longName: Way = {
  name: 'schedule-long-name',
  async cause({ ask }) {
    await ask('PUT', '/schedules/long', {
      schedule: {
        name: '網'.repeat(200),
        when: { every: 1, unit: 'days', startsAt: 'now' },
        runName: `${'網'.repeat(190)}{COUNT}`,
        run: { job: { seeds: ['http://127.0.0.1:9/'], limits: { minFree: '1MB' } } },
      },
    });
  },
  async shown({ ask }) {
    const { lastRun, lastError } = await ask<{
      lastRun?: { name?: string };
      lastError?: { text: string; next: string };
    }>('GET', '/schedules/long');
    if (lastError) return { what: lastError.text, next: lastError.next };
    return lastRun && { what: 'a run was started', next: 'nothing' };
  },
  async end({ ask }) {
    await ask('DELETE', '/schedules/long');
    const { items } = await ask<{ items: { id: string; name: string }[] }>('GET', '/crawls');
    for (const { id, name } of items) if (name.startsWith('網')) await ask('DELETE', `/crawls/${id}`);
  },
};

function damagedSchedule(): Way {
  let isDamaged = false;
  return {
    name: 'schedule-damaged',
    async cause({ ask }) {
      isDamaged = false;
      await ask('PUT', '/schedules/torn', {
        schedule: {
          name: 'torn',
          when: { every: 1, unit: 'days', startsAt: new Date(Date.now() + 5_000).toISOString() },
          run: { job: { seeds: ['http://127.0.0.1:9/'] } },
        },
      });
    },
    whileDown({ data }) {
      const sql = `UPDATE docs SET text = '{"schedule": {"when": 3' WHERE kind = 'schedule' AND id = ?`;
      changeRow(join(data, 'registry.db'), sql, 'torn');
      isDamaged = true;
      return Promise.resolve();
    },
    shown: async ({ ask }) => (isDamaged ? await refusal(() => ask('GET', '/schedules/torn')) : undefined),
    end: async ({ ask }) => void (await ask('DELETE', '/schedules/torn')),
  };
}

/** A receiver that hears and never answers. */
function webhookHangs(): Way {
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let id = '';
  return {
    name: 'webhook-hangs',
    async cause({ ask, closed }) {
      server = await startServer(() => undefined);
      const events = ['crawl.finished'];
      ({ id } = await ask<{ id: string }>('POST', '/webhooks', { url: `${server.url}/`, events }));
      const away = await ask<{ id: string }>('POST', '/webhooks', { url: `http://${closed}/`, events });
      for (const one of [id, away.id, id, away.id]) await ask('POST', `/webhooks/${one}/test`);
      id = away.id;
    },
    async shown({ ask }) {
      const { items } = await ask<{ items: { last?: { error?: string } }[] }>(
        'GET',
        `/webhooks/${id}/deliveries`,
      );
      const what = items.find(({ last }) => last?.error !== undefined)?.last?.error;
      return what === undefined ? undefined : { what, next: 'docs/webhooks.md' };
    },
    async end({ ask }) {
      const { items } = await ask<{ items: { id: string }[] }>('GET', '/webhooks');
      for (const webhook of items) await ask('DELETE', `/webhooks/${webhook.id}`);
      await server?.stop();
    },
  };
}

const followers = 20;

/** Clients that follow what changes and read nothing. */
function followerStuck(): Way {
  const gone = new AbortController();
  return {
    name: 'follower-stuck',
    async cause(lab) {
      await lab.create('follower-stuck');
      const token = readFileSync(join(lab.data, 'operator.token'), 'utf8').trim();
      for (let n = 0; n < followers; n++)
        await fetch(`${lab.url()}/v1/events?topic=resources`, {
          headers: { authorization: `Bearer ${token}` },
          signal: gone.signal,
        });
    },
    shown: crawled('follower-stuck'),
    end: () => Promise.resolve(gone.abort()),
  };
}

export const coordinatorWays: readonly Way[] = [
  damaged(
    'crawl-db-damaged',
    (_lab, folder) => {
      for (const ending of ['-wal', '-shm']) rmSync(join(folder, `crawl.db${ending}`), { force: true });
      writeFileSync(join(folder, 'crawl.db'), 'this is no database\n'.repeat(500));
    },
    failed('crawl-db-damaged', /crawl\.db|database/),
  ),
  damaged(
    'crawl-json-damaged',
    (_lab, folder) => writeFileSync(join(folder, 'crawl.json'), '{"format": 1, "id": '),
    // Its database has a copy.
    crawled('crawl-json-damaged'),
  ),
  damaged(
    'folder-missing',
    (_lab, folder) => renameSync(folder, `${folder}-moved`),
    failed('folder-missing', /missing/),
  ),
  damaged(
    'catalog-entry-damaged',
    ({ data }) =>
      changeRow(
        join(data, 'catalog.db'),
        `UPDATE crawls SET text = '{' WHERE name = ?`,
        'catalog-entry-damaged',
      ),
    failed('catalog-entry-damaged', /catalog/),
  ),
  damaged('job-refused', (lab) => refuseJob(lab, 'job-refused'), failed('job-refused', /lookahead/)),
  outputInTheWay,
  policyGone,
  longName,
  damagedSchedule(),
  webhookHangs(),
  followerStuck(),
];
