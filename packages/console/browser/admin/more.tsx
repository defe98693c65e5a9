import { Button } from '@mantine/core';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';

/** Reads the next page of a list, where there is one. */
export function More({ more }: { more: { isReading: boolean; read: () => void } | undefined }) {
  const words = useTextOf(adminText);
  if (!more) return null;
  return (
    <Button variant="default" size="compact-sm" loading={more.isReading} onClick={more.read}>
      {words.more}
    </Button>
  );
}
