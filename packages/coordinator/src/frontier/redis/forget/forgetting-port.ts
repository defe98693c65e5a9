import { hostMatch } from '@webfarer/protocol/url';
import type { HostHistory } from '../../../history/host-history.ts';
import { buried } from '../../barred.ts';
import type { Frontier } from '../../frontier.ts';
import type { Context } from '../context/context.ts';
import { forgetStep } from './forget-hosts.ts';

/** What the frontier says of forgotten hosts. `stir`: for what may have set others to work. */
export function forgettingPort(
  context: Context,
  hostHistory: HostHistory,
  stir: <T>(work: Promise<T>) => Promise<T>,
): Pick<Frontier, 'forget' | 'forgot' | 'forgotten'> {
  const { crawls, clock } = context;
  return {
    async forget(id, order, after) {
      const step = await stir(forgetStep(context, id, order, after));
      if (step.next === undefined) await hostHistory.forget(id, hostMatch(order.pattern).host);
      return step;
    },
    async forgot(id, pattern, sums) {
      const crawl = await crawls.get(id);
      // A sample that was on its way may have come after those of the last step.
      await hostHistory.forget(id, hostMatch(pattern).host);
      await crawls.bar(crawl, (before) => buried(before, pattern, { ...sums, atMs: clock.wall() }));
    },
    forgotten: async (id) => [...((await crawls.get(id)).barred?.tombstones ?? [])],
  };
}
