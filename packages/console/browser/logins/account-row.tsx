import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CutUrl } from '../parts/cut-url.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { loginsText } from '../text/logins-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { jobSnippet } from './job-snippet.ts';
import { type AccountUse, type SiteAccount, waitsForPerson } from './use-logins.ts';

interface AccountRowProps {
  account: SiteAccount;
  now: number;
  /** Undefined: this machine cannot. */
  logIn: ((account: SiteAccount) => void) | undefined;
  remove: (account: SiteAccount) => void;
}

/** One account: how it is, what depends on it, and what can be done. */
export function AccountRow({ account, now, logIn, remove }: AccountRowProps) {
  const words = useTextOf(loginsText);
  const { site, as, state, keptAtMs, uses } = account;
  const isChallenge = state === 'challenge';
  return (
    <li className={`account ${state}`}>
      <div className="account-head">
        <h3>
          <bdi>{as}</bdi>
        </h3>
        <span className={`account-state ${state}`}>{words.states[state]}</span>
        {keptAtMs !== undefined && keptAtMs > 0 ? (
          <span className="soft">
            {words.says.kept} <When atMs={keptAtMs} />
          </span>
        ) : null}
        <div className="login-acts">
          {logIn ? (
            <Button
              size="compact-sm"
              variant={waitsForPerson(account) ? 'filled' : 'default'}
              aria-label={isChallenge ? words.answerAs(as, site) : words.logInAs(as, site)}
              onClick={() => logIn(account)}
            >
              {isChallenge ? words.answer : words.logIn}
            </Button>
          ) : null}
          {keptAtMs === undefined ? null : (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={words.removeOf(as, site)}
              onClick={() => remove(account)}
            >
              {words.remove}
            </Button>
          )}
        </div>
      </div>
      {uses.length === 0 ? (
        <>
          <p className="soft">{words.says.idle}</p>
          <details>
            <summary>{words.inJob}</summary>
            <pre>{jobSnippet(account)}</pre>
          </details>
        </>
      ) : (
        uses.map((use) => <Use key={use.crawl} use={use} now={now} />)
      )}
    </li>
  );
}

/** How one crawl fares with it, in words. */
function Use({ use, now }: { use: AccountUse; now: number }) {
  const { says: words } = useTextOf(loginsText);
  const { count, span } = useFormats();
  const {
    name,
    state,
    sinceMs = now,
    usedAtMs,
    isChallenge,
    why,
    url,
    urlsWaiting,
    hostsWaiting,
    pages,
  } = use;
  const ago = (ms: number) => span(Math.max(1_000, Math.floor((now - ms) / 1_000) * 1_000));
  const urls = urlsWaiting === 1 ? words.oneUrl : words.urls(count(urlsWaiting));
  const hosts = hostsWaiting === 1 ? words.oneHost : words.hosts(count(hostsWaiting));
  const told = (): string => {
    if (state === 'absent') return words.absent;
    if (state === 'unused') return words.unused;
    if (state === 'in') return usedAtMs === undefined ? words.inUnused : words.in(ago(usedAtMs));
    return isChallenge ? words.challenge(ago(sinceMs)) : words.out(ago(sinceMs));
  };
  return (
    <div className={`use ${state}`}>
      <p>
        {told()} {urlsWaiting > 0 ? <b>{words.waiting(urls, hosts)}</b> : null}
        {state === 'out' && urlsWaiting === 0 && hostsWaiting === 0 && pages > 0 ? words.others : null}
      </p>
      <dl className="use-facts">
        <div>
          <dt>{words.crawl}</dt>
          <dd>
            <Link to="/crawls/$crawl" params={{ crawl: name }}>
              <Name of={name} />
            </Link>
          </dd>
        </div>
        {url === undefined ? null : (
          <div>
            <dt>{words.at}</dt>
            <dd>
              <Link to="/crawls/$crawl/url" params={{ crawl: name }} search={{ url }}>
                <CutUrl url={url} />
              </Link>
            </dd>
          </div>
        )}
        {why === undefined || why === '' ? null : (
          <div>
            <dt>{words.why}</dt>
            <dd>
              <bdi>{why}</bdi>
            </dd>
          </div>
        )}
        {pages > 0 ? (
          <div>
            <dt />
            <dd className="soft">{pages === 1 ? words.onePage : words.pages(count(pages))}</dd>
          </div>
        ) : null}
      </dl>
    </div>
  );
}
