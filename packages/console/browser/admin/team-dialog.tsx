import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { fieldsOf, hasDefault, quotaNames, type Team, wishIn } from './team-wish.ts';

/** Weight and quotas of a team. What another admin changed meanwhile is not overwritten: the version is sent along. */
export function TeamDialog({ team, close }: { team: Team; close: () => void }) {
  const { teams: words, cancel, save: saveWord } = useTextOf(adminText);
  const { client } = useConnected();
  const queries = useQueryClient();
  const [fields, setFields] = useState(() => fieldsOf(team.weight, team.quotas));
  const [note, setNote] = useState(team.note);
  const wish = wishIn(fields);
  const save = useMutation({
    mutationFn: (body: NonNullable<typeof wish>) =>
      client.putTeam({ params: { team: team.name }, body: { ...body, note, version: team.version } }),
    onSuccess: close,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['teams'] }),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (wish) save.mutate(wish);
  }
  return (
    <Modal
      opened
      onClose={close}
      title={words.editing(team.name)}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': cancel }}
    >
      <form className="team-form" onSubmit={submit}>
        <TextInput
          label={words.note}
          value={note}
          maxLength={1_000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <TextInput
          label={words.weight}
          description={words.weightHint}
          inputMode="decimal"
          value={fields.weight}
          onChange={(event) => setFields({ ...fields, weight: event.currentTarget.value })}
        />
        {quotaNames.map((name) => (
          <TextInput
            key={name}
            label={words.limits[name]}
            placeholder={hasDefault(name) ? words.usual : words.noQuota}
            inputMode="decimal"
            value={fields[name]}
            onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
          />
        ))}
        <p className="soft">{words.empty}</p>
        {wish ? null : (
          <p className="problem" role="alert">
            {words.invalid}
          </p>
        )}
        {save.error ? <Problem error={save.error} /> : null}
        <div className="modal-foot">
          <Button variant="default" onClick={close}>
            {cancel}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!wish}>
            {saveWord}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
