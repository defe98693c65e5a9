import type { Mutant } from './mutant.ts';

const redis = 'packages/coordinator/src/frontier/redis';
const suite = (name: string) => ({
  test: `${redis}/redis-frontier.test.ts`,
  case: `frontier: Redis > ${name}`,
});

/** The frontier on Redis, and how its writes become durable. */
export const redisMutants: readonly Mutant[] = [
  {
    name: 'redis-no-fence',
    why: 'A report of an earlier lease would change the lease that replaced it.',
    file: `${redis}/lua/report.lua`,
    from: 'or h.ho or h.f ~= fence or now >= h.hd then',
    to: 'or now >= h.hd then',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'redis-late-reports-accepted',
    why: 'A worker whose lease ran out would settle URLs that another worker is fetching.',
    file: `${redis}/lua/report.lua`,
    from: 'or h.ho or h.f ~= fence or now >= h.hd then',
    to: 'or h.f ~= fence then',
    killer: suite('leases and clocks > answers late and repeated reports and changes nothing'),
  },
  {
    name: 'redis-host-free-at-deadline',
    why: 'A frozen worker could still be talking to a host that another worker is given.',
    file: `${redis}/lua/base/leases.lua`,
    from: 'h.hu, h.ho = h.hd + m.fetch + m.gap, false',
    to: 'h.hu, h.ho = h.hd, false',
    killer: suite('leases and clocks > an expired lease gives its URLs back but the host stays held'),
  },
  {
    name: 'redis-short-gap',
    why: 'Hosts would be contacted twice as often as promised.',
    file: `${redis}/lua/report.lua`,
    from: 'delay(h, finished + num(gap), why)',
    to: 'delay(h, finished + num(gap) / 2, why)',
    killer: suite('leases and clocks > keeps the gap after the end of a request'),
  },
  {
    name: 'redis-parcels-dropped',
    why: 'Links to sites of other groups would be lost when the process dies before it delivers them.',
    file: `${redis}/lua/report.lua`,
    from: "local parcel = #outs > 0 and append(P .. m.c .. 'o', unpack(outs)) or ''",
    to: "local parcel = ''",
    killer: suite('leases and clocks > settling twice within a lease changes nothing'),
  },
  {
    name: 'redis-operation-twice',
    why: 'A report whose answer was lost would be refused when it is sent again, and its pages fetched twice.',
    file: `${redis}/lua/report.lua`,
    from: "if h.op ~= '' then",
    to: "if h.op == 'never' then",
    killer: {
      test: `${redis}/again.test.ts`,
      case: 'answers that are lost > a report counts once, and the crawl goes on',
    },
  },
  {
    name: 'no-wait',
    why: 'What was acknowledged would be lost with its primary.',
    file: `${redis}/lane.ts`,
    from: 'const wait = batch[0]?.durable === true && replicas > 0;',
    to: 'const wait = false;',
    killer: {
      test: `${redis}/lane.test.ts`,
      case: 'a lane to one primary > waits right behind the calls, on their connection',
    },
  },
  {
    name: 'no-history-check',
    why: 'A primary that was replaced and came back would vouch for writes it has forgotten.',
    file: `${redis}/lane.ts`,
    from: 'if (replicationId(info) !== link.history) {',
    to: 'if (link.history === undefined) {',
    killer: {
      test: `${redis}/lane.test.ts`,
      case: 'a lane to one primary > does not believe a later WAIT of a primary that was replaced in between',
    },
  },
];
