import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { Confirm } from '../network/confirm.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { Secret } from './secret.tsx';

const scopes = ['viewer', 'operator', 'admin', 'worker', 'metrics'] as const;
type Scope = (typeof scopes)[number];
type Token = Awaited<ReturnType<Client['listTokens']>>['items'][number];

/** Who may come in: programs, people and workers that are not known otherwise. For admins only. */
export function Tokens() {
  const { tokens: words } = useTextOf(adminText);
  const { client } = useConnected();
  const queries = useQueryClient();
  const again = () => void queries.invalidateQueries({ queryKey: ['tokens'] });
  const { data, error } = useQuery({
    queryKey: ['tokens'],
    refetchInterval: 30_000,
    queryFn: () => listAll(client),
  });
  return (
    <section className="panel part" aria-labelledby="tokens">
      <h2 id="tokens">{words.title}</h2>
      <p className="soft">{words.lead}</p>
      {error ? <Problem error={error} /> : null}
      <NewToken made={again} teams={[...new Set(data?.map(({ team }) => team))].toSorted()} />
      {data ? (
        <div className="scroll" tabIndex={0} role="group" aria-labelledby="tokens">
          <table className="stacked">
            <thead>
              <tr>
                <th>{words.note}</th>
                <th>{words.scope}</th>
                <th>{words.team}</th>
                <th>{words.created}</th>
                <th>{words.lastUsed}</th>
                <th>{words.ends}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {data.map((token) => (
                <Row key={token.id} token={token} changed={again} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </section>
  );
}

async function listAll(client: Client): Promise<Token[]> {
  const all: Token[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { items: Token[]; next?: string | undefined } = await client.listTokens({
      query: { after, limit: 200 },
    });
    all.push(...page.items);
    after = page.next;
  }
  return all.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

function Row({ token, changed }: { token: Token; changed: () => void }) {
  const { tokens: words } = useTextOf(adminText);
  const { client, who } = useConnected();
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () => client.revokeToken({ params: { token: token.id } }),
    onSettled: changed,
  });
  const isRevoked = token.revokedAtMs !== undefined;
  return (
    <tr className={isRevoked ? 'soft' : ''}>
      <td className="name head" title={token.id}>
        <bdi>{token.note || token.id}</bdi> {token.id === who.id ? <b>{words.yours}</b> : null}
      </td>
      <td data-label={words.scope}>{token.scope}</td>
      <td data-label={words.team}>
        <bdi>{token.team}</bdi>
      </td>
      <td data-label={words.created}>
        <When atMs={token.createdAtMs} />
      </td>
      <td data-label={words.lastUsed}>
        {token.lastUsedAtMs === undefined ? words.neverUsed : <When atMs={token.lastUsedAtMs} />}
      </td>
      <td data-label={words.ends}>
        {token.revokedAtMs !== undefined ? (
          <span>
            {words.revoked} <When atMs={token.revokedAtMs} />
          </span>
        ) : token.expiresAtMs === undefined ? (
          words.never
        ) : (
          <When atMs={token.expiresAtMs} />
        )}
      </td>
      <td>
        {isRevoked ? null : (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={words.actionOn(words.revoke, token.note || token.id)}
            disabled={revoke.isPending}
            onClick={() => setAsking(true)}
          >
            {words.revoke}
          </Button>
        )}
        {revoke.error ? <Problem error={revoke.error} /> : null}
        {isAsking ? (
          <Confirm
            title={words.actionOn(words.revoke, token.note || token.id)}
            doing={words.revoke}
            cancel={() => setAsking(false)}
            confirm={() => {
              setAsking(false);
              revoke.mutate();
            }}
          >
            <p>{token.id === who.id ? words.revokeOwn : words.revokeMeans}</p>
          </Confirm>
        ) : null}
      </td>
    </tr>
  );
}

const dayMs = 86_400_000;
const lives = { never: undefined, day: dayMs, month: 30 * dayMs, year: 365 * dayMs } as const;

function NewToken({ made, teams }: { made: () => void; teams: string[] }) {
  const { tokens: words } = useTextOf(adminText);
  const { client, who } = useConnected();
  const [scope, setScope] = useState<Scope>('viewer');
  const [team, setTeam] = useState(who.team);
  const [note, setNote] = useState('');
  const [life, setLife] = useState<keyof typeof lives>('year');
  const create = useMutation({
    mutationFn: () => {
      const expiresInMs = lives[life];
      return client.createToken({
        body: {
          scope,
          team: team.trim(),
          note: note.trim(),
          ...(expiresInMs === undefined ? {} : { expiresInMs }),
        },
      });
    },
    onSuccess() {
      setNote('');
      made();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }
  return (
    <form className="new-token" onSubmit={submit}>
      <TextInput
        label={words.note}
        placeholder={words.noteHint}
        value={note}
        maxLength={200}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <NativeSelect
        label={words.scope}
        value={scope}
        data={scopes.map((each) => ({ value: each, label: each }))}
        onChange={(event) => setScope(event.currentTarget.value as Scope)}
      />
      <TextInput
        label={words.team}
        value={team}
        maxLength={100}
        list="token-teams"
        onChange={(event) => setTeam(event.currentTarget.value)}
      />
      <datalist id="token-teams">
        {teams.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <NativeSelect
        label={words.ends}
        value={life}
        data={Object.keys(lives).map((each) => ({
          value: each,
          label: words.lives[each as keyof typeof lives],
        }))}
        onChange={(event) => setLife(event.currentTarget.value as keyof typeof lives)}
      />
      <Button type="submit" loading={create.isPending} disabled={note.trim() === '' || team.trim() === ''}>
        {words.createToken}
      </Button>
      {create.error ? <Problem error={create.error} /> : null}
      {create.data ? (
        <Secret secret={create.data.token} lead={words.secretOnce} taken={() => create.reset()} />
      ) : null}
    </form>
  );
}
