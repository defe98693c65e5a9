import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { writtenAs } from '@webfarer/protocol/job';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { differences } from '../job/differences.ts';
import { DifferenceList } from '../job/job-differences.tsx';
import { Confirm } from '../network/confirm.tsx';
import { Name } from '../parts/name.tsx';
import { Failure, Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { policyText } from '../text/policy-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { type Policy, PolicyForm } from './policy-form.tsx';
import '../style/crawl.css';
import '../style/editor.css';
import '../style/job.css';
import '../style/schedules.css';
import '../style/try.css';

/** Of one look at the versions. */
const pageSize = 100;

/** One policy: its text in any version, and what each version changed. */
export function PolicyScreen() {
  const words = useTextOf(policyText);
  const { loading } = useText();
  const { client } = useConnected();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { policy: name } = useParams({ from: '/policies/$policy' });
  const { edit = false, version } = useSearch({ from: '/policies/$policy' });
  const params = { policy: name };
  const latest = useQuery({
    queryKey: ['policy', name],
    queryFn: () => client.getPolicy({ params, query: {} }),
    retry: false,
  });
  const versions = useInfiniteQuery({
    queryKey: ['policy', name, 'versions'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      client.listPolicyVersions({ params, query: { after: pageParam, limit: pageSize } }),
    getNextPageParam: ({ next }) => next,
    retry: false,
  });
  const show = (search: { edit?: boolean; version?: number }) =>
    void navigate({ to: '/policies/$policy', params, search, resetScroll: false });
  if (latest.error && versions.error)
    return <Failure error={latest.error} again={() => void latest.refetch()} />;
  const all = versions.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = all.find((each) => each.version === version) ?? latest.data ?? all.at(-1);
  if (!shown) return <p className="soft">{loading}</p>;
  const before = all.find((each) => each.version === shown.version - 1);
  return (
    <>
      <Link to="/policies" className="crumb">
        {words.title}
      </Link>
      <div className="crawl-head">
        <h1>
          <Name of={name} />
        </h1>
        {latest.error ? <span className="state stopped">{words.gone}</span> : null}
        {mayOperate && !edit && latest.data ? (
          <Actions policy={latest.data} edit={() => show({ edit: true })} />
        ) : null}
      </div>
      {edit && mayOperate && latest.data ? (
        <PolicyForm before={latest.data} cancel={() => show({})} />
      ) : (
        <div className="job-sides">
          <section className="panel part schedule-next" aria-labelledby="policy-text">
            <h2 id="policy-text">{words.versionOf(shown.version)}</h2>
            <p className="soft">
              <When atMs={shown.createdAtMs} /> <bdi>{words.by(shown.by, shown.team)}</bdi>
            </p>
            {shown.note === '' ? null : (
              <p>
                <bdi>{shown.note}</bdi>
              </p>
            )}
            <pre className="yaml-view" tabIndex={0}>
              {writtenAs(shown.policy)}
            </pre>
          </section>
          <div className="policy-side">
            {before ? <Changes before={before} after={shown} /> : null}
            <section className="panel part schedule-next" aria-labelledby="policy-versions">
              <h2 id="policy-versions">{words.versions}</h2>
              <ol className="next-runs">
                {all.toReversed().map((each) => (
                  <li key={each.version}>
                    <Link
                      to="/policies/$policy"
                      params={params}
                      search={{ version: each.version }}
                      resetScroll={false}
                      aria-current={each.version === shown.version ? 'true' : undefined}
                    >
                      {words.versionOf(each.version)}
                    </Link>
                    <span className="soft">
                      <When atMs={each.createdAtMs} />
                    </span>
                  </li>
                ))}
              </ol>
              {versions.hasNextPage ? (
                <Button variant="default" onClick={() => void versions.fetchNextPage()}>
                  {words.more}
                </Button>
              ) : null}
            </section>
          </div>
        </div>
      )}
    </>
  );
}

function Changes({ before, after }: { before: Policy; after: Policy }) {
  const words = useTextOf(policyText);
  const found = differences(before.policy, after.policy);
  return (
    <section className="panel part schedule-next" aria-labelledby="policy-changes">
      <h2 id="policy-changes">{words.changedSince(before.version)}</h2>
      {found.length === 0 ? <p className="soft">{words.noChange}</p> : <DifferenceList found={found} />}
    </section>
  );
}

function Actions({ policy, edit }: { policy: Policy; edit: () => void }) {
  const words = useTextOf(policyText);
  const { client } = useConnected();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.deletePolicy({ params: { policy: policy.name } }),
    async onSuccess() {
      await navigate({ to: '/policies', search: {} });
      await queries.invalidateQueries();
    },
  });
  return (
    <div className="actions">
      {remove.error ? <Problem error={remove.error} /> : null}
      <Button variant="default" onClick={() => setAsking(true)}>
        {words.stop}
      </Button>
      <Button onClick={edit}>{words.next}</Button>
      {isAsking ? (
        <Confirm
          title={words.stopTitle(policy.name)}
          doing={words.stop}
          cancel={() => setAsking(false)}
          confirm={() => {
            setAsking(false);
            remove.mutate();
          }}
        >
          <p>{words.stopLead}</p>
        </Confirm>
      ) : null}
    </div>
  );
}
