// ci: core
// watches: packages/worker/src/egress, packages/worker/src/fetch, packages/worker/src/objects
// watches: packages/protocol/src/url, packages/coordinator/src/webhooks, packages/coordinator/src/owners
// watches: packages/cli/src/network
// misses: a way to an address that the crawler must not reach
import { join } from 'node:path';
import { inOwnNetwork } from '../install/own-network.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import type { InsideOptions, Part } from '../ssrf/inside.ts';
import { everyAddressIsHere } from '../ssrf/places.ts';
import { argument, workFolder } from './lab.ts';

const sizes = { quick: { rebinds: 1_000 }, full: { rebinds: 10_000 } };

/**
 * Nothing leads the crawler to an address it must not reach. In a network of its own every address of the world is
 * this machine, so each connection arrives and is judged by where it went. Each part runs again with the guard
 * told to allow everything, and must then be seen to arrive.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const rebinds = Number(argument(args, '--rebinds') ?? size.rebinds);
  const work = workFolder('ssrf');
  try {
    const { parts, controlFaults } = await inOwnNetwork<{ parts: Part[]; controlFaults: string[] }>({
      program: join(import.meta.dirname, '../ssrf/inside.ts'),
      args: { quick, folder: work.path, rebinds } satisfies InsideOptions,
      folder: work.path,
      setUp: everyAddressIsHere,
    });
    const sum = (of: (part: Part) => number): number => parts.reduce((total, part) => total + of(part), 0);
    const wrong = parts.flatMap((part) => part.wrong.map((what) => `${part.name}: ${what}`));
    const places = parts.flatMap((part) => part.places.map((place) => `${part.name}: ${place}`));
    const blind = parts.filter((part) => part.controlHits === 0).map(({ name }) => `${name} cannot fail`);
    const closed = parts
      .filter((part) => part.name !== 'ports' && part.reachedPublic === 0)
      .map(({ name }) => `${name} reached nothing at all`);
    const faults = [...wrong, ...places];
    const untold = [...blind, ...closed, ...controlFaults];
    const canaryHits = sum((part) => part.canaryHits);
    return {
      ok: canaryHits === 0 && faults.length === 0,
      tooEasy: untold.length > 0,
      result: {
        cases: sum((part) => part.cases),
        canaryHits,
        controlHits: sum((part) => part.controlHits),
        reachedPublic: sum((part) => part.reachedPublic),
        parts: Object.fromEntries(parts.map(({ name, cases }) => [name, cases])),
        faults: faults.slice(0, 20),
        untold: untold.slice(0, 20),
        sizes: { rebinds },
      },
    };
  } finally {
    work.remove();
  }
}
