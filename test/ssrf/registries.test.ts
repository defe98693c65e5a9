import { describe, expect, it } from 'vitest';
import { isGloballyReachable, parseAddress } from '../../packages/worker/src/egress/address.ts';
import { boundaryAddresses, ipv4Registry, ipv6Registry, mayBeReached } from './registries.ts';

describe('the special-purpose registries', () => {
  it('have four edges to a row, but for the first and the last address there is', () => {
    const rows = ipv4Registry.length + ipv6Registry.length;
    // 0.0.0.0/8, 0.0.0.0/32 and :: have nothing before them; 240.0.0.0/4 and 255.255.255.255 nothing after.
    expect(boundaryAddresses()).toHaveLength(rows * 4 - 5);
  });

  it.each([
    ['8.8.8.8', true],
    ['127.0.0.1', false],
    ['192.0.0.9', true],
    ['192.0.0.11', false],
    ['2606:2800:21f::14', true],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::808:808', true],
    ['2002:808:808::', false],
    ['fd00:ec2::254', false],
  ])('say of %s: %s', (address, reachable) => {
    expect(mayBeReached(address)).toBe(reachable);
  });

  it('are what the guard goes by, at every edge', () => {
    const different = boundaryAddresses().filter((text) => {
      const address = parseAddress(text);
      return address === undefined || isGloballyReachable(address) !== mayBeReached(text);
    });
    expect(different).toEqual([]);
  });
});
