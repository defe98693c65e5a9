import { describe } from 'vitest';
import { budgetRules } from './budgets.suite.ts';
import { cursorRules } from './cursor.suite.ts';
import { epochRules } from './epochs.suite.ts';
import { forgettingRules } from './forgetting.suite.ts';
import { healthRules } from './health.suite.ts';
import { hostRuleRules } from './host-rules.suite.ts';
import { leaseRules } from './leases.suite.ts';
import { lifeRules } from './life.suite.ts';
import { orderRules } from './order.suite.ts';
import { poisonRules } from './poison.suite.ts';
import { queueRules } from './queues.suite.ts';
import { requestRules } from './requests.suite.ts';
import { resultRules } from './results.suite.ts';
import { upgradeRules } from './upgrades.suite.ts';
import { urlRules } from './urls.suite.ts';
import type { FrontierUnderTest } from './world.fixture.ts';

/** What every frontier must do. An implementation joins with its name and a way to open an empty one. */
export function frontierSuite(under: FrontierUnderTest): void {
  describe(`frontier: ${under.name}`, () => {
    queueRules(under);
    orderRules(under);
    leaseRules(under);
    poisonRules(under);
    healthRules(under);
    hostRuleRules(under);
    budgetRules(under);
    lifeRules(under);
    resultRules(under);
    cursorRules(under);
    epochRules(under);
    upgradeRules(under);
    requestRules(under);
    urlRules(under);
    forgettingRules(under);
  });
}
