import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { type StepsDone, takeSteps } from '../urls/all-steps.ts';

/** Reasons that are the scope's, of those for which links are not queued. */
const ofScope = ['scope', 'excluded', 'not-included', 'depth', 'cost', 'requisite'];

/** Links that were never queued: counted by reason, and known again only when their pages are read once more. */
export function LeftOutLinks({
  crawl,
  dropped,
}: {
  crawl: string;
  dropped: Readonly<Partial<Record<string, number>>>;
}) {
  const words = useTextOf(scopeText);
  const { count } = useFormats();
  const { client } = useConnected();
  const mayOperate = useMayOperate();
  const stop = useRef(new AbortController());
  const [so, setSo] = useState<StepsDone>();
  const relink = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      const step = async (after: string) => {
        const { queued, ...rest } = await client.relinkUrls({ params: { crawl }, body: { after } });
        return { moved: queued, ...rest };
      };
      return takeSteps(step, stop.current.signal, setSo);
    },
  });
  const rows = ofScope.flatMap((reason) => {
    const n = dropped[reason] ?? 0;
    return n > 0 ? [{ reason, n }] : [];
  });
  const all = rows.reduce((sum, { n }) => sum + n, 0);
  return (
    <section className="panel part scope-links" aria-labelledby="scope-links">
      <h2 id="scope-links">{words.preview.links}</h2>
      <p className="soft">
        {all === 0 ? words.preview.linksNone : words.preview.linksLead(count(all), all === 1)}
      </p>
      {rows.length > 0 ? (
        <dl className="facts">
          {rows.map(({ reason, n }) => (
            <div key={reason}>
              <dt>{words.leftOut[reason]}</dt>
              <dd>{count(n)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {all > 0 && mayOperate ? (
        <>
          <p className="soft scope-hint">{words.relink.lead}</p>
          {relink.error ? <Problem error={relink.error} /> : null}
          {relink.isPending ? (
            <p role="status">{words.relink.working(count(so?.moved ?? 0), count(so?.searched ?? 0))}</p>
          ) : null}
          {relink.data ? (
            <p role="status">
              {relink.data.isWhole
                ? words.relink.done(count(relink.data.moved))
                : words.relink.cut(count(relink.data.moved))}
            </p>
          ) : null}
          <div className="scope-foot">
            {relink.isPending ? (
              <Button variant="default" onClick={() => stop.current.abort()}>
                {words.relink.stop}
              </Button>
            ) : (
              <Button variant="default" onClick={() => relink.mutate()}>
                {words.relink.start}
              </Button>
            )}
          </div>
        </>
      ) : null}
    </section>
  );
}
