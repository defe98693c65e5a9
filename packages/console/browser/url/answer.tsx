import type { PageRecord } from '@webfarer/protocol';
import { useFormats, useText } from '../text/use-text.tsx';

const names = [
  'status',
  'mime',
  'mimeDetected',
  'bytes',
  'truncated',
  'title',
  'language',
  'charset',
  'server',
  'tls',
  'digest',
  'etag',
  'lastModified',
  'change',
  'signals',
  'label',
  'kind',
] as const;

/** What the crawl noted of the answer. */
export function Answer({ record }: { record: PageRecord }) {
  const { one: words } = useText().urls;
  const { bytes } = useFormats();
  return (
    <section className="panel part" aria-labelledby="answer">
      <h2 id="answer">{words.answer}</h2>
      <dl className="facts">
        {names.map((name) => {
          const value = record[name];
          if (value === undefined || value === '' || value === 0) return null;
          const shown = name === 'bytes' ? bytes(record.bytes) : [value].flat().join(', ');
          return (
            <div key={name}>
              <dt>{words.facts[name]}</dt>
              <dd>
                <bdi>{shown}</bdi>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
