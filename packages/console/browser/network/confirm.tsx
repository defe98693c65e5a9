import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.tsx';

/** Asks before what has consequences. `doing`: the words of the button. */
export function Confirm(props: {
  title: string;
  doing: string;
  children: ReactNode;
  cancel: () => void;
  confirm: () => void;
}) {
  const { crawl } = useText();
  return (
    <Modal
      opened
      onClose={props.cancel}
      title={props.title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': crawl.cancel }}
    >
      {props.children}
      <div className="modal-foot">
        <Button variant="default" onClick={props.cancel}>
          {crawl.cancel}
        </Button>
        <Button color="red" data-autofocus onClick={props.confirm}>
          {props.doing}
        </Button>
      </div>
    </Modal>
  );
}
