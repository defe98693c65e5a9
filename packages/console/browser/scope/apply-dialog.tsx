import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CrawlDetail } from '@webfarer/protocol/api';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { scopeText } from '../text/scope-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { emptySum, type PreviewSum } from './preview-sum.ts';
import { useFoundWords } from './scope-preview-panel.tsx';

interface ApplyDialogProps {
  crawl: string;
  detail: CrawlDetail;
  changes: Record<string, unknown>;
  sum: PreviewSum | undefined;
  close: () => void;
  applied: () => void;
}

/** Says what changes and what it does, and only then changes it: the version that was previewed, or nothing. */
export function ApplyDialog({ crawl, detail, changes, sum, close, applied }: ApplyDialogProps) {
  const words = useTextOf(scopeText);
  const { client } = useConnected();
  const queries = useQueryClient();
  const found = useFoundWords(sum ?? emptySum);
  const save = useMutation({
    mutationFn: () =>
      client.editCrawl({ params: { crawl }, body: { changes, rescope: true, version: detail.version } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['crawl'] });
      await queries.invalidateQueries({ queryKey: ['edits'] });
      applied();
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={words.applyTitle}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <p className="scope-second">
        <b>{found.dropped}.</b> {found.restored}.
      </p>
      {sum?.isWhole ? null : <p className="soft">{words.applyCounting}</p>}
      <h3 className="scope-dialog-head">{words.applyChanges}</h3>
      <ChangedSettings job={detail.job} changes={changes} />
      <p className="soft">{words.applyLead}</p>
      {save.error ? <Problem error={save.error} /> : null}
      <div className="modal-foot">
        <Button variant="default" onClick={close}>
          {words.cancel}
        </Button>
        <Button data-autofocus loading={save.isPending} onClick={() => save.mutate()}>
          {words.apply}
        </Button>
      </div>
    </Modal>
  );
}

/** Each setting, from what to what. */
function ChangedSettings({ job, changes }: Pick<ApplyDialogProps, 'changes'> & { job: CrawlDetail['job'] }) {
  const words = useTextOf(scopeText);
  const shown = (value: unknown) => (value === undefined ? words.notSet : JSON.stringify(value));
  const rows = Object.entries(changes).flatMap(([place, fields]) =>
    Object.entries(fields as object).map(([name, to]: [string, unknown]) => ({
      field: `${place}.${name}`,
      from: (job[place] as Record<string, unknown> | undefined)?.[name],
      to,
    })),
  );
  return (
    <ul className="scope-changes">
      {rows.map(({ field, from, to }) => (
        <li key={field}>
          <code>{field}</code> <bdi>{shown(from)}</bdi> → <bdi className="strong">{shown(to)}</bdi>
        </li>
      ))}
    </ul>
  );
}
