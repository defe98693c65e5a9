import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

const mostRules = 1_000;

/** The rules in force, each with the way back: a host that is blocked has no queued URLs, so no other list shows it. */
export function RuleList() {
  const { hosts: words } = useText();
  const { span } = useFormats();
  const { client, who } = useConnected();
  const mayOperate = useMayOperate();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['host-rules'],
    queryFn: async () => (await client.listHostRules({ query: { limit: mostRules } })).items,
  });
  const remove = useMutation({
    mutationFn: ({ match, team }: { match: string; team?: string | undefined }) =>
      client.deleteHostRule({ params: { match }, query: { team: team ?? '*' } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['host-rules'] }),
  });
  if (!data || data.length === 0) return null;
  return (
    <section className="panel part" aria-labelledby="host-rules">
      <h2 id="host-rules">{words.rules}</h2>
      <p className="soft">{words.rulesLead}</p>
      {remove.error ? <Problem error={remove.error} /> : null}
      <ul className="host-rules">
        {data.map(({ match, team, block, gapMs, note, by, byAdmin, atMs }) => (
          <li key={`${team ?? '*'} ${match}`}>
            <bdi>
              <b>{match}</b>
            </bdi>{' '}
            {[
              ...(block === undefined ? [] : [block ? words.ruleBlock : words.ruleAllow]),
              ...(gapMs === undefined ? [] : [words.ruleGap(span(gapMs))]),
              team === undefined ? words.ruleAll : words.ruleTeam(team),
              words.ruleBy(by),
            ].join(' · ')}{' '}
            <When atMs={atMs} /> <bdi className="soft">{note ?? ''}</bdi>
            {mayOperate && (who.scope === 'admin' || !byAdmin) ? (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={words.ruleRemove(match)}
                loading={remove.isPending && remove.variables.match === match}
                onClick={() => remove.mutate({ match, team })}
              >
                {words.remove}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
