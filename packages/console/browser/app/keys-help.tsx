import { Kbd, Modal } from '@mantine/core';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useText } from '../text/use-text.tsx';

export function KeysHelp({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { keys } = useText();
  const isAdmin = useConnected().who.scope === 'admin';
  const mayOperate = useMayOperate();
  const rows = [
    { press: ['/'], does: keys.search },
    { press: ['g', 'c'], does: keys.crawls },
    { press: ['g', 's'], does: keys.schedules },
    ...(isAdmin
      ? [
          { press: ['g', 'l'], does: keys.logins },
          { press: ['g', 'n'], does: keys.network },
        ]
      : []),
    ...(mayOperate ? [{ press: ['g', 'a'], does: keys.admin }] : []),
    { press: ['n'], does: keys.create },
    { press: ['j', 'k'], does: keys.rows },
    { press: ['?'], does: keys.help },
    { press: ['Esc'], does: keys.close },
  ];
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={keys.title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': keys.close }}
    >
      <dl className="keys">
        {rows.map(({ press, does }) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {press.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
