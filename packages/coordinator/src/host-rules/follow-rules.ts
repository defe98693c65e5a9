import type { RegistryWatch } from '../registry/watch-registry.ts';
import { type HostRules, settableRules, tableOf } from './host-rules.ts';

/** The rules that the registry holds, in force as soon as this coordinator has heard of them. */
export async function followRules(watch: Pick<RegistryWatch, 'follow'>): Promise<HostRules> {
  const rules = settableRules();
  let isRead = false;
  const take = () => {
    if (isRead) rules.set(tableOf({ rules: [...kept.docs.values()], optOuts: [...owners.docs.values()] }));
  };
  const kept = await watch.follow('host-rule', take);
  const owners = await watch.follow('opt-out', take);
  isRead = true;
  take();
  return rules;
}
