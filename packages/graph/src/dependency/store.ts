import type { SourceScore } from './scores.ts';
import type { Level } from './target-groups.ts';
import { damping } from './walk.ts';

/** The module as the caller loaded it: it announces itself as experimental, which is the caller's to deal with. */
type Sqlite = Pick<typeof import('node:sqlite'), 'DatabaseSync'>;

/** One job of one crawl: what it said before is replaced when it speaks again. */
export interface JobKey {
  crawl: string;
  job: string;
}

export interface Question {
  level: Level;
  from?: string;
  to?: string;
  threshold?: number;
  limit: number;
}

/** A dependency as the database knows it, over all jobs that speak about its source. */
export interface MergedDependency {
  source: string;
  target: string;
  share: number;
  pages: number;
  links: number;
  reachable: number;
}

export interface MergedSource {
  source: string;
  jobs: number;
  pages: number;
  /** How readers' ways end: these four sum to 1. */
  leaves: number;
  stopped: number;
  ended: number;
  lost: number;
  targets: number;
  rest: number;
}

/** How much all sources together depend on a target. */
export interface MergedTarget {
  target: string;
  /** Sources that list it. */
  sources: number;
  /** Sum of their shares; the true sum is at most `error` larger. */
  share: number;
  error: number;
}

/** The merged database of dependencies. */
export interface DependencyStore {
  /** Whether the job is there, computed from this input with this threshold. */
  has(key: JobKey, input: string): boolean;
  /** All of a job in one transaction. */
  put(key: JobKey, about: { input: string; threshold: number; scores: readonly SourceScore[] }): void;
  jobs(): number;
  dependencies(question: Question): { rows: MergedDependency[]; total: number };
  sources(question: Omit<Question, 'to'>): MergedSource[];
  targets(question: Omit<Question, 'from'>): { rows: MergedTarget[]; total: number };
  close(): void;
}

const version = 1;

const schema = `
  CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY, crawl TEXT NOT NULL, job TEXT NOT NULL, input TEXT NOT NULL,
    threshold REAL NOT NULL, damping REAL NOT NULL, UNIQUE (crawl, job));
  CREATE TABLE IF NOT EXISTS sources (
    job INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE, level TEXT NOT NULL, source TEXT NOT NULL,
    pages INTEGER NOT NULL, leaves REAL NOT NULL, stopped REAL NOT NULL, ended REAL NOT NULL, lost REAL NOT NULL,
    targets INTEGER NOT NULL, rest REAL NOT NULL, PRIMARY KEY (level, source, job)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dependencies (
    job INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE, level TEXT NOT NULL, source TEXT NOT NULL,
    target TEXT NOT NULL, share REAL NOT NULL, pages INTEGER NOT NULL, links INTEGER NOT NULL,
    reachable REAL NOT NULL, PRIMARY KEY (level, source, target, job)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS dependencies_by_target ON dependencies (level, target);
  CREATE INDEX IF NOT EXISTS dependencies_by_job ON dependencies (job);
  CREATE INDEX IF NOT EXISTS sources_by_job ON sources (job);
  CREATE VIEW IF NOT EXISTS readers AS
    SELECT level, source, COUNT(*) AS jobs, SUM(pages) AS pages, SUM(pages * leaves) AS leaving,
      SUM(pages * stopped) / SUM(pages) AS stopped, SUM(pages * ended) / SUM(pages) AS ended,
      SUM(pages * lost) / SUM(pages) AS lost, SUM(targets) AS targets, SUM(pages * leaves * rest) AS resting
    FROM sources GROUP BY level, source;
  CREATE VIEW IF NOT EXISTS merged AS
    SELECT d.level, d.source, d.target,
      CASE WHEN r.jobs = 1 THEN MAX(d.share) ELSE SUM(s.pages * s.leaves * d.share) / r.leaving END AS share,
      SUM(d.pages) AS pages, SUM(d.links) AS links, SUM(d.reachable * s.pages) / r.pages AS reachable
    FROM dependencies d
      JOIN sources s ON s.level = d.level AND s.source = d.source AND s.job = d.job
      JOIN readers r ON r.level = d.level AND r.source = d.source
    GROUP BY d.level, d.source, d.target;
`;

