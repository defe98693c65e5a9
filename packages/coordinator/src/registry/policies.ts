import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import {
  checkPolicy,
  type JobProblem,
  type PolicyInput,
  policyIn,
  policyName,
  type PolicyRef,
  showPath,
  withPolicy,
} from '@webfarer/protocol/job';
import { docsOf } from './docs-of.ts';
import type { Registry, RegistryDoc } from './registry.ts';

/** One version of a policy. Nothing changes it: a name and a version stand for one text. */
export interface PolicyVersion {
  name: string;
  version: number;
  /** Whose operators may write it. */
  team: string;
  /** Other teams that may use settings of it which are not for everyone; `*`: all. */
  users: string[];
  /** Written by an admin: only then it lends settings that need one. */
  byAdmin: boolean;
  createdAtMs: number;
  /** Who wrote it. */
  by: string;
  note: string;
  policy: PolicyInput;
}

/** `policy` in the registry: the latest version. The versions themselves are `policy-version`, by `NAME@VERSION`. */
interface PolicyHead {
  latest: number;
  /** It is no longer offered. Its versions stay, and a policy of the same name continues their numbers. */
  removedAtMs?: number;
}

export interface NewPolicy {
  policy: unknown;
  by: string;
  byAdmin: boolean;
  team: string;
  /** Undefined: as before. */
  users?: string[] | undefined;
  note: string;
  /** Only if this is the latest version, 0 if there is none; undefined: whatever is. */
  latest?: number | undefined;
}

export type PolicyAnswer =
  | { kind: 'written'; version: PolicyVersion }
  /** Another version is the latest; undefined: there is none. */
  | { kind: 'stale'; version: PolicyVersion | undefined };

export interface Policies {
  /** Without a version the latest; undefined where there is none, or the policy was removed. */
  get(ref: { name: string; version?: number | undefined }): Promise<PolicyVersion | undefined>;
  list(page: {
    after: string;
    limit: number;
  }): Promise<{ policies: PolicyVersion[]; next: string | undefined }>;
  /** From the first one on. */
  versions(name: string, page: { after: number; limit: number }): Promise<PolicyVersion[]>;
  /** Writes the next version. Throws `job-invalid` where the text is not that of a policy. */
  write(name: string, given: NewPolicy): Promise<PolicyAnswer>;
  /** False: there is none. Crawls keep their copies. */
  remove(name: string): Promise<boolean>;
  /**
   * The job with the fields of the policy it names, or the job itself where it names none. `kept`: the policy of the
   * crawl that the job continues, whose version stays in force.
   */
  resolve(input: unknown, kept?: unknown): Promise<{ whole: unknown; from: PolicyVersion | undefined }>;
  /** The team whose policy had this name, also where it was removed: no other team can take the name. */
  owner(name: string): Promise<{ team: string; latest: number } | undefined>;
  /** The names that a team has taken. */
  ownedBy(team: string): AsyncIterable<string>;
}

