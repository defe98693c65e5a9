import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMayOperate } from '../api/connected.tsx';
import { CutUrl } from '../parts/cut-url.tsx';
import { Problem } from '../parts/notices.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import type { PreviewSum, RuleSum } from './preview-sum.ts';
import type { Previewed } from './use-scope-preview.ts';

/** More are shown when somebody asks. */
const fewRules = 6;

interface PanelProps {
  previewed: Previewed | undefined;
  lookFurther: () => void;
  lookAgain: () => void;
  queued: number | undefined;
  isChanged: boolean;
  isWrong: boolean;
  isRunning: boolean;
  apply: () => void;
}

/** What the new scope would do, as far as was looked, and what decides. */
export function ScopePreviewPanel(props: PanelProps) {
  const { previewed, queued, isChanged, isWrong, isRunning } = props;
  const words = useTextOf(scopeText);
  const { count } = useFormats();
  const mayOperate = useMayOperate();
  const sum = previewed?.sum;
  return (
    <section className="panel part scope-preview" aria-labelledby="scope-preview">
      <h2 id="scope-preview">{words.preview.title}</h2>
      {isWrong ? <p className="soft">{words.preview.wrong}</p> : null}
      {!isChanged ? (
        <>
          <p className="scope-figure">{words.preview.nothing}</p>
          <p className="soft">{words.preview.nothingLead(queued === undefined ? '' : count(queued))}</p>
        </>
      ) : null}
      {isChanged && !isWrong && mayOperate ? (
        <>
          {sum ? <Found sum={sum} /> : <p className="scope-figure soft">{words.preview.counting}</p>}
          {previewed?.error ? <Problem error={previewed.error} /> : null}
          <Looked {...props} />
          {sum ? <Rules sum={sum} /> : null}
          <p className="soft scope-hint">
            {words.preview.seeds} {isRunning ? words.preview.moving : ''}
          </p>
          <div className="scope-foot">
            {previewed?.isHeld ? (
              <Button variant="default" onClick={props.lookFurther}>
                {words.preview.further}
              </Button>
            ) : null}
            {sum?.isWhole || previewed?.error ? (
              <Button variant="default" onClick={props.lookAgain}>
                {words.preview.again}
              </Button>
            ) : null}
            <Button onClick={props.apply} disabled={sum === undefined}>
              {words.apply}
            </Button>
          </div>
        </>
      ) : null}
    </section>
  );
}

/** The two figures, each "at least" until everything was looked at. */
function Found({ sum }: { sum: PreviewSum }) {
  const lines = useFoundWords(sum);
  return (
    <div role="status">
      <p className={`scope-figure ${sum.dropped > 0 ? 'drops' : ''}`}>{lines.dropped}</p>
      <p className={sum.restored > 0 ? 'scope-second' : 'soft'}>{lines.restored}</p>
    </div>
  );
}

export function useFoundWords(sum: PreviewSum): { dropped: string; restored: string } {
  const { preview: words } = useTextOf(scopeText);
  const { count } = useFormats();
  const { dropped, restored, isWhole } = sum;
  const n = { dropped: count(dropped), restored: count(restored) };
  if (!isWhole)
    return { dropped: words.droppedAtLeast(n.dropped), restored: words.restoredAtLeast(n.restored) };
  return {
    dropped: dropped === 0 ? words.droppedNone : dropped === 1 ? words.droppedOne : words.dropped(n.dropped),
    restored:
      restored === 0 ? words.restoredNone : restored === 1 ? words.restoredOne : words.restored(n.restored),
  };
}

/** How far it has come, in figures that only grow. */
function Looked({ previewed, queued = 0 }: PanelProps) {
  const { preview: words } = useTextOf(scopeText);
  const { count } = useFormats();
  const { looked, isWhole = false } = previewed?.sum ?? {};
  const many = looked?.queued ?? 0;
  const all = Math.max(many, queued);
  const line = isWhole
    ? words.lookedAll(count(many))
    : looked && looked.refused > 0
      ? words.lookedRefused(count(looked.refused))
      : words.lookedSome(count(many), count(all));
  return (
    <>
      <progress
        className={`scope-progress ${isWhole ? 'whole' : ''}`}
        max={Math.max(1, all)}
        value={isWhole ? Math.max(1, all) : many}
        aria-label={words.counting}
      />
      <p className="soft scope-hint">{line}</p>
    </>
  );
}

function Rules({ sum }: { sum: PreviewSum }) {
  const { preview: words } = useTextOf(scopeText);
  const { count } = useFormats();
  const [isLong, setLong] = useState(false);
  const most = sum.rules[0]?.urls ?? 1;
  const shown = isLong ? sum.rules : sum.rules.slice(0, fewRules);
  const hidden = sum.rules.length - shown.length;
  if (sum.rules.length === 0 && sum.restoredExamples.length === 0) return null;
  return (
    <>
      {sum.rules.length > 0 ? (
        <>
          <h3>{words.byRule}</h3>
          <ul className="scope-rules">
            {shown.map((rule) => (
              <Rule key={`${rule.reason} ${rule.rule}`} rule={rule} most={most} />
            ))}
          </ul>
          {hidden > 0 ? (
            <Button size="compact-sm" variant="default" onClick={() => setLong(true)}>
              {words.moreRules(count(hidden))}
            </Button>
          ) : null}
        </>
      ) : null}
      {sum.otherRules > 0 ? <p className="soft">{words.other(count(sum.otherRules))}</p> : null}
      {sum.restoredExamples.length > 0 ? (
        <>
          <h3>{words.back}</h3>
          <Examples urls={sum.restoredExamples} />
        </>
      ) : null}
    </>
  );
}

function Rule({ rule, most }: { rule: RuleSum; most: number }) {
  const { count } = useFormats();
  return (
    <li>
      <div className="scope-rule">
        <code>
          <bdi>{rule.rule}</bdi>
        </code>
        <b>{count(rule.urls)}</b>
      </div>
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="refused" width={(100 * rule.urls) / most} height="1" />
      </svg>
      <Examples urls={rule.examples} />
    </li>
  );
}

function Examples({ urls }: { urls: readonly string[] }) {
  return (
    <ul className="scope-examples">
      {urls.map((url) => (
        <li key={url}>
          <CutUrl url={url} />
        </li>
      ))}
    </ul>
  );
}
