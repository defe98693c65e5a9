import { type ApiScope, scopeCovers } from '@webfarer/protocol/api';
import { defaultTeam, type JobLeaf, leavesOf, resolveJob, type Storages } from '@webfarer/protocol/job';
import { WebfarerError } from '@webfarer/protocol';
import type { Policies, PolicyVersion } from '../registry/policies.ts';
import { type FieldRule, fieldRules, harmlessChanges } from './field-rules.ts';
import { placeSavers } from './place-savers.ts';

/** On whose behalf a job is sent: a token or person, or the schedule that one of them wrote. */
export interface JobSender {
  scope: ApiScope;
  team: string;
}

/**
 * The only way from a request to a job. Every entrance passes it: creating, editing and previewing a crawl, schedules and
 * each of their runs, policies. What is judged is the whole job, with the fields of its policy.
 */
export interface JobGate {
  /** The job with the fields of the policy that it names. Throws where its sender may not have it done. */
  admit(input: unknown, sender: JobSender): Promise<unknown>;
  /**
   * The same for a change of a job. Settings that were in it before may stay, whoever is allowed to add them, while all
   * that changes is harmless.
   */
  admitChange(change: { before: unknown; after: unknown }, sender: JobSender): Promise<unknown>;
  /** Throws where the text of a policy has settings that its writer may not make. */
  checkPolicy(policy: unknown, sender: JobSender): void;
}

export function createJobGate(policies: Pick<Policies, 'resolve'>, storages: Storages = {}): JobGate {
  async function judged(input: unknown, before: unknown, sender: JobSender) {
    const kept = (before as { policy?: unknown } | undefined)?.policy;
    const { whole: merged, from } = await policies.resolve(input, kept);
    const { whole, placed } = placeSavers(merged, { storages, sender, before });
    resolveJob(whole);
    return { whole, refused: refusedLeaves(whole, { sender, from, placed }) };
  }

  return {
    async admit(input, sender) {
      const { whole, refused } = await judged(input, undefined, sender);
      refuse(refused);
      return whole;
    },
    async admitChange({ before, after }, sender) {
      const { whole, refused } = await judged(after, before, sender);
      if (refused.length === 0) return whole;
      const grantOf = grantKeys();
      const had = new Set(leavesOf(before).map(grantOf));
      refuse(refused.filter((leaf) => fieldRules[leaf.path] === 'nobody' || !had.has(grantOf(leaf))));
      refuseHarm(changedPaths(before, whole), refused);
      return whole;
    },
    checkPolicy(policy, sender) {
      refuse(refusedLeaves(policy, { sender, from: undefined, placed: new Set() }));
    },
  };
}

/** What the sender may not set, and what it may not take from a policy. */
function refusedLeaves(
  whole: unknown,
  {
    sender,
    from,
    placed,
  }: { sender: JobSender; from: PolicyVersion | undefined; placed: ReadonlySet<unknown> },
): JobLeaf[] {
  const isAdmin = scopeCovers(sender.scope, 'admin');
  const grantOf = grantKeys();
  const lent = new Set(leavesOf(from?.policy).map(grantOf));
  const isUser = from !== undefined && isUserOf(from, sender.team);
  return leavesOf(whole).filter((leaf) => {
    const rule: FieldRule = fieldRules[leaf.path] ?? 'nobody';
    if (rule === 'nobody') return true;
    if (isAdmin || placed.has(leaf.holder)) return false;
    const isLent = lent.has(grantOf(leaf));
    if (rule === 'secret') return isLent && !isUser;
    if (rule === 'operator' || (rule !== 'admin' && rule(leaf))) return false;
    return !(isLent && isUser && from.byAdmin);
  });
}

/** A policy lends its settings to the team that it belongs to, and to those that it names. */
export function isUserOf({ team, users }: Pick<PolicyVersion, 'team' | 'users'>, asking: string): boolean {
  const [own, other] = [team || defaultTeam, asking || defaultTeam];
  return own === other || users.includes(other) || users.includes('*');
}

function changedPaths(before: unknown, after: unknown): string[] {
  const [old, now] = [before, after].map((job) => counted(leavesOf(job)));
  const keys = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const changed = [...keys].filter((key) => old?.get(key)?.count !== now?.get(key)?.count);
  return [...new Set(changed.map((key) => (now?.get(key) ?? old?.get(key))?.path ?? ''))];
}

function counted(leaves: readonly JobLeaf[]): Map<string, { path: string; count: number }> {
  const found = new Map<string, { path: string; count: number }>();
  for (const leaf of leaves) {
    const key = keyOf(leaf);
    const before = found.get(key);
    if (before) before.count++;
    else found.set(key, { path: leaf.path, count: 1 });
  }
  return found;
}

const keyOf = ({ path, value }: JobLeaf): string => JSON.stringify([path, value]);
/**
 * What somebody was given: a value, and in a list all of the entry with it. No pause for one host, or a proxy for
 * some URLs, is none for others. Each entry is put into text once, since it may have many fields.
 */
function grantKeys(): (leaf: JobLeaf) => string {
  const texts = new Map<string, number>();
  const known = new Map<unknown, number>();
  const numberOf = (entry: unknown): number => {
    const found = known.get(entry);
    if (found !== undefined) return found;
    const text = JSON.stringify(entry) ?? '';
    const number = texts.get(text) ?? texts.size;
    texts.set(text, number);
    known.set(entry, number);
    return number;
  };
  return ({ path, value, entry }) => JSON.stringify([path, value, numberOf(entry)]);
}

function refuse(leaves: readonly JobLeaf[]): void {
  const [decided, powers] = [
    leaves.filter(({ path }) => (fieldRules[path] ?? 'nobody') === 'nobody'),
    leaves.filter(({ path }) => (fieldRules[path] ?? 'nobody') !== 'nobody'),
  ];
  if (decided.length > 0)
    throw new WebfarerError('usage', `The coordinator decides ${named(decided)}, not the job.`, {
      next: `Remove ${named(decided)} from the job.`,
    });
  if (powers.length > 0)
    throw new WebfarerError('forbidden', `The job has settings that need an admin token: ${named(powers)}`, {
      next: 'Remove them, use a token with the scope admin, or ask an admin for a policy that lends them to your team.',
    });
}

function refuseHarm(changed: readonly string[], kept: readonly JobLeaf[]): void {
  const harmful = changed.filter((path) => !harmlessChanges.has(path));
  if (harmful.length === 0) return;
  throw new WebfarerError(
    'forbidden',
    `The job has settings of an admin (${named(kept)}), so only an admin may change ${harmful.join(', ')}.`,
    { next: 'Ask an admin, or create a crawl of your own.' },
  );
}

/** By their fields, each once. */
const named = (leaves: readonly JobLeaf[]): string => [...new Set(leaves.map(({ path }) => path))].join(', ');
