import { Button, Checkbox, NumberInput, SegmentedControl, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { stays } from '@webfarer/protocol/job';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import type { ScopeDraft, ScopeField } from './draft-in-address.ts';
import { type DraftProblems, fieldsOfPolicy } from './scope-draft.ts';

interface ScopeFormProps {
  detail: CrawlDetail;
  /** As it is in force. */
  base: ScopeDraft;
  draft: ScopeDraft;
  problems: DraftProblems;
  change: (next: Partial<ScopeDraft>) => void;
  /** Undefined: nothing was changed. */
  reset: (() => void) | undefined;
}

/** The rules themselves, with what is wrong at the field that has it. */
export function ScopeForm({ detail, base, draft, problems, change, reset }: ScopeFormProps) {
  const words = useTextOf(scopeText);
  const { separators } = useFormats();
  const disabled = !useMayOperate();
  const { policy, isOfPolicy } = usePolicy(detail);
  const errorOf = (field: ScopeField) => {
    const problem = problems[field];
    if (!problem) return undefined;
    const { line, message } = problem;
    return <bdi>{line === undefined ? message : words.line(String(line), message)}</bdi>;
  };
  const hintOf = (field: ScopeField, hint?: string) => {
    const isGiven = isOfPolicy.has(field) && draft[field] === base[field];
    const origin = policy && isGiven ? words.fromPolicy(policy.name, policy.version) : undefined;
    return [hint, origin].filter((each) => each !== undefined).join(' · ') || undefined;
  };
  const patterns = (field: 'include' | 'exclude', label: string, hint: string) => (
    <Textarea
      className="patterns"
      label={label}
      description={hintOf(field, hint)}
      value={draft[field]}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
      rows={Math.min(12, Math.max(3, draft[field].split('\n').length + 1))}
      placeholder={words.placeholder}
      error={errorOf(field)}
      disabled={disabled}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
    />
  );
  const limit = (field: 'depth' | 'cost', label: string, hint?: string) => (
    <NumberInput
      label={label}
      description={hintOf(field, hint)}
      value={draft[field]}
      onChange={(value) => change({ [field]: typeof value === 'number' ? value : '' })}
      min={0}
      allowDecimal={field === 'cost'}
      placeholder={words.unlimited}
      thousandSeparator={separators.thousands}
      decimalSeparator={separators.decimal}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={errorOf(field)}
      hideControls
      disabled={disabled}
    />
  );
  return (
    <section className="panel part scope-form" aria-labelledby="scope-rules">
      <div className="part-head">
        <h2 id="scope-rules">{words.rules}</h2>
        {reset ? (
          <Button size="compact-sm" variant="default" onClick={reset}>
            {words.reset}
          </Button>
        ) : null}
      </div>
      {policy ? (
        <p className="soft scope-policy">
          <bdi>{words.policy(policy.name, policy.version)}</bdi>
        </p>
      ) : null}
      <div>
        <span className="scope-label" id="scope-stay">
          {words.stay}
        </span>
        <SegmentedControl
          className="seg"
          fullWidth
          aria-labelledby="scope-stay"
          value={draft.stay}
          onChange={(stay) => change({ stay })}
          disabled={disabled}
          data={stays.map((each) => ({ value: each, label: words.stays[each] }))}
        />
        <p className="soft scope-hint">{hintOf('stay', words.staysMean[draft.stay])}</p>
      </div>
      {patterns('include', words.include, words.includeHint)}
      {patterns('exclude', words.exclude, words.excludeHint)}
      <p className="soft scope-hint">{words.syntax}</p>
      <Checkbox
        label={words.requisites}
        description={hintOf('requisites')}
        checked={draft.requisites}
        onChange={(event) => change({ requisites: event.currentTarget.checked })}
        disabled={disabled}
      />
      <div className="settings">
        {limit('depth', words.depth)}
        {limit('cost', words.cost, words.costHint)}
      </div>
      {problems.other ? (
        <p className="problem" role="alert">
          <bdi>{problems.other.message}</bdi>
        </p>
      ) : null}
      <p className="soft scope-hint">{words.more}</p>
    </section>
  );
}

/** The policy that a crawl was created with, and which of its fields it still has from there. */
function usePolicy({ job }: CrawlDetail) {
  const { client } = useConnected();
  const named = job['policy'] as { name?: unknown; version?: unknown } | undefined;
  const name = typeof named?.name === 'string' ? named.name : undefined;
  const version = typeof named?.version === 'number' ? named.version : undefined;
  const { data } = useQuery({
    queryKey: ['policy', name, version],
    enabled: name !== undefined && version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () =>
      client.getPolicy({
        params: { policy: name ?? '' },
        query: version === undefined ? {} : { version },
      }),
  });
  return {
    policy: name === undefined || version === undefined ? undefined : { name, version: String(version) },
    isOfPolicy: data ? fieldsOfPolicy(job, data.policy) : new Set<ScopeField>(),
  };
}
