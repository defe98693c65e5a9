import { Button } from '@mantine/core';
import { CopyLine } from '../parts/copy-line.tsx';
import { adminText } from '../text/admin-text.ts';
import { useTextOf } from '../text/use-text.tsx';

interface SecretProps {
  secret: string;
  /** What it is. */
  lead: string;
  taken: () => void;
}

/** Shown once: no request answers it again. */
export function Secret({ secret, lead, taken }: SecretProps) {
  const { tokens: words } = useTextOf(adminText);
  return (
    <div className="secret" role="status">
      <p>{lead}</p>
      <CopyLine text={secret} />
      <Button size="compact-sm" variant="default" onClick={taken}>
        {words.secretTaken}
      </Button>
    </div>
  );
}
