import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConnected } from '../api/connected.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

/** How the network is, in one line: who works, how much, and what is wrong. */
export function NetworkStrip() {
  const text = useText();
  const { count, rate } = useFormats();
  const { client, who } = useConnected();
  const { data, isError } = useQuery({
    queryKey: ['network'],
    refetchInterval: 5_000,
    queryFn: async () => {
      const [coordinators, workers] = await Promise.all([client.listCoordinators(), client.listWorkers()]);
      return { coordinators: coordinators.items, workers: workers.items };
    },
  });
  if (isError) return <p className="strip warn">{text.network.unreachable}</p>;
  if (!data) return <div className="strip" />;
  const { workers } = data;
  const coordinators = Math.max(1, data.coordinators.length);
  const total = (of: (worker: (typeof workers)[number]) => number) =>
    workers.reduce((sum, worker) => sum + of(worker), 0);
  const everywhere = (of: 'workers' | 'hosts') => data.coordinators.reduce((sum, one) => sum + one[of], 0);
  const cordoned = workers.filter(({ cordon }) => cordon !== 'active').length;
  const paused = workers.find(({ pause }) => pause !== undefined);
  const trouble = [
    ...(workers.length + everywhere('workers') === 0 ? [text.network.noWorker] : []),
    ...(cordoned > 0 ? [text.network.cordoned(count(cordoned))] : []),
    ...(paused?.pause ? [text.network.paused(paused.worker, paused.pause.text)] : []),
  ];
  // A coordinator knows the pace and the slots of its own workers; of the others' it knows how many there are and what they hold.
  const isWhole = coordinators === 1;
  const workerCount = count(Math.max(workers.length, everywhere('workers')));
  const held = isWhole
    ? `${count(total(({ held }) => held))} / ${count(total(({ connections }) => connections))}`
    : count(everywhere('hosts'));
  const figures = [
    { n: count(coordinators), what: text.network.coordinators(count(coordinators)) },
    { n: workerCount, what: text.network.workers(workerCount) },
    { n: held, what: isWhole ? text.network.hosts : text.network.hostsHeld },
    ...(isWhole ? [{ n: rate(total(({ pagesPerSecond }) => pagesPerSecond)), what: text.network.rate }] : []),
  ];
  return (
    <section className={`strip ${trouble.length > 0 ? 'warn' : ''}`} aria-label={text.network.title}>
      <span className="strip-state">
        <i aria-hidden="true" />
        {trouble.length > 0 ? trouble.join(' · ') : text.network.healthy}
      </span>
      <dl>
        {figures.map(({ n, what }) => (
          <div key={what}>
            <dd>{n}</dd>
            <dt>{what}</dt>
          </div>
        ))}
      </dl>
      {who.scope === 'admin' ? (
        <Link to="/network" className="strip-link">
          {text.fleet.title} →
        </Link>
      ) : null}
    </section>
  );
}
