import { groupTag, stateKey } from '../keys.ts';
import { slotOf } from '../slots.ts';
import { type ClusterAdmin, ownersIn } from './cluster-admin.ts';

export interface ClosedGroup {
  group: number;
  slot: number;
  /** `moving`: by us. `halted`: because its slot was on its way without us. */
  why: string;
}

/** Groups that answer CLOSED, by what their owners have; the state of one that is half moved may be elsewhere. */
export async function closedGroups(admin: ClusterAdmin, groups: number): Promise<ClosedGroup[]> {
  const owners = ownersIn(await admin.views());
  const byOwner = new Map<string, ClosedGroup[]>();
  for (let group = 0; group < groups; group++) {
    const slot = slotOf(groupTag(group));
    const address = owners[slot]?.address ?? '';
    const there = byOwner.get(address);
    if (there) there.push({ group, slot, why: '' });
    else if (address !== '') byOwner.set(address, [{ group, slot, why: '' }]);
  }
  const found = [...byOwner].map(async ([address, there]) => {
    const replies = await admin.replies(
      address,
      there.map(({ group }) => ['GET', stateKey(group)]),
    );
    return there.flatMap((each, n) => {
      const reply = replies[n];
      const [, , , why] = typeof reply === 'string' ? reply.split(' ') : [];
      return why === undefined ? [] : [{ ...each, why }];
    });
  });
  return (await Promise.all(found)).flat().toSorted((a, b) => a.group - b.group);
}
