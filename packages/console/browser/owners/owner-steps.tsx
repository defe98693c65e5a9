import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { WebfarerError } from '@webfarer/protocol';
import type { OwnerPlace, OwnerToken, OwnerWish } from '@webfarer/protocol/api';
import { type FormEvent, useState } from 'react';
import { CopyBlock } from '../parts/copy-block.tsx';
import { ownersText } from '../text/owners-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { FetchedFrom } from './fetched-from.tsx';
import { keepSecret, keptSecret, ownerClient } from './owner-client.ts';

type Scheme = 'https' | 'http';

/** A person who pastes an address means its host. */
const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');

/** First the host, then a token on it, then what its owner wants. */
export function OwnerSteps() {
  const words = useTextOf(ownersText);
  const [host, setHost] = useState(() => new URLSearchParams(location.search).get('host') ?? '');
  const token = useMutation({
    async mutationFn(given: string) {
      const secret = keptSecret();
      const made = await ownerClient.createOwnerToken({
        body: { host: given, ...(secret === undefined ? {} : { secret }) },
      });
      keepSecret(made.secret);
      const { optedOut } = await ownerClient.isHostOptedOut({ params: { host: made.host } });
      history.replaceState(null, '', `/owners?host=${encodeURIComponent(made.host)}`);
      return { ...made, optedOut };
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    token.mutate(hostIn(host));
  }
  return (
    <>
      <form className="owner-host" onSubmit={submit}>
        <TextInput
          label={words.host}
          placeholder={words.hostHint}
          value={host}
          maxLength={300}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => setHost(event.currentTarget.value)}
        />
        <Button type="submit" loading={token.isPending} disabled={hostIn(host) === ''}>
          {words.getToken}
        </Button>
      </form>
      {token.error ? <Wrong error={token.error} /> : null}
      {token.data ? (
        <>
          <p role="status">{token.data.optedOut ? words.optedOut : words.notOptedOut}</p>
          <Prove key={token.data.token} token={token.data} />
        </>
      ) : null}
    </>
  );
}

function Prove({ token }: { token: OwnerToken }) {
  const words = useTextOf(ownersText);
  const [place, setPlace] = useState<OwnerPlace>('well-known');
  const [scheme, setScheme] = useState<Scheme>('https');
  const [wish, setWish] = useState<OwnerWish>('stop');
  const [gapMs, setGapMs] = useState(60_000);
  const [reason, setReason] = useState('');
  const [contact, setContact] = useState('');
  const { host, secret } = token;
  const send = useMutation({
    mutationFn: (asked: OwnerWish) =>
      ownerClient.requestAsOwner({
        body: {
          host,
          secret,
          place,
          scheme,
          wish: asked,
          gapMs,
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          ...(contact.trim() === '' ? {} : { contact: contact.trim() }),
        },
      }),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    send.mutate(wish);
  }
  return (
    <form className="owner-steps" onSubmit={submit}>
      <h3>{words.put(host)}</h3>
      <p className="soft">{words.putLead}</p>
      <div className="owner-row">
        <NativeSelect
          label={words.place}
          value={place}
          data={Object.entries(words.places).map(([value, label]) => ({ value, label }))}
          onChange={(event) => setPlace(event.currentTarget.value as OwnerPlace)}
        />
        <NativeSelect
          label={words.protocol}
          value={scheme}
          data={['https', 'http']}
          onChange={(event) => setScheme(event.currentTarget.value as Scheme)}
        />
      </div>
      <p>
        {place === 'robots' ? words.putLine : words.putFile}
        <br />
        <code>{`${scheme}://${host}${place === 'robots' ? '/robots.txt' : token.path}`}</code>
      </p>
      <CopyBlock
        text={place === 'robots' ? token.line : token.token}
        copy={words.copy}
        copied={words.copied}
      />
      <h3>{words.wish}</h3>
      <div className="owner-row">
        <NativeSelect
          aria-label={words.wish}
          value={wish}
          data={(['stop', 'slow', 'look', 'resume'] as const).map((value) => ({
            value,
            label: words.wishes[value],
          }))}
          onChange={(event) => setWish(event.currentTarget.value as OwnerWish)}
        />
        {wish === 'slow' ? (
          <NativeSelect
            label={words.gap}
            value={String(gapMs)}
            data={Object.entries(words.gaps).map(([value, label]) => ({ value, label }))}
            onChange={(event) => setGapMs(Number(event.currentTarget.value))}
          />
        ) : null}
      </div>
      {wish === 'look' || wish === 'resume' ? null : (
        <div className="owner-row">
          <TextInput
            label={words.reason}
            placeholder={words.reasonHint}
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <TextInput
            label={words.yourContact}
            value={contact}
            maxLength={200}
            onChange={(event) => setContact(event.currentTarget.value)}
          />
        </div>
      )}
      <div className="owner-send">
        <Button type="submit" loading={send.isPending}>
          {wish === 'look' ? words.sendLook : words.send}
        </Button>
        <span className="soft">{words.oneRequest}</span>
      </div>
      {send.error ? <Wrong error={send.error} /> : null}
      {send.data ? <FetchedFrom answer={send.data} /> : null}
    </form>
  );
}

function Wrong({ error }: { error: Error }) {
  const words = useTextOf(ownersText);
  const known = error instanceof WebfarerError ? error : undefined;
  return (
    <p className="problem" role="alert">
      {known ? `${known.message} ${known.next ?? ''}` : words.unreachable}
    </p>
  );
}
