import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { policyName, policySchema, writtenAs } from '@webfarer/protocol/job';
import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useConnected } from '../api/connected.tsx';
import { differences } from '../job/differences.ts';
import { DifferenceList } from '../job/job-differences.tsx';
import { readPolicy, useTextDocument } from '../job/use-job-document.ts';
import { YamlEditor } from '../job/yaml-editor.tsx';
import { Problem } from '../parts/notices.tsx';
import { policyText } from '../text/policy-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import '../style/try.css';

export type Policy = Awaited<ReturnType<Client['getPolicy']>>;

const complete = { fields: Object.keys(policySchema.shape) };
const firstText = 'politeness:\n  gap: 2s\nlimits:\n  pages: 5000\n';

/** A new policy, or the next version of one. Crawls keep the version that they were started with. */
export function PolicyForm({ before, cancel }: { before: Policy | undefined; cancel: () => void }) {
  const words = useTextOf(policyText);
  const { client } = useConnected();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const document = useTextDocument(() => (before ? writtenAs(before.policy) : firstText), readPolicy);
  const name = before?.name ?? typed.trim();
  const isNamed = policyName.safeParse(name).success;
  const changed = before ? differences(before.policy, document.written) : [];
  const save = useMutation({
    mutationFn: (policy: Record<string, unknown>) =>
      client.putPolicy({
        params: { policy: name },
        body: { policy, note: note.trim(), latest: before?.version ?? 0 },
      }),
    async onSuccess() {
      await queries.invalidateQueries();
      return navigate({ to: '/policies/$policy', params: { policy: name }, search: {} });
    },
  });
  const isReady = document.read.ok && isNamed;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady) save.mutate(document.written as Record<string, unknown>);
  }

  return (
    <form onSubmit={submit}>
      <section className="panel part policy-form" aria-label={words.text}>
        <div className="job-pair">
          {before ? null : (
            <TextInput
              label={words.name}
              required
              maxLength={100}
              value={typed}
              error={typed === '' || isNamed ? undefined : words.nameRule}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
          <TextInput
            label={words.note}
            placeholder={words.noteHint}
            maxLength={1000}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
        </div>
        <YamlEditor
          label={words.text}
          text={document.text}
          change={document.change}
          places={document.places}
          complete={complete}
        />
        {changed.length > 0 ? (
          <div>
            <h2>{words.changes}</h2>
            <DifferenceList found={changed} />
          </div>
        ) : null}
      </section>
      <div className="panel job-foot">
        <span className="soft">{before ? words.keeps : isNamed ? '' : words.needsName}</span>
        {save.error ? <Problem error={save.error} /> : null}
        <Button variant="default" onClick={cancel}>
          {words.cancel}
        </Button>
        <Button type="submit" disabled={!isReady} loading={save.isPending}>
          {before ? words.saveVersion(before.version + 1) : words.create}
        </Button>
      </div>
    </form>
  );
}
