import { policyIn, type PolicyInput, withPolicy } from '@webfarer/protocol/job';
import type { PolicyVersion } from '../registry/policies.ts';
import { createJobGate, type JobGate } from './admit-job.ts';

type Given = Partial<PolicyVersion> & { policy: PolicyInput };

/** A gate with policies of a test. */
export function gateWith(policies: Record<string, Given> = {}): JobGate {
  return createJobGate({
    resolve(input) {
      const held = (input as { policy?: { name?: string } }).policy?.name;
      const name = policyIn(input)?.name ?? held;
      const given = name === undefined ? undefined : policies[name];
      if (name === undefined || !given) return Promise.resolve({ whole: input, from: undefined });
      const from: PolicyVersion = {
        name,
        version: 1,
        team: 'default',
        users: [],
        byAdmin: false,
        createdAtMs: 0,
        by: 'p1',
        note: '',
        ...given,
      };
      return Promise.resolve({
        whole: held === undefined ? withPolicy(input, from, from.policy) : input,
        from,
      });
    },
  });
}
