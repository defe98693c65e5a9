import type { Mutant } from './mutant.ts';

/** What stands between a crawler and the addresses it must not reach. */
export const egressMutants: readonly Mutant[] = [
  {
    name: 'first-address-only',
    why: 'A name with a public and a private address would lead to the private one.',
    file: 'packages/worker/src/egress/dial.ts',
    from: 'for (const ip of lookup.addresses) assertPermitted',
    to: 'for (const ip of lookup.addresses.slice(0, 1)) assertPermitted',
    killer: {
      test: 'packages/worker/src/egress/guard.test.ts',
      case: 'the guard > judges names by every address they have',
    },
  },
  {
    name: 'no-nat64-rule',
    why: 'An IPv6 address would lead through a gateway to a private IPv4 address.',
    file: 'packages/worker/src/egress/address.ts',
    from: 'if (within(address, nat64)) return isGloballyReachable({ family: 4, value: address.value & 0xffffffffn });',
    to: 'if (within(address, nat64)) return true;',
    killer: {
      test: 'packages/worker/src/egress/guard.test.ts',
      case: ' before a packet leaves',
    },
  },
  {
    name: 'pool-without-allow-list',
    why: 'A crawl would reuse a connection to a private address that only another crawl may use.',
    file: 'packages/worker/src/egress/pool.ts',
    from: 'return address !== undefined && allow.permits(target, address);',
    to: 'return address !== undefined || allow.permits(target, address);',
    killer: {
      test: 'packages/worker/src/egress/egress.test.ts',
      case: 'connections > opened under a wide allow-list do not serve a narrow one',
    },
  },
  {
    name: 'no-remote-address-check',
    why: 'A connection that the system redirects to a private address would carry a request there.',
    file: 'packages/worker/src/egress/dial.ts',
    from: 'end(sameAddress(there, ip) ? undefined :',
    to: 'end(sameAddress(there, ip) || there !== ip ? undefined :',
    killer: {
      test: 'packages/worker/src/egress/peer.test.ts',
      case: 'is refused before a byte is sent, where another machine answers',
    },
  },
  {
    name: 'proxy-to-private-address',
    why: 'A proxy would be asked for the own machine, and reach its own.',
    file: 'packages/worker/src/egress/dial.ts',
    from: 'if (!permitsUnresolved(allow, target)) throw notPublic(target.host);',
    to: '',
    killer: {
      test: 'packages/worker/src/egress/proxy.test.ts',
      case: 'any proxy > does not lead to places the guard can see to be private',
    },
  },
  {
    name: 'certificates-unchecked',
    why: 'Anyone on the way could answer for any site.',
    file: 'packages/worker/src/egress/dial.ts',
    from: "ALPNProtocols: ['http/1.1'],",
    to: "ALPNProtocols: ['http/1.1'],\n        rejectUnauthorized: false,",
    killer: {
      test: 'packages/worker/src/egress/tls.test.ts',
      case: 'https > verifies the name against the certificate, and takes a session up again',
    },
  },
  {
    name: 'address-cap-ignored',
    why: 'A farm of subdomains would send as many requests at once to its one server as it has names.',
    file: 'packages/worker/src/egress/turns.ts',
    from: 'if (line.taken >= next.most) break;',
    to: '',
    killer: {
      test: 'packages/worker/src/egress/turns.test.ts',
      case: 'requests to one address > are capped whatever their host names, and all of them are answered in order',
    },
  },
  {
    name: 'idle-connections-uncapped',
    why: 'Requests on idle connections to a farm of subdomains would all go out at once.',
    file: 'packages/worker/src/egress/egress.ts',
    from: 'if (idle && (await keepsTurn(idle, errand, parts.pool))) {',
    to: 'if (idle) {',
    killer: {
      test: 'packages/worker/src/egress/turns.test.ts',
      case: 'are capped on idle connections too, and one that closes during the wait is replaced',
    },
  },
  {
    name: 'request-after-deadline',
    why: 'A process that was frozen would contact a host that another worker holds by now.',
    file: 'packages/worker/src/egress/egress.ts',
    from: '    try {\n      errand.inTime();\n',
    to: '    try {\n',
    killer: {
      test: 'packages/worker/src/egress/late.test.ts',
      case: 'a process that was frozen > sends no request on the connection it had been waiting for',
    },
  },
];
