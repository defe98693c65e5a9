import { groupTag, stateKey } from '../keys.ts';
import { slotOf } from '../topology/slots.ts';
import type { Command, Reply } from '../wire/resp.ts';
import { type ClusterAdmin, ownersIn } from './cluster-admin.ts';

export interface ClosedGroup {
  group: number;
  slot: number;
  /** `moving`: by us. `halted`: because its slot was on its way without us. */
  why: string;
}

/** Groups that answer CLOSED, by what their owners have; the state of one that is half moved may be elsewhere. */
export async function closedGroups(admin: ClusterAdmin, groups: number): Promise<ClosedGroup[]> {
  const states = await askEachGroup(admin, groups, (group) => ['GET', stateKey(group)]);
  return states.flatMap(({ group, reply }) => {
    const [, , , why] = typeof reply === 'string' ? reply.split(' ') : [];
    return why === undefined ? [] : [{ group, slot: slotOf(groupTag(group)), why }];
  });
}

/** One command for each group, sent to the primary that has it; groups without one are left out. */
export async function askEachGroup(
  admin: ClusterAdmin,
  groups: number,
  command: (group: number) => Command,
): Promise<{ group: number; reply: Reply | undefined }[]> {
  const owners = ownersIn(await admin.views());
  const byOwner = new Map<string, number[]>();
  for (let group = 0; group < groups; group++) {
    const address = owners[slotOf(groupTag(group))]?.address ?? '';
    if (address !== '') byOwner.set(address, [...(byOwner.get(address) ?? []), group]);
  }
  const found = [...byOwner].map(async ([address, there]) => {
    const replies = await admin.replies(address, there.map(command));
    return there.map((group, n) => ({ group, reply: replies[n] }));
  });
  return (await Promise.all(found)).flat().toSorted((a, b) => a.group - b.group);
}
