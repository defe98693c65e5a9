import { Button } from '@mantine/core';
import { useNow } from '../parts/use-now.ts';
import { loginsText } from '../text/logins-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { isOpen, type SiteLogin } from './use-logins.ts';

/** How many that have ended are of interest to a person who has just done one. */
const fewEnded = 5;

interface OpenLoginsProps {
  logins: readonly SiteLogin[];
  isOurs: (login: string) => boolean;
  show: (login: string) => void;
  cancel: (login: string) => void;
}

/** Browsers in which people log in right now, and how the last ones ended. */
export function OpenLogins({ logins, isOurs, show, cancel }: OpenLoginsProps) {
  const { open: words } = useTextOf(loginsText);
  const { span } = useFormats();
  const now = useNow(1_000);
  const running = logins.filter(isOpen);
  const done = logins.filter((login) => !isOpen(login) && isOurs(login.id)).slice(-fewEnded);
  const says = ({ id, isViewed }: SiteLogin): string => {
    if (isViewed) return words.seen;
    return isOurs(id) ? words.unseen : words.elsewhere;
  };
  return (
    <>
      {running.length + done.length > 0 ? (
        <section className="panel part" aria-labelledby="logins-open">
          <h2 id="logins-open">{words.title}</h2>
          <ul className="login-rows">
            {running.map((login) => (
              <li key={login.id}>
                <div className="login-what">
                  <Account {...login} />
                  <span role="status">{says(login)}</span>
                </div>
                <span className="soft num">
                  {words.left(span(Math.max(1, Math.floor((login.endsAtMs - now) / 1_000)) * 1_000))}
                </span>
                <div className="login-acts">
                  {!login.isViewed && isOurs(login.id) ? (
                    <Button size="compact-sm" onClick={() => show(login.id)}>
                      {words.show}
                    </Button>
                  ) : null}
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={words.cancelOf(login.as, login.site)}
                    onClick={() => cancel(login.id)}
                  >
                    {words.cancel}
                  </Button>
                </div>
              </li>
            ))}
            {done.toReversed().map((login) => (
              <Ended key={login.id} login={login} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

/** How the last ones ended that were begun elsewhere, or before this page was loaded. */
export function EndedLogins({ logins, isOurs }: Pick<OpenLoginsProps, 'logins' | 'isOurs'>) {
  const { open: words } = useTextOf(loginsText);
  const ended = logins.filter((login) => !isOpen(login) && !isOurs(login.id)).slice(-fewEnded);
  return ended.length === 0 ? null : (
    <section className="panel part" aria-labelledby="logins-ended">
      <h2 id="logins-ended">{words.ended}</h2>
      <ul className="login-rows">
        {ended.toReversed().map((login) => (
          <Ended key={login.id} login={login} />
        ))}
      </ul>
    </section>
  );
}

function Ended({ login }: { login: SiteLogin }) {
  const { open: words } = useTextOf(loginsText);
  return (
    <li>
      <div className="login-what">
        <Account {...login} />
        <bdi className={login.state === 'failed' ? 'bad' : 'soft'}>
          {words.ends[login.state]?.(login.text)}
        </bdi>
      </div>
    </li>
  );
}

const Account = ({ site, as }: Pick<SiteLogin, 'site' | 'as'>) => (
  <b>
    <bdi>{as}</bdi> <bdi className="soft">{site}</bdi>
  </b>
);
