import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { EmptyState, Failure } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { policyText } from '../text/policy-text.ts';
import { useFormats, useText, useTextOf } from '../text/use-text.tsx';
import { PolicyForm } from './policy-form.tsx';
import '../style/crawl.css';
import '../style/job.css';
import '../style/schedules.css';

/** Of one look at the list. */
const pageSize = 50;

/** What jobs share: each policy in its latest version. */
export function PoliciesScreen() {
  const words = useTextOf(policyText);
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { create = false } = useSearch({ from: '/policies' });
  const show = (search: { create?: boolean }) => void navigate({ to: '/policies', search });
  const isNew = create && mayOperate;
  return (
    <>
      <div className="crawl-head">
        <h1>{isNew ? words.new : words.title}</h1>
        {mayOperate && !isNew ? (
          <div className="actions">
            <Button onClick={() => show({ create: true })}>{words.new}</Button>
          </div>
        ) : null}
      </div>
      <p className="soft policy-lead">{words.lead}</p>
      {isNew ? <PolicyForm before={undefined} cancel={() => show({})} /> : <PolicyList />}
    </>
  );
}

function PolicyList() {
  const words = useTextOf(policyText);
  const { loading } = useText();
  const { count } = useFormats();
  const { client } = useConnected();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['policies'],
    initialPageParam: '',
    queryFn: ({ pageParam }) => client.listPolicies({ query: { after: pageParam, limit: pageSize } }),
    getNextPageParam: ({ next }) => next,
    retry: false,
  });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <p className="soft">{loading}</p>;
  const all = data.pages.flatMap(({ items }) => items);
  if (all.length === 0)
    return (
      <EmptyState title={words.none}>
        <p>{words.noneLead}</p>
      </EmptyState>
    );
  return (
    <section className="panel part">
      <div className="scroll" tabIndex={0} role="group" aria-label={words.title}>
        <table className="schedules">
          <thead>
            <tr>
              <th>{words.name}</th>
              <th>{words.version}</th>
              <th>{words.sets}</th>
              <th>{words.note}</th>
              <th>{words.written}</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ name, version, policy, note, createdAtMs }) => (
              <tr key={name}>
                <td>
                  <Link to="/policies/$policy" params={{ policy: name }} search={{}}>
                    <Name of={name} />
                  </Link>
                </td>
                <td>{count(version)}</td>
                <td>{Object.keys(policy).join(', ')}</td>
                <td>
                  <bdi>{note}</bdi>
                </td>
                <td>
                  <When atMs={createdAtMs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      ) : null}
    </section>
  );
}
