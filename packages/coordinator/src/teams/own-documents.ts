import { WebfarerError } from '@webfarer/protocol';
import type { ApiScope } from '@webfarer/protocol/api';

/**
 * How many documents of a kind the operators of a team may have. Coordinators hold most of them in memory, and a registry has
 * room for a certain number of a kind, whichever team they belong to: without a bound one team could leave the others none.
 */
export const mostOwn = {
  'host-rule': 5_000,
  'opt-out': 5_000,
  schedule: 500,
  webhook: 100,
  policy: 500,
} as const;
type Kind = keyof typeof mostOwn;
/** Of one policy: a version is never removed, because jobs may name it. */
export const mostVersions = 1_000;

const names: Record<Kind, string> = {
  'host-rule': 'host rules',
  'opt-out': 'opt-outs',
  schedule: 'schedules',
  webhook: 'webhooks',
  policy: 'policies, removed ones included',
};

interface Writer {
  scope: ApiScope;
  team: string;
}

/** Throws `quota` where one more would be too much; `own`: what the team has. An admin may write more. */
export async function requireRoom(
  kind: Kind,
  writer: Writer,
  own: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<void> {
  if (writer.scope === 'admin') return;
  let count = 0;
  for await (const _ of own) if (++count >= mostOwn[kind]) throw full(writer, `${count} ${names[kind]}`);
}

export function requireVersions(writer: Writer, latest: number): void {
  if (writer.scope !== 'admin' && latest >= mostVersions)
    throw full(writer, `${latest} versions of this policy`);
}

function full({ team }: Writer, has: string): WebfarerError {
  return new WebfarerError('quota', `the team ${team} has ${has}`, {
    next: 'Delete or reuse what is no longer needed, or ask an admin to write it.',
  });
}