export function openPolicies(registry: Registry, clock: Pick<DatedClock, 'wall'>): Policies {
  async function head(name: string): Promise<RegistryDoc<PolicyHead> | undefined> {
    return (await registry.get('policy', name)) as RegistryDoc<PolicyHead> | undefined;
  }

  async function version(name: string, number: number): Promise<PolicyVersion | undefined> {
    const found = (await registry.get('policy-version', versionId(name, number)))?.value;
    // Versions of earlier releases name no users and do not record who wrote them.
    const before = { users: [], byAdmin: false };
    return found === undefined ? undefined : { ...before, ...(found as PolicyVersion) };
  }

  async function ownerOf(name: string, latest: number) {
    const team = (await version(name, latest))?.team;
    return team === undefined ? undefined : { team, latest };
  }

  async function get(ref: Parameters<Policies['get']>[0]): Promise<PolicyVersion | undefined> {
    if (ref.version !== undefined) return await version(ref.name, ref.version);
    const found = (await head(ref.name))?.value;
    return found && found.removedAtMs === undefined ? await version(ref.name, found.latest) : undefined;
  }

  /**
   * The version is written first, which only one can do, and then becomes the latest. Whoever finds a version that its
   * writer did not get to announce announces it.
   */
  async function write(name: string, given: NewPolicy): Promise<PolicyAnswer> {
    const before = await head(name);
    const latest = before?.value.latest ?? 0;
    const standing = before?.value.removedAtMs === undefined ? latest : 0;
    if (given.latest !== undefined && given.latest !== standing)
      return { kind: 'stale', version: await get({ name }) };
    const next: PolicyVersion = {
      name,
      version: latest + 1,
      team: given.team,
      users: given.users ?? (latest === 0 ? [] : ((await version(name, latest))?.users ?? [])),
      byAdmin: given.byAdmin,
      createdAtMs: Math.round(clock.wall()),
      by: given.by,
      note: given.note,
      policy: given.policy as PolicyInput,
    };
    const claimed = await registry.put('policy-version', versionId(name, next.version), 0, next);
    const announced = await registry.put('policy', name, before?.version ?? 0, { latest: next.version });
    if (claimed.kind === 'changed') {
      // One who was faster here has announced this very version, or a later one.
      if (announced.kind === 'changed' || latestIn(announced.doc) >= next.version)
        return { kind: 'written', version: next };
      return await announce(name, next);
    }
    return await write(name, given);
  }

  /** The head was changed in between, as by a removal. */
  async function announce(name: string, next: PolicyVersion): Promise<PolicyAnswer> {
    const found = await head(name);
    if (latestIn(found) < next.version) {
      const answer = await registry.put('policy', name, found?.version ?? 0, { latest: next.version });
      if (answer.kind === 'stale') return await announce(name, next);
    }
    return { kind: 'written', version: next };
  }

  /** The policy whose fields a job has already: a change of the job does not take them from it. */
  async function heldVersion(input: unknown): Promise<PolicyVersion | undefined> {
    const { policy } = (input ?? {}) as { policy?: Partial<PolicyRef> | null };
    if (typeof policy?.name !== 'string' || typeof policy.version !== 'number') return undefined;
    return await version(policy.name, policy.version);
  }

  async function remove(name: string): Promise<boolean> {
    const found = await head(name);
    if (!found || found.value.removedAtMs !== undefined) return false;
    const removed = { ...found.value, removedAtMs: Math.round(clock.wall()) };
    const answer = await registry.put('policy', name, found.version, removed);
    return answer.kind === 'changed' || (await remove(name));
  }

  return {
    get,
    async list({ after, limit }) {
      const page = await registry.list('policy', { after, limit });
      const heads = page.docs as RegistryDoc<PolicyHead>[];
      const offered = heads.filter(({ value }) => value.removedAtMs === undefined);
      const found = await Promise.all(offered.map(({ id, value }) => version(id, value.latest)));
      return { policies: found.filter((one) => one !== undefined), next: page.next };
    },
    async versions(name, { after, limit }) {
      const latest = (await head(name))?.value.latest ?? 0;
      const numbers = Array.from(
        { length: Math.max(0, Math.min(limit, latest - after)) },
        (_, i) => after + 1 + i,
      );
      const found = await Promise.all(numbers.map((number) => version(name, number)));
      return found.filter((one) => one !== undefined);
    },
    async write(name, given) {
      if (!policyName.safeParse(name).success) throw invalidName(name);
      const checked = checkPolicy(given.policy);
      if (!checked.ok) throw new WebfarerError('job-invalid', problemText(checked.problems));
      return await write(name, given);
    },
    remove,
    owner: async (name) => await ownerOf(name, latestIn(await head(name))),
    async *ownedBy(team) {
      for await (const doc of docsOf(registry, 'policy'))
        if ((await ownerOf(doc.id, latestIn(doc)))?.team === team) yield doc.id;
    },
    async resolve(input, kept) {
      const named = policyIn(input);
      if (!named) return { whole: input, from: await heldVersion(input) };
      const ref = named.version === undefined && isSame(kept, named.name) ? kept : named;
      const found = await get(ref);
      if (!found) throw noSuch(ref);
      return { whole: withPolicy(input, found, found.policy), from: found };
    },
  };
}

function invalidName(name: string): WebfarerError {
  return new WebfarerError('usage', `invalid name of a policy: ${JSON.stringify(name.slice(0, 100))}`, {
    next: 'Use up to 100 printable characters, without @ and /.',
  });
}

/** In the order of their numbers. */
function versionId(name: string, version: number): string {
  return `${name}@${String(version).padStart(9, '0')}`;
}

function latestIn(doc: RegistryDoc | undefined): number {
  return (doc?.value as PolicyHead | undefined)?.latest ?? 0;
}

function isSame(kept: unknown, name: string): kept is Required<PolicyRef> {
  return typeof kept === 'object' && kept !== null && (kept as PolicyRef).name === name;
}

function problemText(problems: readonly JobProblem[]): string {
  const lines = problems.map(({ path, message }) =>
    path.length === 0 ? message : `${showPath(path)}: ${message}`,
  );
  return lines.length === 1
    ? `The policy is not valid: ${lines[0]}`
    : `The policy is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function noSuch({ name, version }: PolicyRef): WebfarerError {
  const what =
    version === undefined ? `no policy named ${name}` : `no version ${version} of the policy ${name}`;
  return new WebfarerError('not-found', `there is ${what}`, {
    next: 'Policies are kept by a coordinator: create it there, or leave policy: out of the job.',
  });
}