export function openDependencies(file: string, sqlite: Sqlite): DependencyStore {
  const db = new sqlite.DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000');
  const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (found !== version) db.exec(`BEGIN IMMEDIATE; ${schema}; PRAGMA user_version = ${version}; COMMIT`);
  return { ...writing(db), ...asking(db), close: () => db.close() };
}

type Database = InstanceType<Sqlite['DatabaseSync']>;

function writing(db: Database): Pick<DependencyStore, 'has' | 'put' | 'jobs'> {
  const findJob = db.prepare('SELECT input FROM jobs WHERE crawl = ? AND job = ?');
  const countJobs = db.prepare('SELECT COUNT(*) AS count FROM jobs');
  const dropJob = db.prepare('DELETE FROM jobs WHERE crawl = ? AND job = ?');
  const addJob = db.prepare(
    'INSERT INTO jobs (crawl, job, input, threshold, damping) VALUES (?, ?, ?, ?, ?)',
  );
  const addSource = db.prepare('INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addDependency = db.prepare('INSERT INTO dependencies VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  return {
    has: ({ crawl, job }, input) => findJob.get(crawl, job)?.input === input,
    jobs: () => Number(countJobs.get()?.count),
    put({ crawl, job }, { input, threshold, scores }) {
      db.exec('BEGIN IMMEDIATE');
      try {
        dropJob.run(crawl, job);
        const id = addJob.run(crawl, job, input, threshold, damping).lastInsertRowid;
        for (const s of scores) {
          const ends = [s.leaves, s.stopped, s.ended, s.lost];
          addSource.run(id, s.level, s.source, s.pages, ...ends, s.targets, s.rest);
          for (const d of s.dependencies)
            addDependency.run(id, s.level, s.source, d.target, d.share, d.pages, d.links, d.reachable);
        }
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

function asking(db: Database): Pick<DependencyStore, 'dependencies' | 'sources' | 'targets'> {
  const fits = 'level = :level AND (:from IS NULL OR source = :from) AND (:to IS NULL OR target = :to)';
  const select = db.prepare(
    `SELECT source, target, share, pages, links, reachable, COUNT(*) OVER () AS total FROM merged
     WHERE ${fits} AND share >= :threshold ORDER BY share DESC, source, target LIMIT :limit`,
  );
  const selectSources = db.prepare(
    `SELECT source, jobs, pages, leaving / pages AS leaves, stopped, ended, lost, targets,
       CASE WHEN leaving > 0 THEN resting / leaving ELSE 0 END AS rest
     FROM readers WHERE level = :level AND (:from IS NULL OR source = :from)
     ORDER BY pages DESC, source LIMIT :limit`,
  );
  const selectTargets = db.prepare(
    `SELECT target, COUNT(*) AS sources, SUM(share) AS share,
       ((SELECT COUNT(*) FROM readers WHERE level = :level) - COUNT(*))
         * (SELECT MAX(threshold) FROM jobs) AS error, COUNT(*) OVER () AS total
     FROM merged WHERE level = :level AND (:to IS NULL OR target = :to) AND share >= :threshold
     GROUP BY target ORDER BY share DESC, sources DESC, target LIMIT :limit`,
  );
  return {
    dependencies: ({ level, from = null, to = null, threshold = 0, limit }) =>
      withTotal(select.all({ level, from, to, threshold, limit })),
    sources: ({ level, from = null, limit }) =>
      selectSources.all({ level, from, limit }) as unknown as MergedSource[],
    targets: ({ level, to = null, threshold = 0, limit }) =>
      withTotal(selectTargets.all({ level, to, threshold, limit })),
  };
}

function withTotal<Row>(found: object[]): { rows: Row[]; total: number } {
  const rows = found as (Row & { total: number })[];
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _total, ...row }) => row as Row) };
}
