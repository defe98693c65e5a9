import { allGroups, type Context } from './context/context.ts';
import { groupTag, stateKey, storeTag } from '../../redis/keys.ts';
import { scripts } from '../../redis/client/scripts.ts';
import { slotOf } from '../../redis/topology/slots.ts';

/** Between two looks of one process. */
const everyMs = 10_000;
/** A state that was moved already cannot be reached here; then nobody reaches the group either. */
const deadlineMs = 1_000;

/**
 * Closes groups whose slot is on its way although no move is noted (F7): some other tool moves it, and after a
 * failover its keys would be met by halves. They stay closed until a person says `store move --resume`.
 */
export async function haltHalfMoved(context: Context): Promise<void> {
  const { store, clock } = context;
  const now = clock.now();
  if (now - context.movesSoughtAtMs < everyMs) return;
  context.movesSoughtAtMs = now;
  const moving = await store.movingSlots();
  if (moving.size === 0) return;
  const [noted] = await store.run([{ key: storeTag, args: ['HKEYS', `${storeTag}m`] }]);
  const ours = new Set(noted as string[]);
  // Ours are noted for longer than their slots are marked: one that ended just now is marked no more.
  const still = await store.movingSlots();
  const foreign = allGroups(context).filter(
    (group) =>
      moving.has(slotOf(groupTag(group))) && still.has(slotOf(groupTag(group))) && !ours.has(String(group)),
  );
  for (const group of foreign) {
    const call = { key: stateKey(group), script: scripts.closeForMove, args: ['halted'] };
    await store.run([call], { deadlineMs }).catch(() => undefined);
  }
}
