import { Button, Modal, NumberInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Problem } from '../parts/notices.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { type HostWish, matchOf } from './host-wish.ts';
import { useRuleHolder } from './use-host-rule.ts';

interface HostDialogProps {
  host: string;
  kind: HostWish['kind'];
  close: () => void;
  decide: (wish: HostWish) => void;
  isPending: boolean;
  error: unknown;
}

const usualSeconds = 10;

/** Asks before a host is treated otherwise in all crawls, or in those of a team. */
export function HostDialog({ host, kind, close, decide, isPending, error }: HostDialogProps) {
  const { hosts: words } = useText();
  const { separators } = useFormats();
  const whose = useRuleHolder();
  const [seconds, setSeconds] = useState<number | ''>(usualSeconds);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (kind === 'block') decide({ kind });
    else if (seconds !== '') decide({ kind, gapMs: seconds * 1_000 });
  }

  const match = matchOf(host);
  return (
    <Modal
      opened
      onClose={close}
      title={<bdi>{kind === 'slow' ? words.slowTitle(match) : words.blockTitle(match)}</bdi>}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <form onSubmit={submit}>
        <p>{(kind === 'slow' ? words.slowLead : words.blockLead)(words.whose[whose])}</p>
        {kind === 'slow' ? (
          <NumberInput
            className="dialog-field"
            label={words.gap}
            value={seconds}
            onChange={(value) => setSeconds(typeof value === 'number' ? value : '')}
            min={0.1}
            max={2_678_400}
            suffix={` ${words.seconds}`}
            thousandSeparator={separators.thousands}
            decimalSeparator={separators.decimal}
            hideControls
            data-autofocus
          />
        ) : null}
        {error ? <Problem error={error} /> : null}
        <div className="modal-foot">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={kind === 'slow' && seconds === ''}
            {...(kind === 'block' ? { color: 'red', 'data-autofocus': true } : {})}
          >
            {kind === 'slow' ? words.slow : words.block}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
