import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';

export type SiteAccount = Awaited<ReturnType<Client['listSiteAccounts']>>['items'][number];
export type AccountUse = SiteAccount['uses'][number];
export type SiteLogin = Awaited<ReturnType<Client['listSiteLogins']>>['items'][number];
export type NewLogin = Parameters<Client['openSiteLogin']>[0]['body'];

/** While a person logs in elsewhere they look here for what came of it. */
const [soonMs, laterMs] = [1_000, 3_000];

/** Accounts of sites and the logins that are open, asked again and again: there is no topic of the stream for them. */
export function useLogins() {
  const { client } = useConnected();
  const queries = useQueryClient();
  /** By login. In memory alone: it opens the browser once, and must be in no address or storage of this page. */
  const views = useRef(new Map<string, string>());
  const logins = useQuery({
    queryKey: ['site-logins'],
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? soonMs : laterMs),
    queryFn: async () => (await client.listSiteLogins()).items,
  });
  const running = logins.data?.filter(isOpen).length ?? 0;
  const accounts = useQuery({
    // Asked at once when a login has ended.
    queryKey: ['site-accounts', running],
    placeholderData: (before) => before,
    refetchInterval: running > 0 ? soonMs : laterMs,
    queryFn: () => client.listSiteAccounts(),
  });
  const again = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['site-logins'] });
    await queries.invalidateQueries({ queryKey: ['site-accounts'] });
  };

  /** A tab of its own, which shares nothing with this one: not even what its storage holds. */
  function show(login: string): void {
    const view = views.current.get(login);
    if (view !== undefined) window.open(view, '_blank', 'noopener');
  }

  const open = useMutation({
    mutationFn: (body: NewLogin) => client.openSiteLogin({ body }),
    onSuccess({ id, view }) {
      views.current.set(id, view);
      show(id);
    },
    onSettled: again,
  });
  const cancel = useMutation({
    mutationFn: (login: string) => client.cancelSiteLogin({ params: { login } }),
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: ({ site, as }: Pick<SiteAccount, 'site' | 'as'>) =>
      client.removeSiteAccount({ params: { site, account: as } }),
    onSettled: again,
  });
  const isOurs = (login: string): boolean => views.current.has(login);
  return { logins, accounts, open, cancel, remove, show, isOurs };
}

export const isOpen = ({ state }: SiteLogin): boolean => state === 'open';

/** Nothing continues before a person has logged in. */
export const waitsForPerson = ({ state }: SiteAccount): boolean =>
  state === 'out' || state === 'challenge' || state === 'absent';
