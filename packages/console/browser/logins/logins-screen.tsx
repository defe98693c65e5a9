import { Button, Modal, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Loupe } from '../parts/icons.tsx';
import { Name } from '../parts/name.tsx';
import { EmptyState, Failure, Problem } from '../parts/notices.tsx';
import { useNow } from '../parts/use-now.ts';
import { Confirm } from '../network/confirm.tsx';
import { loginsText } from '../text/logins-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { AccountRow } from './account-row.tsx';
import { jobSnippet } from './job-snippet.ts';
import { LogInForm } from './log-in-form.tsx';
import { EndedLogins, OpenLogins } from './open-logins.tsx';
import { type SiteAccount, useLogins, waitsForPerson } from './use-logins.ts';
import '../style/crawl.css';
import '../style/logins.css';

/** Accounts are drawn in whole, so that not too many are. */
const fewAccounts = 100;

/** Accounts of sites, whether they are logged in, and the browser in which a person logs in. */
export function LoginsScreen() {
  const words = useTextOf(loginsText);
  const { loading } = useText();
  const { who } = useConnected();
  if (who.scope !== 'admin')
    return (
      <EmptyState title={words.notYours}>
        <p>{words.notYoursLead(who.scope)}</p>
      </EmptyState>
    );
  return <Logins loading={loading} />;
}

