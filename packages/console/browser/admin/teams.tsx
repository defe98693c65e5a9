import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { Confirm } from '../network/confirm.tsx';
import { Problem } from '../parts/notices.tsx';
import { adminText } from '../text/admin-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { More } from './more.tsx';
import { TeamDialog } from './team-dialog.tsx';
import { hasDefault, isBytes, type QuotaName, quotaNames, type Team } from './team-wish.ts';
import { usePages } from './use-pages.ts';

type Used = Awaited<ReturnType<Client['getTeam']>>['used'];

const usedBy: Readonly<Record<QuotaName, keyof Used>> = {
  crawls: 'crawls',
  seedBytes: 'seedBytes',
  pagesPerDay: 'pagesToday',
  pagesPerMonth: 'pagesThisMonth',
  bytesPerDay: 'bytesToday',
  bytesPerMonth: 'bytesThisMonth',
};
/** What each team has used is a request of its own. */
const AT_ONCE = 20;

/** Who shares the network: weights, quotas, and what each team has used of them. */
export function Teams() {
  const { teams: words } = useTextOf(adminText);
  const { client } = useConnected();
  const [name, setName] = useState('');
  const [edited, setEdited] = useState<Team>();
  const { items, error, more } = usePages(['teams'], (after) =>
    client.listTeams({ query: { after, limit: AT_ONCE } }),
  );
  const wanted = name.trim();
  const isName = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(wanted);
  function add(event: FormEvent): void {
    event.preventDefault();
    const known = items?.find((team) => team.name === wanted);
    setEdited(known ?? { name: wanted, version: 0, note: '', weight: 1, quotas: {} });
    setName('');
  }
  return (
    <section className="panel part" aria-label={words.lead}>
      <p className="soft">{words.lead}</p>
      <form className="new-token" onSubmit={add}>
        <TextInput
          label={words.name}
          placeholder={words.addHint}
          value={name}
          maxLength={63}
          error={wanted === '' || isName ? undefined : words.badName}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={!isName}>
          {words.add}
        </Button>
      </form>
      {error ? <Problem error={error} /> : null}
      {items?.length === 0 ? (
        <p className="soft">
          {words.none} {words.noneLead}
        </p>
      ) : null}
      {items && items.length > 0 ? (
        <div className="scroll" tabIndex={0} role="group" aria-label={words.lead}>
          <table className="teams stacked">
            <thead>
              <tr>
                <th>{words.name}</th>
                <th className="num">{words.weight}</th>
                {quotaNames.map((quota) => (
                  <th key={quota} className="num">
                    {words.quotas[quota]}
                  </th>
                ))}
                <th />
              </tr>
            </thead>
            <tbody>
              {items.map((team) => (
                <Row key={team.name} team={team} edit={() => setEdited(team)} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <More more={more} />
      {edited ? <TeamDialog team={edited} close={() => setEdited(undefined)} /> : null}
    </section>
  );
}

function Row({ team, edit }: { team: Team; edit: () => void }) {
  const { teams: words, on, remove: removeWord } = useTextOf(adminText);
  const { count, bytes } = useFormats();
  const { client } = useConnected();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const params = { team: team.name };
  const { data } = useQuery({
    queryKey: ['team', team.name, team.version],
    refetchInterval: 30_000,
    queryFn: () => client.getTeam({ params }),
  });
  const remove = useMutation({
    mutationFn: () => client.deleteTeam({ params }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['teams'] }),
  });
  const mostOf = (quota: QuotaName): number | undefined => (data?.inForce ?? team.quotas)[quota];
  function use(quota: QuotaName): string {
    const show = isBytes(quota) ? bytes : count;
    const amount = data?.used[usedBy[quota]];
    const used = amount === undefined ? (data ? '–' : '…') : show(amount);
    const most = mostOf(quota);
    return most === undefined ? used : words.of(used, show(most));
  }
  const isSpent = (quota: QuotaName): boolean => {
    const [most, used] = [mostOf(quota), data?.used[usedBy[quota]]];
    return most !== undefined && used !== undefined && used >= most;
  };
  return (
    <tr>
      <td className="name" title={team.note} data-label={words.name}>
        <span>
          <bdi>{team.name}</bdi>{' '}
          <span className="soft">
            <bdi>{team.note}</bdi>
          </span>
        </span>
      </td>
      <td className="num" data-label={words.weight}>
        {team.weight}
      </td>
      {quotaNames.map((quota) => (
        <td
          key={quota}
          data-label={words.quotas[quota]}
          className={isSpent(quota) ? 'num spent' : 'num'}
          title={
            team.quotas[quota] === undefined ? (hasDefault(quota) ? words.usual : words.noQuota) : undefined
          }
        >
          {use(quota)}
        </td>
      ))}
      <td>
        <div className="row-actions">
          <Button size="compact-xs" variant="default" aria-label={on(words.edit, team.name)} onClick={edit}>
            {words.edit}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={on(removeWord, team.name)}
            disabled={remove.isPending}
            onClick={() => setAsking(true)}
          >
            {removeWord}
          </Button>
        </div>
        {remove.error ? <Problem error={remove.error} /> : null}
        {isAsking ? (
          <Confirm
            title={on(removeWord, team.name)}
            doing={removeWord}
            cancel={() => setAsking(false)}
            confirm={() => {
              setAsking(false);
              remove.mutate();
            }}
          >
            <p>{words.removeMeans}</p>
          </Confirm>
        ) : null}
      </td>
    </tr>
  );
}
