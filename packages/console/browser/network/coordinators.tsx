import type { Forecast } from '@webfarer/protocol/resources';
import { useConnection } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { CordonActions } from './cordon-actions.tsx';
import { cpuOf, memoryOf, Received, Share } from './machine-use.tsx';
import type { Coordinator, Fleet, Outlook } from './use-fleet.ts';

/** One card each: a network has few of them. */
export function Coordinators({ fleet }: { fleet: Fleet }) {
  const { fleet: words } = useText();
  const connection = useConnection();
  const here = connection.state === 'live' ? connection.coordinator : '';
  // One with a store of its own has no others to be listed among.
  const alone: Coordinator = {
    id: here,
    url: location.origin,
    cordon: 'active',
    capacity: 1,
    workers: fleet.workers.length,
    hosts: fleet.workers.reduce((sum, { held }) => sum + held, 0),
    wants: 0,
    leaving: false,
  };
  const listed = fleet.coordinators.length > 0 ? fleet.coordinators : here === '' ? [] : [alone];
  return (
    <section aria-labelledby="coordinators">
      <h2 id="coordinators">{words.coordinators}</h2>
      <div className="machines">
        {listed.map((one) => (
          <Card
            key={one.id}
            coordinator={one}
            fleet={fleet}
            isHere={one.id === here}
            isAlone={one === alone}
          />
        ))}
      </div>
    </section>
  );
}

function Card(props: { coordinator: Coordinator; fleet: Fleet; isHere: boolean; isAlone: boolean }) {
  const { coordinator, fleet, isHere, isAlone } = props;
  const { fleet: words } = useText();
  const { count } = useFormats();
  const frame = fleet.frameOf('coordinator', coordinator.id);
  const outlook = fleet.outlookOf(coordinator.id);
  const all = fleet.coordinators.reduce((sum, { workers }) => sum + workers, 0);
  return (
    <article className="card machine">
      <div className="card-head">
        <h3>
          <Name of={coordinator.id} />
        </h3>
        <State cordon={coordinator.cordon} isLeaving={coordinator.leaving} />
      </div>
      <p className="soft">
        <bdi>{coordinator.url}</bdi> {isHere ? words.here : ''}
      </p>
      <dl className="uses">
        <Use name={words.workers}>
          {all === coordinator.workers || isAlone
            ? count(coordinator.workers)
            : words.ofAll(count(coordinator.workers), count(all))}
        </Use>
        <Use name={words.held}>{count(coordinator.hosts)}</Use>
        {frame ? (
          <>
            <Use name={words.cpu}>
              <Share of={cpuOf(frame)} label={words.cpu} />
            </Use>
            <Use name={words.memory}>
              <Share of={memoryOf(frame)} label={words.memory} />
            </Use>
            {frame.disks.map(({ folder, freeBytes, totalBytes }) => (
              <Use key={folder} name={words.disk} hint={folder}>
                <Share of={1 - freeBytes / totalBytes} label={words.disk} />
              </Use>
            ))}
            <Use name={words.received}>
              <Received frame={frame} />
            </Use>
          </>
        ) : null}
      </dl>
      {outlook ? <MemoryOutlook of={outlook} /> : frame ? null : <p className="soft">{words.elsewhere}</p>}
      {isAlone ? null : <CordonActions kind="coordinator" id={coordinator.id} cordon={coordinator.cordon} />}
    </article>
  );
}

export function Use({ name, hint, children }: { name: string; hint?: string; children: React.ReactNode }) {
  return (
    <div>
      <dt title={hint}>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function State({
  cordon,
  isLeaving = false,
  isPaused = false,
}: {
  cordon: Coordinator['cordon'];
  isLeaving?: boolean;
  isPaused?: boolean;
}) {
  const { fleet: words } = useText();
  const state = isLeaving ? 'leaving' : cordon !== 'active' ? cordon : isPaused ? 'paused' : 'active';
  return <span className={`state ${state === 'active' ? 'running' : 'paused'}`}>{words.states[state]}</span>;
}

/** When its memory would be full, as a range, or that nothing points there. */
function MemoryOutlook({ of: { seen, full } }: { of: Outlook }) {
  const { fleet: words } = useText();
  const { roughSpan } = useFormats();
  return (
    <p className={full ? 'says warn' : 'soft'}>
      {full ? outlookWords(full, words, roughSpan) : seen ? words.memorySteady : words.memoryUnknown}
    </p>
  );
}

export function outlookWords(
  { soonestMs, latestMs }: Forecast,
  words: Pick<ReturnType<typeof useText>['fleet'], 'fullIn' | 'fullBetween' | 'fullAtSoonest'>,
  span: (ms: number) => string,
): string {
  if (latestMs === undefined) return words.fullAtSoonest(span(soonestMs));
  const [soonest, latest] = [span(soonestMs), span(latestMs)];
  return soonest === latest ? words.fullIn(soonest) : words.fullBetween(soonest, latest);
}
