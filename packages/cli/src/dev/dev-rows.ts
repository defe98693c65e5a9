import { plural } from '../terminal/format.ts';
import type { Style } from '../terminal/text.ts';
import type { DevLook, DevMember } from './dev-network.ts';
import type { ShownProcess } from './kept-process.ts';
import type { StoreServer } from './store-servers.ts';

/** One line of the table, and what a key does. */
export interface DevRow {
  key: string;
  of: DevMember | StoreServer;
  process: ShownProcess;
  /** What it does at the moment, for a person. */
  is: string;
  /** Whether it plays its part. */
  well: boolean;
  style: Style;
}

/** All but f, k and q, which mean something else. */
const keys = '123456789abcdeghijlmnoprstuvwxyz';

export function devRows(members: readonly DevMember[], look: DevLook): DevRow[] {
  return [...members, ...look.store].map((of, i) => {
    const doing = of.process.state === 'running' ? doingOf(of, look) : undefined;
    const is = doing?.is ?? stateWords[of.process.state];
    const well = doing?.well ?? false;
    return { key: keys[i] ?? '', of, process: of.process, is, well, style: styleOf(of.process.state, well) };
  });
}

const stateWords = {
  running: 'running',
  frozen: 'frozen',
  'starting again': 'dead, restarting',
  ending: 'ending',
  over: 'over',
} satisfies Record<ShownProcess['state'], string>;

function styleOf(state: ShownProcess['state'], well: boolean): Style {
  if (state === 'starting again') return 'bad';
  if (state === 'frozen') return 'warn';
  if (state === 'running') return well ? 'plain' : 'warn';
  return 'quiet';
}

function doingOf(of: DevMember | StoreServer, look: DevLook): { is: string; well: boolean } {
  if (of.role === 'store') return { is: of.is() ?? 'starting', well: of.is() !== undefined };
  if (of.role === 'coordinator') {
    const status = look.coordinators.get(of);
    return status
      ? { is: `serving ${plural(status.workers.length, 'worker')}`, well: true }
      : { is: 'starting', well: false };
  }
  const linked = look.workers.get(of);
  return linked
    ? { is: `connected to ${linked.at.process.name}`, well: true }
    : { is: 'looking for a coordinator', well: false };
}
