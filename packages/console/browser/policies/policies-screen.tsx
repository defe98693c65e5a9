import { Button } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { When } from '../parts/when.tsx';
import { policyText } from '../text/policy-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { PolicyForm } from './policy-form.tsx';
import '../style/crawl.css';
import '../style/job.css';

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
  const { count } = useFormats();
  const { client } = useConnected();
  return (
    <PagedTable
      name="policies"
      fetchPage={(query) => client.listPolicies({ query })}
      words={words}
      heads={[words.name, words.version, words.sets, words.note, words.written]}
      row={({ name, version, policy, note, createdAtMs }) => (
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
      )}
    />
  );
}
