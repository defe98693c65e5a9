import { Button } from '@mantine/core';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';

/** Shown once: no request answers it again. */
export function Secret({ secret, taken }: { secret: string; taken: () => void }) {
  const { webhooks: words } = useTextOf(adminText);
  return (
    <p className="secret" role="status">
      {words.secretOnce}
      <code>{secret}</code>
      <Button size="compact-sm" variant="default" onClick={taken}>
        {words.secretTaken}
      </Button>
    </p>
  );
}
