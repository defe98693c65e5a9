import type { PageRecord } from '@webfarer/protocol';
import { type PhaseName, phasesOf } from '@webfarer/protocol/crawl';
import { timesText } from '../text/times-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';

/** As the bar of a page without phases: what comes before the answer, until its first byte, and its bytes. */
const tones: Readonly<Record<PhaseName, string>> = {
  dns: 'before',
  connect: 'before',
  tls: 'before',
  answer: 'leased',
  body: 'done',
};

/** So much is seen of a phase that took no time, of 1,000. */
const least = 4;

/** What a request spent its time on: a row for each phase, all on one scale. The figures say the same as the bars. */
export function Waterfall({ record }: { record: PageRecord }) {
  const words = useTextOf(timesText);
  const { count } = useFormats();
  const phases = phasesOf(record);
  if (!phases) return <p className="soft small">{words.unknown}</p>;
  const scale = 1_000 / Math.max(1, record.durationMs);
  return (
    <table className="waterfall">
      <caption>{record.fetched?.reused ? words.reused : words.request}</caption>
      <tbody>
        {phases.map(({ name, fromMs, ms }) => (
          <tr key={name}>
            <th scope="row">{words.phases[name]}</th>
            <td aria-hidden="true">
              <svg viewBox="0 0 1000 10" preserveAspectRatio="none">
                <rect
                  className={tones[name]}
                  x={Math.min(1_000 - least, fromMs * scale)}
                  width={Math.max(least, ms * scale)}
                  height="10"
                />
              </svg>
            </td>
            <td className="num">{words.ms(count(ms))}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{words.whole}</th>
          <td aria-hidden="true" />
          <td className="num">{words.ms(count(record.durationMs))}</td>
        </tr>
      </tfoot>
    </table>
  );
}
