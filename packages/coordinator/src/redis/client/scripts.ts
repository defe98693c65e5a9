import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from './call.ts';

const folder = join(import.meta.dirname, '../lua');
const read = (name: string) => readFileSync(join(folder, `${name}.lua`), 'utf8');

/** Steps of one group: they start with its time and may find it closed. */
const transitions = {
  offer: 'offer',
  deliver: 'offer',
  lease: 'lease',
  leaseHost: 'lease-host',
  renew: 'renew',
  report: 'report',
  sweep: 'sweep',
  open: 'open',
  review: 'review',
  closeGroup: 'close-group',
  requeue: 'requeue',
  drop: 'drop',
  queuedHosts: 'queued-hosts',
  leasedEntries: 'leased-entries',
  release: 'release',
  waiting: 'waiting',
  look: 'look',
  forget: 'forget',
  forgetHost: 'forget/host',
  replaceRecords: 'forget/replace-records',
  countFile: 'forget/count-file',
  rewriteQueue: 'forget/rewrite-queue',
  claim: 'claim',
  keep: 'keep',
  resultFate: 'result-fate',
  doubt: 'doubt',
} as const;
/** Steps on what belongs to the whole store, and those that close and open a group. */
const global = {
  register: 'register',
  unregister: 'unregister',
  ledger: 'ledger',
  finish: 'finish',
  reopen: 'reopen',
  crawlState: 'crawl/state',
  crawlTold: 'crawl/told',
  crawlRead: 'crawl/read',
  crawlChanges: 'crawl/changes',
  crawlEnter: 'crawl/enter',
  crawlBar: 'crawl/bar',
  crawlTime: 'crawl/time',
  crawlLimit: 'crawl/limit',
  members: 'members',
  alive: 'alive',
  home: 'home',
  claimDuty: 'duty/claim',
  releaseDuty: 'duty/release',
  catalogCreate: 'catalog-create',
  catalogGet: 'catalog-get',
  catalogList: 'catalog-list',
  catalogChange: 'catalog-change',
  catalogRemove: 'catalog-remove',
  catalogChanges: 'catalog-changes',
  registryWrite: 'registry-write',
  registryList: 'registry-list',
  registryChanges: 'registry-changes',
  registryNote: 'registry-note',
  registryNotes: 'registry-notes',
  closeForMove: 'close-for-move',
  openAfterMove: 'open-after-move',
  mark: 'mark',
  countSample: 'count-sample',
  hostRoster: 'host-roster',
  hostSample: 'host-sample',
} as const;

/** Decide by time, so they compare it (F5). */
const timed = new Set<string>(['lease', 'leaseHost', 'renew', 'sweep', 'release', 'open']);

/**
 * Begin something new, so a server that has no memory left refuses them (F12). All others are carried out: what is in
 * flight is recorded and its links delivered, leases end, and results leave for files, which makes room. Operators can
 * still change documents, so that a token can be revoked.
 */
const beginning = new Set<string>([
  'offer',
  'lease',
  'leaseHost',
  'register',
  'requeue',
  'catalogCreate',
  'countSample',
  'hostSample',
]);

/** What they do most often is about one crawl, their first argument proper: it is read with the group's state. */
const ofOneCrawl = new Set<string>(['offer', 'deliver', 'report']);

/** Seldom need the time. */
const timeless = new Set<string>(['offer', 'deliver', 'resultFate']);

function beginArgs(name: string): string {
  const crawl = ofOneCrawl.has(name) ? 'args[4]' : 'nil';
  return `keys, args, ${crawl}, ${timeless.has(name)}`;
}

/** A step as the group runner calls it. */
export interface Step extends Script {
  timed: boolean;
}

type Name = keyof typeof transitions | keyof typeof global;

const base = [
  'head',
  'catalog',
  'registry',
  'ceilings',
  'texts',
  'time',
  'streams',
  'state',
  'leases',
  'upgrades',
  'seen',
  'index',
].map((name) => read(`base/${name}`));
const bodies = { ...transitions, ...global };
const functions = (Object.keys(bodies) as Name[]).map((name) => {
  const start =
    name in transitions
      ? `local early = begin(${beginArgs(name)})\nif early then return early end`
      : 'take_arguments(keys, args)';
  // A library may have 200 locals at most: only those that every page of a crawl calls are.
  const [local, run] = name in transitions ? ['local ', `run_${name}`] : ['', `whole_store.${name}`];
  return { name, run, text: `${local}function ${run}()\n${read(bodies[name])}\nend`, start };
});

/**
 * All transitions as one library of the engine. Made once per server, where a script would make all its
 * functions anew with every call (9 of 13 µs). Its name and those of its functions carry a digest of the
 * text, so that programs of different versions work side by side.
 */
const parts = [...base, 'local whole_store = {}', ...functions.map(({ text }) => text)].join('\n');
const sha = createHash('sha1')
  .update(parts + functions.map(({ name, start }) => start + String(beginning.has(name))).join(''))
  .digest('hex');
const stamp = sha.slice(0, 10);
const registered = functions.map(({ name, run, start }) => {
  const callback = `function(keys, args)\n${start}\nreturn ${run}()\nend`;
  const flags = beginning.has(name) ? '' : `, flags = { 'allow-oom' }`;
  return `redis.register_function{ function_name = 'wf_${name}_${stamp}', callback = ${callback}${flags} }`;
});
const library = [`#!lua name=webfarer_${stamp}`, parts, ...registered].join('\n');

export const scripts = Object.fromEntries(
  functions.map(({ name }) => [
    name,
    { name: `wf_${name}_${stamp}`, sha, text: library, timed: timed.has(name) },
  ]),
) as Record<Name, Step>;
