import { Link, useSearch } from '@tanstack/react-router';
import { useConnected } from '../api/connected.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { type AdminPart, adminParts } from './admin-search.ts';
import { Audit } from './audit.tsx';
import { People } from './people.tsx';
import { Teams } from './teams.tsx';
import { Tokens } from './tokens.tsx';
import { Webhooks } from './webhooks.tsx';
import '../style/crawl.css';
import '../style/stacked.css';
import '../style/admin.css';

const shown: Readonly<Record<AdminPart, () => React.ReactNode>> = {
  people: () => <People />,
  tokens: () => <Tokens />,
  teams: () => <Teams />,
  webhooks: () => <Webhooks />,
  audit: () => <Audit />,
};

/** Who may come in and what each may use, who is told what, and who changed what. */
export function AdminScreen() {
  const words = useTextOf(adminText);
  const { who } = useConnected();
  const { show } = useSearch({ from: '/admin' });
  // Webhooks are those of a team; all else is of the whole network.
  const parts = who.scope === 'admin' ? adminParts : who.scope === 'operator' ? (['webhooks'] as const) : [];
  const first = parts[0];
  if (first === undefined)
    return (
      <EmptyState title={words.notYours}>
        <p>{words.notYoursLead(who.scope)}</p>
      </EmptyState>
    );
  const part = parts.find((each) => each === show) ?? first;
  return (
    <div className="admin">
      <div className="crawl-head">
        <h1>{words.title}</h1>
      </div>
      <nav className="crawl-nav" aria-label={words.parts.label}>
        {parts.map((each) => (
          <Link
            key={each}
            to="/admin"
            search={{ show: each }}
            className={each === part ? 'active' : ''}
            activeOptions={{ exact: true }}
            aria-current={each === part ? 'page' : undefined}
          >
            {words.parts[each]}
          </Link>
        ))}
      </nav>
      {shown[part]()}
    </div>
  );
}
