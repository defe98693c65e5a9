import type { ClientAnswer, UrlDocument, urlRoutes } from '@webfarer/protocol/api';
import { useReasonWords } from '../parts/reason-words.ts';
import { useText } from '../text/use-text.tsx';

interface ExplainedProps {
  document: UrlDocument;
  explanation: ClientAnswer<(typeof urlRoutes)['explainUrl']>;
}

/** Why a URL is where it is, in sentences, with what decided: a line of robots.txt, a rule, an error. */
export function Explained({ document, explanation }: ExplainedProps) {
  const { one: words } = useText().urls;
  const because = useReasonWords();
  const { rule, code, state } = explanation;
  const { robots, known } = document;
  const status = known?.status === undefined || state !== 'done' ? '' : ` (${known.status})`;
  const lines = explanation.lines.filter((line) => !isToldElsewhere(line, state));
  return (
    <section className="panel part" aria-labelledby="why">
      <h2 id="why">{words.why}</h2>
      {code === undefined ? null : <p className="because">{sentence(`${because(code)}${status}`)}</p>}
      {rule === undefined ? null : (
        <div className="decided">
          <h3>{words.decided}</h3>
          <p className="code">
            <bdi>{rule}</bdi>
          </p>
        </div>
      )}
      {lines.length === 0 ? null : (
        <ul className="lines">
          {lines.map((line, at) => (
            <li key={at}>
              <bdi>{sentence(line)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {robots === undefined || code === 'robots' ? null : (
        <p className="robots-line">
          <span className={robots.allowed ? 'soft' : 'bad'}>
            {robots.allowed ? words.robotsAllows : words.robotsForbids}
          </span>
          {robots.rule === undefined || robots.rule === rule ? null : (
            <>
              {': '}
              <bdi>{robots.rule}</bdi>
            </>
          )}
        </p>
      )}
    </section>
  );
}

const toldElsewhere =
  /^(done|failed|refused|found on|saved in|redirects to|waited|fetched|tried at|the worker and the times|\d+ tr(y|ies) before)\b/;

/** Of a settled URL: its outcome stands above, in the reader's language, and places and links stand in the timeline. */
function isToldElsewhere(line: string, state: string): boolean {
  const isSettled = state === 'done' || state === 'failed' || state === 'refused';
  return isSettled && toldElsewhere.test(line);
}

/** Names keep their first letter. */
const sentence = (text: string): string =>
  /^(robots\.txt|https?:)/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
