import type { Mutant } from './mutant.ts';

const fetch = 'packages/worker/src/fetch';

/** What stands between a crawler and the addresses it must not reach. */
export const egressMutants: readonly Mutant[] = [
  {
    name: 'first-address-only',
    why: 'A name with a public and a private address would lead to the private one.',
    file: `${fetch}/egress-dial.ts`,
    from: 'for (const ip of lookup.addresses) assertPermitted',
    to: 'for (const ip of lookup.addresses.slice(0, 1)) assertPermitted',
    killer: {
      test: `${fetch}/egress-guard.test.ts`,
      case: 'the guard > judges names by every address they have',
    },
  },
  {
    name: 'no-nat64-rule',
    why: 'An IPv6 address would lead through a gateway to a private IPv4 address.',
    file: `${fetch}/address.ts`,
    from: 'if (within(address, nat64)) return isGloballyReachable({ family: 4, value: address.value & 0xffffffffn });',
    to: 'if (within(address, nat64)) return true;',
    killer: {
      test: `${fetch}/egress-guard.test.ts`,
      case: ' before a packet leaves',
    },
  },
  {
    name: 'pool-without-allow-list',
    why: 'A crawl would reuse a connection to a private address that only another crawl may use.',
    file: `${fetch}/egress-pool.ts`,
    from: 'return address !== undefined && allow.permits(target, address);',
    to: 'return address !== undefined || allow.permits(target, address);',
    killer: {
      test: `${fetch}/egress.test.ts`,
      case: 'connections > opened under a wide allow-list do not serve a narrow one',
    },
  },
];
