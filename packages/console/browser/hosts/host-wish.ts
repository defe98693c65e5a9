import type { Client } from '../api/client.ts';

/** In whose crawls a rule holds: an admin sets it for all, everyone else for the own team. */
export type RuleHolder = 'all' | 'team';
/** What a person wants of a host. */
export type HostWish = { kind: 'slow'; gapMs: number } | { kind: 'block' };

/** What was done, so that it can be taken back. */
export interface DoneWish {
  host: string;
  wish: HostWish;
  before: KeptRule | undefined;
}

type KeptRule = Awaited<ReturnType<Client['putHostRule']>>;
type RuleClient = Pick<Client, 'listHostRules' | 'putHostRule' | 'deleteHostRule'>;

/** Rules know no ports. */
export const matchOf = (host: string): string => host.replace(/:\d+$/, '');

/** Sets a rule for the host. One that somebody else set meanwhile is not overwritten. */
export async function fulfil(
  client: RuleClient,
  { host, wish, whose }: { host: string; wish: HostWish; whose: RuleHolder },
): Promise<DoneWish> {
  const match = matchOf(host);
  const before = await ruleFor(client, match, whose);
  const body = wish.kind === 'slow' ? { gapMs: wish.gapMs } : { block: true };
  await client.putHostRule({ params: { match }, body: { ...body, version: before?.version ?? 0 } });
  return { host, wish, before };
}

/** What held before holds again. */
export async function takeBack(client: RuleClient, { host, before }: DoneWish): Promise<void> {
  const params = { match: matchOf(host) };
  if (!before) return await client.deleteHostRule({ params });
  const { gapMs, block, note } = before;
  const kept = Object.entries({ gapMs, block, note }).filter(([, value]) => value !== undefined);
  await client.putHostRule({ params, body: Object.fromEntries(kept) });
}

/** The rule for exactly this host. Asking for one that is not there would be an error, so the list is read. */
async function ruleFor(client: RuleClient, match: string, whose: RuleHolder): Promise<KeptRule | undefined> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<Client['listHostRules']>> = await client.listHostRules({
      query: { after, limit: 1_000 },
    });
    const found = page.items.find(
      (rule) => rule.match === match && (rule.team === undefined) === (whose === 'all'),
    );
    if (found) return found;
    after = page.next;
  }
  return undefined;
}
