import { NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { stays } from '@webfarer/protocol/job';
import { jobText } from '../text/job-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { ListField, PlainField } from './draft-fields.tsx';
import { savers, savesWith, shownPlain, valueAt, withSaver } from './job-values.ts';
import type { TextDocument } from './use-job-document.ts';
import { useLasting } from './use-lasting.ts';

interface JobFormProps {
  document: TextDocument<unknown>;
  tags: string;
  setTags: (tags: string) => void;
  policies: readonly string[];
}

const limits = [
  { path: ['limits', 'pages'], word: 'pages', usual: '5000' },
  { path: ['limits', 'depth'], word: 'depth', usual: '20' },
  { path: ['limits', 'duration'], word: 'duration', usual: '12h' },
  { path: ['limits', 'bytes'], word: 'bytes', usual: '20GB' },
] as const;
const renders = ['never', 'auto', 'always'] as const;

/** What most people set of a job. Everything else is in the text beside it. */
export function JobForm({ document, tags, setTags, policies }: JobFormProps) {
  const words = useTextOf(jobText);
  const { written, set } = document;
  const isOff = useLasting(document.isBroken);
  const of = (...path: string[]) => ({
    value: valueAt(written, path),
    set: (value: unknown) => set(path, value),
    isOff,
    inText: words.inText,
  });
  const [stay, render, save, policy] = [['scope', 'stay'], ['render'], ['save'], ['policy']].map((path) =>
    valueAt(written, path),
  );
  const named = typeof policy === 'string' ? policy : '';
  const saved = savesWith(save);
  return (
    <div className="job-form">
      <fieldset disabled={isOff}>
        <legend>{words.what}</legend>
        <ListField
          label={words.seeds}
          hint={words.seedsHint}
          placeholder="https://example.org/"
          rows={3}
          {...of('seeds')}
        />
        <div className="job-pair">
          <PlainField label={words.name} placeholder={words.nameUsual} {...of('name')} />
          <PlainField label={words.contact} placeholder={words.contactUsual} {...of('contact')} />
        </div>
      </fieldset>
      <fieldset disabled={isOff}>
        <legend>{words.where}</legend>
        <NativeSelect
          label={words.stay}
          value={typeof stay === 'string' ? stay : 'site'}
          onChange={({ currentTarget }) => set(['scope', 'stay'], currentTarget.value)}
          data={stays.map((each) => ({ value: each, label: words.stays[each] }))}
        />
        <div className="job-pair">
          <ListField label={words.include} placeholder="/docs/**" rows={2} {...of('scope', 'include')} />
          <ListField label={words.exclude} placeholder="*.pdf" rows={2} {...of('scope', 'exclude')} />
        </div>
      </fieldset>
      <fieldset disabled={isOff}>
        <legend>{words.howMuch}</legend>
        <div className="job-four">
          {limits.map(({ path, word, usual }) => (
            <PlainField key={word} label={words.limits[word]} placeholder={usual} {...of(...path)} />
          ))}
        </div>
      </fieldset>
      <fieldset disabled={isOff}>
        <legend>{words.how}</legend>
        <div className="job-pair">
          <PlainField label={words.gap} placeholder="1s" {...of('politeness', 'gap')} />
          <NativeSelect
            label={words.render}
            value={typeof render === 'string' ? render : render === undefined ? 'never' : 'rules'}
            disabled={isOff || (render !== undefined && typeof render !== 'string')}
            data={[
              ...renders.map((each) => ({ value: each, label: words.renders[each] })),
              ...(render === undefined || typeof render === 'string'
                ? []
                : [{ value: 'rules', label: words.inText }]),
            ]}
            onChange={({ currentTarget }) => set(['render'], currentTarget.value)}
          />
        </div>
        <div className="job-checks" role="group" aria-label={words.save}>
          <span>{words.save}</span>
          {savers.map((saver) => (
            <label key={saver}>
              <input
                type="checkbox"
                checked={saved.includes(saver)}
                onChange={({ currentTarget }) => set(['save'], withSaver(save, saver, currentTarget.checked))}
              />
              {words.savers[saver]}
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset disabled={isOff}>
        <legend>{words.more}</legend>
        <div className="job-pair">
          <PlainTags tags={tags} setTags={setTags} />
          <NativeSelect
            label={words.policy}
            value={named}
            disabled={isOff || (policy !== undefined && typeof policy !== 'string')}
            data={[
              { value: '', label: words.noPolicy },
              ...[...new Set([...policies, ...(named === '' ? [] : [named])])].map((each) => ({
                value: each,
                label: each,
              })),
            ]}
            onChange={({ currentTarget }) =>
              set(['policy'], currentTarget.value === '' ? undefined : currentTarget.value)
            }
          />
        </div>
        <p className="soft">
          {words.policyHint}{' '}
          <Link to="/policies" className="underlined">
            {words.policies}
          </Link>
        </p>
      </fieldset>
    </div>
  );
}

function PlainTags({ tags, setTags }: Pick<JobFormProps, 'tags' | 'setTags'>) {
  const words = useTextOf(jobText);
  return (
    <PlainField
      label={words.tags}
      placeholder={words.tagsHint}
      value={tags === '' ? undefined : tags}
      set={(value) => setTags(shownPlain(value))}
      isOff={false}
      inText=""
    />
  );
}
