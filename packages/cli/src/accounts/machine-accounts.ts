import type { SiteAccounts } from '@webfarer/coordinator/server';
import { accountPlace } from '../machine/state-folder.ts';
import { openAccountStore } from './account-store.ts';
import { hasBrowser } from './start-login.ts';

/** The accounts of this machine, by name. */
export function machineAccounts(uses: SiteAccounts['uses']): SiteAccounts {
  const store = () => openAccountStore(accountPlace());
  return {
    list: () => store().list(),
    remove: (account) => store().remove(account),
    uses,
    browser: () => (hasBrowser() ? 'here' : 'no-browser'),
  };
}
