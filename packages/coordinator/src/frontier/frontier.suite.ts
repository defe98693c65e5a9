import { describe } from 'vitest';
import { budgetRules } from './suite-budgets.ts';
import { healthRules } from './suite-health.ts';
import { leaseRules } from './suite-leases.ts';
import { lifeRules } from './suite-life.ts';
import { queueRules } from './suite-queues.ts';
import { resultRules } from './suite-results.ts';
import type { FrontierUnderTest } from './suite-world.ts';

/** What every frontier must do. An implementation joins with its name and a way to open an empty one. */
export function frontierSuite(under: FrontierUnderTest): void {
  describe(`frontier: ${under.name}`, () => {
    queueRules(under);
    leaseRules(under);
    healthRules(under);
    budgetRules(under);
    lifeRules(under);
    resultRules(under);
  });
}