function Logins({ loading }: { loading: string }) {
  const words = useTextOf(loginsText);
  const { count } = useFormats();
  const navigate = useNavigate();
  const { q = '' } = useSearch({ from: '/logins' });
  const { logins, accounts, open, cancel, remove, show, isOurs } = useLogins();
  const [asking, setAsking] = useState<SiteAccount>();
  const [removing, setRemoving] = useState<SiteAccount>();
  const [most, setMost] = useState(fewAccounts);
  const now = useNow(1_000);
  if (accounts.error) return <Failure error={accounts.error} again={() => void accounts.refetch()} />;
  if (!accounts.data) return <p className="soft">{loading}</p>;
  const { browser, items, challenged, unlisted } = accounts.data;
  const waiting = items.filter(waitsForPerson);
  const needle = q.trim().toLowerCase();
  const rest = items.filter(
    (one) => !waitsForPerson(one) && `${one.site} ${one.as}`.toLowerCase().includes(needle),
  );
  const filter = (value: string) =>
    void navigate({ to: '/logins', search: value === '' ? {} : { q: value }, replace: true });
  const row = (account: SiteAccount) => (
    <AccountRow
      key={account.as}
      account={account}
      now={now}
      logIn={browser === 'here' ? setAsking : undefined}
      remove={setRemoving}
    />
  );
  const waitWords =
    waiting.length === 0
      ? words.noneWaiting
      : waiting.length === 1
        ? words.oneWaiting
        : words.waiting(count(waiting.length));
  const longest = Math.max(waiting.length, rest.length);
  const isEmpty = items.length === 0;
  return (
    <div className="logins">
      <div className="crawl-head">
        <h1>{words.title}</h1>
        <span className="soft" role="status">
          {isEmpty
            ? ''
            : words.summary(
                items.length === 1 ? words.oneAccount : words.accounts(count(items.length)),
                waitWords,
              )}
        </span>
      </div>
      {browser === 'here' ? null : (
        <div className="panel part no-browser" role="note">
          <b>{browser === 'no-worker' ? words.noWorker : words.noBrowser}</b>
          <p>{browser === 'no-worker' ? words.noWorkerLead : words.noBrowserLead}</p>
        </div>
      )}
      {waiting.length > 0 ? (
        <section aria-labelledby="logins-wait">
          <h2 id="logins-wait">{words.waits}</h2>
          <Sites accounts={waiting.slice(0, most)} row={row} />
        </section>
      ) : null}
      <OpenLogins logins={logins.data ?? []} isOurs={isOurs} show={show} cancel={cancel.mutate} />
      {cancel.error ? <Problem error={cancel.error} /> : null}
      {remove.error ? <Problem error={remove.error} /> : null}
      {browser === 'here' ? (
        <section className="panel part" aria-labelledby="logins-new">
          <h2 id="logins-new">{words.form.title}</h2>
          {/* Another key empties the form once a browser has opened. */}
          <LogInForm
            key={open.data?.id}
            open={open.mutate}
            isPending={open.isPending && asking === undefined}
            error={asking ? undefined : open.error}
          />
        </section>
      ) : null}
      {isEmpty ? <Lesson /> : null}
      {isEmpty || items.length === waiting.length ? null : (
        <section aria-labelledby="logins-all">
          <div className="logins-head">
            <h2 id="logins-all">{words.all}</h2>
            <span className="soft">{words.here}</span>
            <TextInput
              id="search"
              type="search"
              aria-label={words.filter}
              placeholder={words.filter}
              leftSection={<Loupe />}
              value={q}
              onChange={(event) => filter(event.currentTarget.value)}
            />
          </div>
          {rest.length === 0 ? <p className="soft">{words.noMatch}</p> : null}
          <Sites accounts={rest.slice(0, most)} row={row} />
        </section>
      )}
      {longest > most ? (
        <Button className="more" variant="default" onClick={() => setMost(most + fewAccounts)}>
          {words.more(count(Math.min(fewAccounts, longest - most)))}
        </Button>
      ) : null}
      {unlisted > 0 ? <p className="soft">{words.unlisted(count(unlisted))}</p> : null}
      {challenged.length > 0 ? (
        <section className="panel part" aria-labelledby="logins-challenged">
          <h2 id="logins-challenged">{words.challenged.title}</h2>
          <p className="soft">{words.challenged.lead}</p>
          <ul className="login-rows">
            {challenged.slice(0, fewAccounts).map(({ crawl, name, urls }) => (
              <li key={crawl}>
                <div className="login-what">
                  <b>
                    <Name of={name} />
                  </b>
                  <span className="soft">
                    {urls === 1 ? words.challenged.oneUrl : words.challenged.urls(count(urls))}
                  </span>
                </div>
                <Link
                  to="/crawls/$crawl/urls"
                  params={{ crawl: name }}
                  search={{ state: 'refused', reason: 'challenge' }}
                >
                  {words.challenged.show}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <EndedLogins logins={logins.data ?? []} isOurs={isOurs} />
      {asking ? (
        <Modal
          opened
          onClose={() => setAsking(undefined)}
          title={words.form.again(asking.as, asking.site)}
          lockScroll={false}
          size="lg"
          closeButtonProps={{ 'aria-label': words.form.cancel }}
        >
          <p className="soft">{asking.state === 'challenge' ? words.form.challenge : words.form.replaces}</p>
          <LogInForm
            account={asking}
            open={(wish) => open.mutate(wish, { onSuccess: () => setAsking(undefined) })}
            isPending={open.isPending}
            error={open.error}
          />
        </Modal>
      ) : null}
      {removing ? (
        <Confirm
          title={words.removeOf(removing.as, removing.site)}
          doing={words.remove}
          cancel={() => setRemoving(undefined)}
          confirm={() => {
            remove.mutate(removing);
            setRemoving(undefined);
          }}
        >
          <p>{words.removeMeans}</p>
        </Confirm>
      ) : null}
    </div>
  );
}

/** Accounts below the domain that they are for. */
function Sites({
  accounts,
  row,
}: {
  accounts: readonly SiteAccount[];
  row: (account: SiteAccount) => ReactNode;
}) {
  const sites = new Map<string, SiteAccount[]>();
  for (const account of accounts) sites.set(account.site, [...(sites.get(account.site) ?? []), account]);
  return (
    <div className="sites">
      {Array.from(sites, ([site, own]) => (
        <section key={site} className="panel site">
          <h3 className="site-name">
            <bdi>{site}</bdi>
          </h3>
          <ul>{own.map(row)}</ul>
        </section>
      ))}
    </div>
  );
}

/** What logins are for, for a person who has none. */
function Lesson() {
  const words = useTextOf(loginsText);
  return (
    <section className="panel part lesson" aria-labelledby="logins-lesson">
      <h2 id="logins-lesson">{words.empty}</h2>
      <p>{words.emptyLead}</p>
      <ol>
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="soft">{words.jobLead}</p>
      <pre>{jobSnippet({ site: 'example.org', as: 'alice' })}</pre>
      <p className="soft">{words.keptWhere}</p>
    </section>
  );
}
