import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { checkJob, policyIn, withPolicy } from '@webfarer/protocol/job';
import { useId, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { tryText } from '../text/try-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { type Judged, judgeUrls, mostJudged } from './judge-urls.ts';

/** Addresses that a person pastes, and what the job would do with each. Nothing is requested from any site. */
export function JudgeBox({ written, isReady }: { written: unknown; isReady: boolean }) {
  const words = useTextOf(tryText);
  const id = useId();
  const { client } = useConnected();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState<string[]>([]);
  const named = policyIn(written);
  const policy = useQuery({
    queryKey: ['policy', named?.name, named?.version],
    enabled: named !== undefined && asked.length > 0,
    queryFn: () =>
      client.getPolicy({
        params: { policy: named?.name ?? '' },
        query: named?.version === undefined ? {} : { version: named.version },
      }),
    retry: false,
  });
  const lines = typed.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const judged = isReady && asked.length > 0 ? judge() : [];

  function judge(): Judged[] {
    if (named && !policy.data) return [];
    const { name, version, policy: text } = policy.data ?? { name: '', version: 0, policy: {} };
    const checked = checkJob(named ? withPolicy(written, { name, version }, text) : written);
    return checked.ok ? judgeUrls(checked.job, asked) : [];
  }

  return (
    <section className="panel part" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{words.judge}</h2>
      <p className="soft">{words.judgeLead}</p>
      <div className="area">
        <label htmlFor={id}>{words.addresses}</label>
        <textarea
          id={id}
          rows={4}
          value={typed}
          wrap="off"
          spellCheck={false}
          placeholder="https://example.org/docs/page"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </div>
      <div className="judge-foot">
        <Button
          size="sm"
          variant="default"
          disabled={lines.length === 0 || !isReady}
          onClick={() => setAsked(lines)}
        >
          {words.judgeNow}
        </Button>
        <span className="soft">
          {isReady ? (lines.length > mostJudged ? words.onlyFirst(mostJudged) : '') : words.notReady}
        </span>
      </div>
      {policy.error ? <Problem error={policy.error} /> : null}
      {judged.length > 0 ? <JudgedTable judged={judged} /> : null}
    </section>
  );
}

function JudgedTable({ judged }: { judged: readonly Judged[] }) {
  const words = useTextOf(tryText);
  const reasons: Readonly<Record<string, string>> = words.reasons;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={words.judge}>
      <table className="judged">
        <thead>
          <tr>
            <th>{words.verdict}</th>
            <th>{words.known}</th>
            <th>{words.rule}</th>
          </tr>
        </thead>
        <tbody>
          {judged.map(({ typed, url, isIn, reason = '', rule, label, render }, n) => (
            <tr key={n}>
              <td className={isIn ? 'in' : 'out'}>{isIn ? words.isIn : words.isOut}</td>
              <td>
                <bdi>{url ?? typed}</bdi>
                {url !== undefined && url !== typed ? (
                  <span className="soft">
                    {words.from} <bdi>{typed}</bdi>
                  </span>
                ) : null}
              </td>
              <td>
                {isIn ? (
                  <span className="soft">
                    {[
                      ...(label === undefined ? [] : [words.label(label)]),
                      ...(render === undefined ? [] : [words.render[render]]),
                    ].join(', ')}
                  </span>
                ) : (
                  <>
                    {Object.hasOwn(reasons, reason) ? reasons[reason] : reason}
                    {rule === undefined ? null : <code>{rule}</code>}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
