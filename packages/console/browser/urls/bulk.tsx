import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useMayOperate } from '../api/connected.tsx';
import type { LifeState } from '../parts/state-badge.tsx';
import { useFormats, useText } from '../text/use-text.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { countIn, type Figures, type UrlsSearch } from '../api/url-search.ts';

interface BulkProps {
  crawl: string;
  search: UrlsSearch;
  figures: Figures | undefined;
  state: LifeState | undefined;
  /** Something was changed, so that the list is another one. */
  changed: () => void;
}

/** What can be done with all URLs of the filter: those that failed or were refused are retried, queued ones dropped. */
export function Bulk(props: BulkProps) {
  const { search, figures, changed } = props;
  const { urls: words } = useText();
  const { count } = useFormats();
  const mayOperate = useMayOperate();
  const [isOpen, setOpen] = useState(false);
  const { state } = search;
  const what = state === 'queued' ? 'drop' : state === 'failed' || state === 'refused' ? 'retry' : undefined;
  if (what === undefined || !mayOperate) return null;
  const counted = countIn(search, figures);
  const close = () => {
    setOpen(false);
    changed();
  };
  return (
    <>
      <Button
        disabled={counted === 0}
        {...(what === 'drop' ? { color: 'red' } : {})}
        onClick={() => setOpen(true)}
      >
        {counted === undefined ? words[what].buttonUnknown : words[what].button(count(counted))}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={words[what].title}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': words.bulk.close }}
      >
        <BulkDialog {...props} what={what} counted={counted} close={close} />
      </Modal>
    </>
  );
}
