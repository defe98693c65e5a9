import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from './store.ts';

const folder = join(import.meta.dirname, 'lua');
const read = (name: string) => readFileSync(join(folder, `${name}.lua`), 'utf8');

function script(name: string, text: string): Script {
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}

const base = ['time', 'state', 'leases', 'seen', 'index'].map((name) => read(`base/${name}`)).join('\n');
/** A transition of one group. */
const transition = (name: string) => script(name, `${base}\n${read(name)}`);
const plain = (name: string) => script(name, read(name));

export const scripts = {
  offer: transition('offer'),
  lease: transition('lease'),
  leaseHost: transition('lease-host'),
  renew: transition('renew'),
  report: transition('report'),
  sweep: transition('sweep'),
  open: transition('open'),
  review: transition('review'),
  setState: transition('set-state'),
  closeGroup: transition('close-group'),
  requeue: transition('requeue'),
  release: transition('release'),
  waiting: transition('waiting'),
  look: transition('look'),
  register: plain('register'),
  ledger: plain('ledger'),
  seeding: plain('seeding'),
};
