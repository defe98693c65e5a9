import { useQuery } from '@tanstack/react-query';
import { useConnected } from '../api/connected.tsx';
import { useFormats, useText } from '../text/use-text.tsx';

/** How the network is, in one line: who works, how much, and what is wrong. */
export function NetworkStrip() {
  const text = useText();
  const { count, rate } = useFormats();
  const { client } = useConnected();
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
  const cordoned = workers.filter(({ cordon }) => cordon !== 'active').length;
  const paused = workers.find(({ pause }) => pause !== undefined);
  const trouble = [
    ...(workers.length === 0 ? [text.network.noWorker] : []),
    ...(cordoned > 0 ? [text.network.cordoned(count(cordoned))] : []),
    ...(paused?.pause ? [text.network.paused(paused.worker, paused.pause.text)] : []),
  ];
  const figures = [
    { n: count(coordinators), what: text.network.coordinators(count(coordinators)) },
    { n: count(workers.length), what: text.network.workers(count(workers.length)) },
    {
      n: `${count(total(({ held }) => held))} / ${count(total(({ connections }) => connections))}`,
      what: text.network.hosts,
    },
    { n: rate(total(({ pagesPerSecond }) => pagesPerSecond)), what: text.network.rate },
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
    </section>
  );
}
