import { Link } from '@tanstack/react-router';
import { useConnected } from '../api/connected.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { Coordinators } from './coordinators.tsx';
import { Stores } from './stores.tsx';
import { useFleet } from './use-fleet.ts';
import { Workers } from './workers.tsx';
import '../style/crawl.css';
import '../style/network.css';

/** Who takes part in the network, what each machine uses, and who may come in. */
export function NetworkScreen() {
  const { fleet: words, loading, admin } = useText();
  const { count } = useFormats();
  const { who } = useConnected();
  const fleet = useFleet();
  if (fleet.problem !== undefined)
    return (
      <EmptyState title={words.notYours}>
        <p>{words.notYoursLead(who.scope)}</p>
      </EmptyState>
    );
  const all = fleet.coordinators.reduce((sum, { workers }) => sum + workers, 0);
  return (
    <div className="network">
      <div className="crawl-head">
        <h1>{words.title}</h1>
        <span className="soft" role="status">
          {fleet.isWhole
            ? words.summary(
                count(Math.max(1, fleet.coordinators.length)),
                count(Math.max(all, fleet.workers.length)),
              )
            : loading}
        </span>
      </div>
      {/* All at once: each part would push down those below it. */}
      {fleet.isWhole ? (
        <>
          <Coordinators fleet={fleet} />
          <Stores />
          <Workers fleet={fleet} all={Math.max(all, fleet.workers.length)} />
        </>
      ) : null}
      {who.scope === 'admin' ? (
        <p className="soft">
          {words.tokensMoved} <Link to="/admin">{admin}</Link>
        </p>
      ) : null}
    </div>
  );
}
