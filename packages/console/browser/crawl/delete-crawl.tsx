import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { Problem } from '../parts/notices.tsx';
import { useText } from '../text/use-text.tsx';

/** Deletes a crawl that does not run, with all that is kept of it. Nothing takes that back, so it asks first. */
export function DeleteCrawl({ crawl: { id, name } }: { crawl: { id: string; name: string } }) {
  const { crawl: words } = useText();
  const { client } = useConnected();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.deleteCrawl({ params: { crawl: id } }),
    async onSuccess() {
      await navigate({ to: '/' });
      queries.removeQueries({ queryKey: ['crawl'] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={words.removeTitle(name)}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': words.cancel }}
      >
        <p>{words.removeLead}</p>
        {remove.error ? <Problem error={remove.error} /> : null}
        <div className="modal-foot">
          <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
            {words.cancel}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {words.removeNow}
          </Button>
        </div>
      </Modal>
    </>
  );
}
