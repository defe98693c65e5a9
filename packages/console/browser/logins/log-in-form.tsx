import { Button, TextInput } from '@mantine/core';
import { hostPattern, parseUrl } from '@webfarer/protocol/url';
import { type FormEvent, useState } from 'react';
import { Problem } from '../parts/notices.tsx';
import { loginsText } from '../text/logins-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import type { NewLogin, SiteAccount } from './use-logins.ts';

/** As the job file has it. */
const accountName = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;

interface LogInFormProps {
  /** The account to log in again; undefined: a new one. */
  account?: SiteAccount | undefined;
  open: (wish: NewLogin) => void;
  isPending: boolean;
  error: unknown;
}

/** Where to log in, and the name of the account. Nothing secret is asked for here. */
export function LogInForm({ account, open, isPending, error }: LogInFormProps) {
  const { form: words } = useTextOf(loginsText);
  const [url, setUrl] = useState(account?.logInAt ?? '');
  const [as, setAs] = useState(account?.as ?? '');
  const [site, setSite] = useState(account?.site ?? '');
  // A person who answers a challenge says themselves when it is over.
  const [showing, setShowing] = useState((account?.state !== 'challenge' && account?.showing) || '');
  const [isFull, setFull] = useState(false);
  const address = addressIn(url);
  const isUrlWrong = url.trim() !== '' && address === undefined;
  const isNameWrong = as !== '' && !accountName.test(as);
  const domain = site.trim() === '' ? undefined : hostPattern(site.trim().toLowerCase());
  const isSiteWrong = site.trim() !== '' && (domain === undefined || domain.startsWith('*'));
  const isReady = address !== undefined && accountName.test(as) && !isSiteWrong;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isReady) return;
    open({
      url: address,
      as,
      ...(domain === undefined ? {} : { site: domain }),
      ...(showing.trim() === '' ? {} : { selector: showing.trim() }),
    });
  }

  return (
    <form className="log-in-form" onSubmit={submit} autoComplete="off">
      <div className="fields">
        <TextInput
          label={words.url}
          placeholder={words.urlHint}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={isUrlWrong ? words.urlWrong : undefined}
          inputMode="url"
          spellCheck={false}
          autoCapitalize="off"
          maxLength={2_000}
        />
        <TextInput
          label={words.as}
          placeholder={words.asHint}
          value={as}
          onChange={(event) => setAs(event.currentTarget.value)}
          error={isNameWrong ? words.asWrong : undefined}
          spellCheck={false}
          autoCapitalize="off"
          maxLength={100}
          readOnly={account !== undefined}
        />
      </div>
      {isFull ? (
        <div className="fields">
          <TextInput
            label={words.site}
            placeholder={words.siteHint}
            value={site}
            onChange={(event) => setSite(event.currentTarget.value)}
            error={isSiteWrong}
            spellCheck={false}
            readOnly={account !== undefined}
          />
          <TextInput
            label={words.showing}
            placeholder={words.showingHint}
            value={showing}
            onChange={(event) => setShowing(event.currentTarget.value)}
            spellCheck={false}
            maxLength={1_000}
          />
        </div>
      ) : null}
      {error ? <Problem error={error} /> : null}
      <div className="log-in-foot">
        <Button variant="subtle" size="compact-sm" onClick={() => setFull(!isFull)} aria-expanded={isFull}>
          {isFull ? words.fewer : words.more}
        </Button>
        <Button type="submit" loading={isPending} disabled={!isReady}>
          {words.submit}
        </Button>
      </div>
    </form>
  );
}

/** A bare domain is meant with https. */
function addressIn(text: string): string | undefined {
  const typed = text.trim();
  if (typed === '' || /\s/.test(typed)) return undefined;
  const url = /^https?:\/\//i.test(typed) ? typed : /^[a-z]+:/i.test(typed) ? undefined : `https://${typed}`;
  return url !== undefined && parseUrl(url) ? url : undefined;
}
